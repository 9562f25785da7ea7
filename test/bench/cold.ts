/** What a cold start loads: the bytes of each bundle and the time to load it, beside the DynamoDB client alone. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FUNCTION_NAMES } from '../../infra/routes.ts'
import { synthesize } from '../support/assembly.ts'
import { bundleClientAlone } from '../support/clientAlone.ts'

/** Each bundle is loaded so often, in turns; the fastest time counts, as all that adds to it is the machine's doing. */
const ROUNDS = 41

/** Builds the bundles, measures them and prints a table. */
export async function measureCold(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cold-'))
  try {
    const functions = await synthesize(folder)
    const clientAlone = { name: 'client alone', file: await bundleClientAlone(folder), environment: {} }
    const bundles = [
      clientAlone,
      ...FUNCTION_NAMES.map((name) => {
        const { bundle, environment } = functions[name]
        return { name, file: join(bundle, 'index.mjs'), environment }
      }),
    ]
    const times = new Map(bundles.map(({ name }): [string, number[]] => [name, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const { name, file, environment } of bundles) times.get(name)?.push(loadTime(file, environment))

    const measured = bundles.map(({ name, file }) => ({
      name,
      bytes: statSync(file).size,
      milliseconds: Math.min(...(times.get(name) ?? [])),
    }))
    const [reference] = measured
    console.table(
      Object.fromEntries(
        measured.map(({ name, bytes, milliseconds }) => [
          name,
          {
            bytes,
            'of client alone': ratio(bytes, reference?.bytes),
            'load, ms': milliseconds.toFixed(1),
            'of its load': ratio(milliseconds, reference?.milliseconds),
          },
        ]),
      ),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Milliseconds to load a module in a new process, without what starting the process takes. */
function loadTime(file: string, environment: Record<string, string>): number {
  const script = `
    const start = performance.now()
    await import(${JSON.stringify(pathToFileURL(file).href)})
    console.log(performance.now() - start)
  `
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', ...environment },
    encoding: 'utf8',
  })
  return Number(output)
}

function ratio(value: number, reference = Number.NaN): string {
  return (value / reference).toFixed(2)
}
