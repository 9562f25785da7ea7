/** CPU time for hostile input of growing size, which must grow no faster than its size, and of searches among hostile jokes. */
import type { FunctionName } from '../infra/routes.ts'
import { CATEGORIES } from '../shared/joke.ts'
import { isDynoxideInstalled } from '../test/support/dynoxide.ts'
import { invoke } from '../test/support/invoke.ts'
import { numberedJoke } from '../test/support/numberedJoke.ts'
import { circumstances, cpuTime, median, report, startBench, table, time } from './bench.ts'

const SIZES = [25_000, 50_000, 100_000]
const RUNS = 15

/** Each makes a body of about `length` bytes. */
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

const QUERIES: Record<string, (length: number) => Record<string, string>> = {
  'search for one long word': (length) => ({ searchString: 'w'.repeat(length) }),
  'search for many words': (length) => ({
    searchString: Array.from({ length: length / 7 }, (_, index) => `w${index}`).join(' '),
  }),
  'search of combining marks': (length) => ({ searchString: `a${'\u0301\u0323'.repeat(length / 4)}` }),
  'search in Japanese': (length) => ({ searchString: '東京'.repeat(length / 6) }),
  'a long cursor': (length) => ({ cursor: 'W'.repeat(length) }),
  'many ids': (length) => ({ id: 'x,'.repeat(length / 2) }),
  'many parameters': (length) =>
    Object.fromEntries(Array.from({ length: length / 8 }, (_, index) => [`p${index}`, '1'])),
}

/** Measures the CPU time of each input, and what hostile jokes add to searches. */
export async function measureHostile(isWritten: boolean): Promise<void> {
  const inputs = await measureInputs()
  const floods = [...(await measureFloods('dynalite')), ...(isDynoxideInstalled ? await measureFloods('dynoxide') : [])]
  report('Hostile input', textOf(inputs, floods), isWritten)
}

function textOf(inputs: string[][], floods: string[][]): string {
  return `Made by \`npm run bench -- hostile --write\`. ${circumstances()}. Medians of ${RUNS} CPU times, in milliseconds, by size of the input:

${table(['input', ...SIZES.map((size) => `${size / 1_000} kB, ms`)], inputs)}

A search for one letter among ${USUAL_JOKES.toLocaleString('en')} usual jokes, before a flood of ${FLOOD} of the longest jokes, and how many times as long it takes afterwards, and after somebody has upvoted all of them. Their words do not fit into their items, so their texts are compared. The CPU time of dynalite counts, that of dynoxide does not.

${table(['search', 'before, ms', 'after', 'upvoted'], floods)}`
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

const USUAL_JOKES = 1_000
const FLOOD = 330

/** Jokes of the full length, whose words do not all fit into their items. */
const HAN = Array.from({ length: 2_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('')
const FLOODS: Record<string, (number: number) => { joke: string; punchline: string }> = {
  'without the letter': (number) => ({ joke: `${number} ${HAN.slice(0, 990)}`, punchline: HAN.slice(-990) }),
  'with the letter': (number) => ({ joke: `${number} ${HAN.slice(0, 500)}`, punchline: `a ${HAN.slice(-990)}` }),
}

const ORDERS = ['dateAdded', 'thumbsUp', 'random']

/** Median times of searches before a flood, and how many times as long they take after it, and after its upvotes. */
async function measureFloods(engine: 'dynalite' | 'dynoxide'): Promise<string[][]> {
  const rows: string[][] = []
  for (const [name, textOf] of Object.entries(FLOODS)) {
    const { handlers, fill, stop } = await startBench({}, engine)
    await fill(USUAL_JOKES, (number) => ({ ...numberedJoke(number), thumbsUp: 0 }))
    const measure = async () => {
      const medians: number[] = []
      for (const sortBy of ORDERS) {
        const search = { queryStringParameters: { searchString: 'a', sortBy } }
        const times: number[] = []
        const cpuTimes: number[] = []
        for (let run = 0; run < RUNS; run++)
          cpuTimes.push(await cpuTime(async () => times.push(await time(() => invoke(handlers, 'List', search)))))
        medians.push(median(cpuTimes), median(times))
      }
      return medians
    }
    await measure() // Warms up.
    const before = await measure()
    const ids: string[] = []
    for (let number = 0; number < FLOOD; number++) {
      const body = JSON.stringify({ ...textOf(number), category: CATEGORIES[number % CATEGORIES.length] })
      ids.push(JSON.parse((await invoke(handlers, 'Create', { body })).body).id)
    }
    const after = await measure()
    for (const id of ids) await invoke(handlers, 'ThumbsUp', { pathParameters: { id } })
    const upvoted = await measure()
    await stop()
    for (const [index, base] of before.entries()) {
      const ratios = [after, upvoted].map((times) => ((times[index] ?? Number.NaN) / base).toFixed(2))
      const label = `${engine}, ${name}, by ${ORDERS[Math.floor(index / 2)]}, ${index % 2 === 0 ? 'CPU' : 'wall'}`
      rows.push([label, base.toFixed(1), ...ratios])
    }
  }
  return rows
}
