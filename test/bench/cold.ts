/** Size and load time of each bundle, compared to the DynamoDB client alone; see docs/cold.md. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FUNCTION_NAMES } from '../../infra/routes.ts'
import { synthesize } from '../support/assembly.ts'
import { bundleClientAlone } from '../support/clientAlone.ts'

/** How often each bundle is loaded. The fastest time counts; the rest is noise from the machine. */
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
    const rows = measured.map(({ name, bytes, milliseconds }) => ({
      name,
      bytes,
      'ratio of bytes': ratio(bytes, reference?.bytes),
      'load, ms': milliseconds.toFixed(1),
      'ratio of load': ratio(milliseconds, reference?.milliseconds),
    }))
    console.table(rows)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Milliseconds to load a module in a new process, without starting the process. */
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
