/** The report on the cost per request, by collection size. */
import { LIMITS } from '../shared/store/limits.ts'
import type { Usage } from '../test/support/meter.ts'
import { circumstances, table } from './bench.ts'

/** The measurements of one kind of request. */
export interface Measured extends Usage {
  /** The fewest jokes on a first page, or `undefined` if the request is not a listing. */
  jokes: number | undefined
}

/** The measurements with a collection of one size. */
export interface Stage {
  size: number
  requests: Map<string, Measured>
  /** The measurements with nearly all jokes in one category, or `undefined` if there are none. */
  lopsided: Map<string, Measured> | undefined
}

export function textOf(stages: Stage[]): string {
  return `Made by \`npm run bench -- ${stages.map(({ size }) => size).join(' ')} --write\`. ${circumstances()}.

- Jokes have about 115 characters and 23 words. They take 380 bytes, and have 60 index entries of 56 bytes. A listing asks for 25.
- The emulator dynoxide counts the calls and capacity units of tables and indexes. They do not depend on the machine.
- DynamoDB itself was never measured.
- Collections of more than 100,000 jokes would not fit into its memory. Of their index lists, only those are loaded that these searches read.
- "search, 300 found" searches for a word that exactly 300 jokes contain, mixed evenly among the others.
- "search, the oldest 300" searches for a word that only the oldest 300 contain.
- A listing reads at most ${LIMITS.listing.units} units in ${LIMITS.listing.calls} calls. So a page may be short if many rows are read for each match.

### Each request

"13 / 2 / 25" are 13 capacity units and 2 calls for a page of 25 jokes. Among repeated requests, the fewest jokes count. Upvotes and creates write units, and everything else reads them. The read units of a create have their own row.

${tableOf(stages, ({ requests }) => withReads(requests))}

### Nearly all jokes in one category

The same requests, if each category but one has only three jokes, the oldest of all. The rare ones include School.

${tableOf(
  stages.filter(({ lopsided }) => lopsided),
  ({ lopsided = new Map() }) => lopsided,
)}`
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

/** A table with a column for each stage. A cell is empty if the stage has no such request. */
function tableOf(stages: Stage[], measured: (stage: Stage) => Map<string, Measured>): string {
  // The last stage has the largest collection, which has all requests.
  const names = [...(stages.map(measured).at(-1)?.keys() ?? [])]
  return table(
    ['request', ...stages.map(({ size }) => `${size.toLocaleString('en')} jokes`)],
    names.map((name) => [name, ...stages.map((stage) => summary(measured(stage).get(name)))]),
  )
}

/** Units, calls, and the jokes of a listing. */
function summary(measured: Measured | undefined): string {
  if (measured === undefined) return ''
  const { calls, jokes, read, written } = measured
  return [round(read + written), round(calls), jokes].filter((number) => number !== undefined).join(' / ')
}

/** Rounds to one decimal. */
function round(value: number): number {
  return Math.round(value * 10) / 10
}
