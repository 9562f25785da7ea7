/** CPU time for hostile input, by its size. */
import type { FunctionName } from '../infra/routes.ts'
import { MAX_BODY_KB } from '../shared/clientLimits.ts'
import { invoke } from '../test/support/invoke.ts'
import { circumstances, cpuTime, median, report, startBench, table } from './bench.ts'

const SIZES = [25_000, 50_000, 100_000]
const RUNS = 15

/** Each function makes a body of about `length` bytes. */
const BODIES: Record<string, (length: number) => string> = {
  'nested arrays': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'nested objects': (length) => `${'{"a":'.repeat(length / 6)}1${'}'.repeat(length / 6)}`,
  'one long joke': (length) => JSON.stringify({ joke: 'j'.repeat(length), category: 'Classic' }),
  'a joke of white space': (length) => JSON.stringify({ joke: ' '.repeat(length), category: 'Classic' }),
  'white space between letters': (length) => JSON.stringify({ joke: `a${' '.repeat(length)}a`, category: 'Classic' }),
  'escaped control characters': (length) => `{"joke":"${'\\u0000'.repeat(length / 6)}"}`,
  'many fields': (length) => `{${Array.from({ length: length / 12 }, (_, index) => `"f${index}":1`).join()}}`,
  'one field many times': (length) => `{${'"joke":"a",'.repeat(length / 11)}"joke":"a"}`,
}

/** Each function makes a query with a parameter or parameters of about `length` bytes. */
const QUERIES: Record<string, (length: number) => Record<string, string>> = {
  'search for many words': (length) => ({
    searchString: Array.from({ length: length / 7 }, (_, index) => `w${index}`).join(' '),
  }),
  'a long cursor': (length) => ({ cursor: 'W'.repeat(length) }),
  'random, with a long seed': (length) => ({ sortBy: 'random', seed: 's'.repeat(length) }),
  'many categories': (length) => ({ categories: 'School,'.repeat(length / 7) }),
  'many ids': (length) => ({ id: 'x,'.repeat(length / 2) }),
  'many parameters': (length) =>
    Object.fromEntries(Array.from({ length: length / 8 }, (_, index) => [`p${index}`, '1'])),
}

export async function measureHostile(isWritten: boolean): Promise<void> {
  report('Hostile input', textOf(await measureInputs()), isWritten)
}

function textOf(inputs: string[][]): string {
  return `Made by \`npm run bench -- hostile --write\`. ${circumstances()}. Medians of ${RUNS} CPU times in milliseconds, by size of the input. Bodies of more than ${MAX_BODY_KB} kB are refused unparsed, so 100 kB take less time than 50 kB:

${table(['input', ...SIZES.map((size) => `${size / 1_000} kB, ms`)], inputs)}`
}

async function measureInputs(): Promise<string[][]> {
  const { handlers, stop } = await startBench()
  const rows: string[][] = []
  const measure = async (name: string, route: FunctionName, eventOf: (length: number) => object) => {
    const row = [name]
    for (const size of SIZES) {
      const times: number[] = []
      for (let run = 0; run < RUNS; run++) {
        times.push(
          await cpuTime(async () => {
            const { statusCode } = await invoke(handlers, route, eventOf(size))
            if (statusCode >= 500) throw new Error(`${name}: ${statusCode}`)
          }),
        )
      }
      row.push(median(times).toFixed(1))
    }
    rows.push(row)
  }
  for (const [name, body] of Object.entries(BODIES)) await measure(name, 'Create', (length) => ({ body: body(length) }))
  for (const [name, query] of Object.entries(QUERIES))
    await measure(name, 'List', (length) => ({ queryStringParameters: query(length) }))
  await stop()
  return rows
}
