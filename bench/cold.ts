/** Size and load time of each bundle, compared to the DynamoDB client alone. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { FUNCTION_NAMES } from '../infra/routes.ts'
import { BUNDLING } from '../infra/service/serviceFunction.ts'
import { synthesize } from '../test/support/assembly.ts'
import { circumstances, report, table } from './bench.ts'

/** Loads per bundle. Only the fastest counts, because the others are slowed by noise from the machine. */
const ROUNDS = 41

/** A function with only the DynamoDB client and one command. */
const CLIENT_ALONE = `
  import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
  const client = new DynamoDBClient()
  export const handler = (event) => client.send(new QueryCommand(event))
`

/** Builds the bundles and measures them. */
export async function measureCold(isWritten: boolean): Promise<void> {
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
    const rows = measured.map(({ name, bytes, milliseconds }) => [
      name,
      bytes.toLocaleString('en'),
      ratio(bytes, reference?.bytes),
      milliseconds.toFixed(1),
      ratio(milliseconds, reference?.milliseconds),
    ])
    const head = ['', 'bytes', 'ratio of bytes', 'load, ms', 'ratio of load']
    report('Cold starts', `${introduction()}\n\n${table(head, rows)}`, isWritten)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Builds the reference bundle, and returns its file. */
async function bundleClientAlone(folder: string): Promise<string> {
  const outfile = join(folder, 'clientAlone.mjs')
  const stdin = { contents: CLIENT_ALONE, resolveDir: import.meta.dirname }
  await build({ ...BUNDLING, stdin, outfile, bundle: true, platform: 'node' })
  return outfile
}

function introduction(): string {
  return `Made by \`npm run bench -- cold --write\`, which loads each bundle in a new process ${ROUNDS} times. Only the fastest load counts, because the others are slowed by noise from the machine. ${circumstances()}. On Lambda, 1,024 MB have less than one core, so loads take longer, but the ratios are similar. The ratios compare with a bundle of only the DynamoDB client and one command.`
}

/** Milliseconds to load a module in a new process, not counting the start of the process. */
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
