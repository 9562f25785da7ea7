/** The report on how the service scales. */
import { LIMITS } from '../shared/store/limits.ts'
import type { Usage } from '../test/support/meter.ts'
import { circumstances, table } from './bench.ts'

/** What one request should take at most. */
export interface Most {
  units: number
  calls: number
}

/** The measurements of one kind of request. */
export interface Measured extends Usage {
  /** The fewest jokes on a first page; absent: it is not a listing. */
  jokes: number | undefined
  /** The fewest jokes expected there. */
  expected: number
  /** Absent: not promised. */
  most: Most | undefined
}

/** The usage of the longest jokes of one kind. */
export type LongestMeasured = Record<'added' | 'again' | 'upvoted' | 'listed' | 'mostListed' | 'searched', Usage>

type Units = Pick<Usage, 'read' | 'written'>

/** What was measured with a collection of one size. */
export interface Stage {
  size: number
  requests: Map<string, Measured>
  /** With nearly all jokes in one category; absent: not measured. */
  lopsided: Map<string, Measured> | undefined
}

export function textOf(stages: Stage[], longest: Map<string, LongestMeasured>): string {
  const headOf = (title: string, stages: Stage[]) => [
    title,
    ...stages.map(({ size }) => `${size.toLocaleString('en')} jokes`),
  ]
  const lopsidedStages = stages.filter(({ lopsided }) => lopsided)
  return `Made by \`npm run bench -- ${stages.map(({ size }) => size).join(' ')} --write\`. ${circumstances()}. Jokes have about 115 characters and 23 words, take 380 bytes, and have 60 rows of 56 bytes in the word lists; a listing asks for 25. Calls and capacity units (of tables and indexes) are DynamoDB's own count and do not depend on the machine. Collections of more than 100,000 jokes would not fit into its memory, so of their word lists only those are loaded that these searches read.

"search, 300 found" searches for a word that exactly 300 jokes contain, mixed evenly among the others; "search, the oldest 300" for one that only the oldest 300 contain. \`q\` and \`zz\` begin no word.

By date, a search for one word or letter is expected to take at most 15 units and 3 calls, with a category 30 and 12, for a rare and a very common word 25 and 6, for two words of 1 in 50 jokes each 60 units; a random page of 25 at most 15 units and 3 calls, of one joke 3 and 3, of a search 20 and 6, of categories 25 and 9; a listing by thumbsDown as much as one by date; a create 66 units, with the read. First pages of searches by date and at random are expected to be full if 25 jokes match. ${misses(stages)} By votes, a search for a word of many jokes walks an index within its units, so its page may be short. Whatever is sent, a listing is expected to read at most ${LIMITS.listing.units} units in ${LIMITS.listing.calls} calls. ${excesses(longest)}

### Each request

"13 / 2 / 25" are 13 capacity units and 2 calls for a page of 25 jokes. Among repeated requests, the fewest jokes count. Upvotes and creates write units, everything else reads them. The read units of a create have their own row.

${table(
  headOf('request', stages),
  rows(stages, ({ requests }) => withReads(requests), summary),
)}

### Nearly all jokes in one category

The same with only three jokes in each other category, School included, the oldest of all.

${table(
  headOf('request', lopsidedStages),
  rows(lopsidedStages, ({ lopsided = new Map() }) => lopsided, summary),
)}

### The longest jokes

Capacity units for jokes of 1,000 + 1,000 characters, made to be expensive: 250 of each kind, in all categories. The search is for a word that all of them contain, and asks for 250.

${table(
  'jokes|add, written|add, read|sent again, read|upvote, written|25 listed|250 listed|250 searched'.split('|'),
  Array.from(longest, ([kind, { added, again, upvoted, listed, mostListed, searched }]) => [
    kind,
    ...[added.written, added.read, again.read, upvoted.written, listed.read, mostListed.read, searched.read].map(round),
  ]),
)}`
}

/** Names the requests that miss what is expected. */
function misses(stages: Stage[]): string {
  const missing = stages.flatMap(({ size, requests, lopsided = new Map<string, Measured>() }) => {
    const among = `among ${size.toLocaleString('en')}`
    return [
      ...missesOf(requests).map((miss) => `${miss} ${among}`),
      ...missesOf(lopsided).map((miss) => `${miss} ${among}, nearly all in one category`),
    ]
  })
  return missing.length === 0 ? 'All of this holds.' : `These miss it: ${missing.join('; ')}.`
}

/** Whether listings of the longest jokes keep to the limits of one request. */
function excesses(longest: Map<string, LongestMeasured>): string {
  const { units, calls } = LIMITS.listing
  const beyond = Array.from(longest).filter(([, { listed, mostListed, searched }]) =>
    [listed, mostListed, searched].some((used) => used.read > units || used.calls > calls),
  )
  return beyond.length === 0 ? 'So they do.' : `These read more: ${beyond.map(([kind]) => kind).join(', ')}.`
}

function missesOf(requests: Map<string, Measured>): string[] {
  return Array.from(requests)
    .filter(([, { calls, most, jokes = 0, expected, ...used }]) => {
      return sum(used) > (most?.units ?? Infinity) || calls > (most?.calls ?? Infinity) || jokes < expected
    })
    .map(([name, measured]) => `"${name}" (${summary(measured)})`)
}

/** Units, calls, and the jokes of a listing. */
function summary({ calls, jokes, expected, ...used }: Measured): string {
  const numbers: (string | number)[] = [round(sum(used)), round(calls)]
  if (jokes !== undefined) numbers.push(jokes < expected ? `${jokes} of ${expected}` : jokes)
  return numbers.join(' / ')
}

/** Splits requests that read and write into two rows. */
function withReads(requests: Map<string, Measured>): Map<string, Measured> {
  const rows = new Map<string, Measured>()
  for (const [name, measured] of requests) {
    if (measured.read > 0 && measured.written > 0) {
      rows.set(name, { ...measured, read: 0 })
      rows.set(`${name}, read`, { ...measured, written: 0 })
    } else rows.set(name, measured)
  }
  return rows
}

function sum({ read, written }: Units): number {
  return read + written
}

/** A row for each name. The cell is empty for stages without it. */
function rows<Value>(
  stages: Stage[],
  of: (stage: Stage) => Map<string, Value>,
  cell: (value: Value) => string | number,
): (string | number)[][] {
  // The largest collection has all names.
  const names = [...(stages.map(of).at(-1)?.keys() ?? [])]
  return names.map((name) => [
    name,
    ...stages.map((stage) => {
      const value = of(stage).get(name)
      return value === undefined ? '' : cell(value)
    }),
  ])
}

/** To one decimal. */
function round(value: number): number {
  return Math.round(value * 10) / 10
}
