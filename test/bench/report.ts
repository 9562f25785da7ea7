/** The report on how the service scales: docs/scale.md and its chart. */
import * as echarts from 'echarts'
import type { Usage } from '../support/meter.ts'
import { circumstances, table } from './bench.ts'

/** The measurements of one kind of request. */
export interface Measured extends Usage {
  /** The fewest jokes on a first page; absent: it is not a listing. */
  jokes: number | undefined
  /** The fewest jokes expected there; absent: not promised. */
  expected: number | undefined
  median: number
  p99: number
  /** Requests a second, for each of {@link CONNECTIONS}. */
  rates: number[]
}

/** The usage of the longest jokes of one kind. */
export type LongestMeasured = Record<'added' | 'again' | 'upvoted' | 'listed' | 'mostListed' | 'searched', Usage>

/** Milliseconds in the handler of the search that reads the most rows. */
export interface LongestSearch {
  median: number
  cpu: number
}

type Units = Pick<Usage, 'read' | 'written'>

/** What was measured with a collection of one size. */
export interface Stage {
  size: number
  requests: Map<string, Measured>
  /** With nearly all jokes in one category; absent: not measured. */
  lopsided: Map<string, Measured> | undefined
  naive: Map<string, { naive: Units; ours: Units }>
  /** Median time of a handler divided by that of its bare calls to DynamoDB. */
  overheads: Map<string, number>
  /** Absent: too few jokes. */
  longestSearch: LongestSearch | undefined
}

/** Numbers of clients that send requests at once. */
export const CONNECTIONS = [8, 32]

/** The contents of the report's files, by file name. */
export function writeReport(stages: Stage[], longest: Map<string, LongestMeasured>): Record<string, string> {
  return { 'scale.md': markdown(stages, longest), 'scale.svg': chart(stages) }
}

function markdown(stages: Stage[], longest: Map<string, LongestMeasured>): string {
  const headOf = (title: string, stages: Stage[]) => [
    title,
    ...stages.map(({ size }) => `${size.toLocaleString('en')} jokes`),
  ]
  const head = headOf('request', stages)
  const lopsidedStages = stages.filter(({ lopsided }) => lopsided)
  const longestSearches = stages.filter(({ longestSearch }) => longestSearch)
  return `# What requests cost as jokes accumulate

Made by \`npm run bench -- ${stages.map(({ size }) => size).join(' ')} --write\`. ${circumstances()}. Jokes have about 115 characters and 23 words, and take 380 bytes; a listing asks for 25. Calls and capacity units (of tables and indexes) are DynamoDB's own count and do not depend on the machine. Times do; they are those of a local database, without a network.

"search, 450 found" searches for a word that exactly 450 jokes contain, mixed evenly among the others; those of "3 found", "30 found" and "300 found" are the oldest jokes. ${fullness(stages)}

![Capacity units of each kind of request by size of the collection](scale.svg)

## Capacity units a request

Upvotes and creates write, everything else reads. The read units of a create have their own row.

${table(
  head,
  rows(stages, ({ requests }) => withReads(requests), units),
)}

## Jokes on the first page

${table(
  head,
  rows(
    stages,
    ({ requests }) => new Map([...requests].filter(([, { jokes }]) => jokes !== undefined)),
    ({ jokes = 0, expected = 0 }) => (jokes < expected ? `${jokes} of ${expected}` : jokes),
  ),
)}

## Calls to DynamoDB a request

${table(
  head,
  rows(
    stages,
    ({ requests }) => requests,
    ({ calls }) => round(calls),
  ),
)}

## Nearly all jokes in one category

The capacity units of the same requests, with only three jokes in each other category, the oldest of all.

${table(
  headOf('request', lopsidedStages),
  rows(lopsidedStages, ({ lopsided = new Map() }) => withReads(lopsided), units),
)}

## The longest jokes

Capacity units for jokes of 1,000 + 1,000 characters, made to be expensive: 250 of each kind, in all categories. The search is for a word that all of them contain, and asks for 250.

${table(
  'jokes|add, written|add, read|sent again, read|upvote, written|25 listed|250 listed|250 searched'.split('|'),
  Array.from(longest, ([kind, { added, again, upvoted, listed, mostListed, searched }]) => [
    kind,
    ...[added.written, added.read, again.read, upvoted.written, listed.read, mostListed.read, searched.read].map(round),
  ]),
)}

## The longest lookup

A search for a word that only the oldest 12,900 jokes contain. It walks 1,000 jokes, then looks up more word rows than any other search. Invoked without HTTP, median of 50.

${table(headOf('in the handler', longestSearches), [
  ['time, ms', ...longestSearches.map(({ longestSearch }) => `${longestSearch?.median.toFixed(0)}`)],
  ['CPU time, ms', ...longestSearches.map(({ longestSearch }) => `${longestSearch?.cpu.toFixed(0)}`)],
])}

## Times and rates

${stages.map(times).join('\n\n')}

## Handlers compared to bare calls

Median time of a handler, invoked without HTTP, divided by that of its calls to DynamoDB alone, measured alternately.

${table(
  headOf('handler: its calls', stages),
  rows(
    stages,
    ({ overheads }) => overheads,
    (ratio) => ratio.toFixed(2),
  ),
)}

## Compared to the first idea

Units, read and written, of the obvious solution, of the service, and their ratio.

${table(
  headOf('first idea', stages),
  rows(
    stages,
    ({ naive }) => naive,
    ({ naive, ours }) => `${round(sum(naive))} : ${round(sum(ours))} = ${round(sum(naive) / sum(ours))}`,
  ),
)}
`
}

/** Lists the searches whose first page was not full although enough jokes match. */
function fullness(stages: Stage[]): string {
  const short: string[] = []
  for (const { size, requests } of stages)
    for (const [name, { jokes = 0, expected = 0 }] of requests)
      if (jokes < expected) short.push(`"${name}" among ${size.toLocaleString('en')}`)
  return short.length === 0
    ? 'In all searches for which enough jokes match, the first page was full.'
    : `The first page was not full, although enough jokes match, for ${short.join(', ')}.`
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

function units(measured: Units): number {
  return round(sum(measured))
}

function sum({ read, written }: Units): number {
  return read + written
}

function times({ size, requests }: Stage): string {
  const rates = CONNECTIONS.map((count) => `${count} clients, a second`)
  const head = ['request', 'median, ms', '99th percentile, ms', ...rates]
  const measured = Array.from(requests, ([name, { median, p99, rates }]) => [
    name,
    ...[median, p99].map((value) => value.toFixed(1)),
    ...rates.map((rate) => rate.toFixed(0)),
  ])
  return `### ${size.toLocaleString('en')} jokes\n\n${table(head, measured)}`
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

function chart(stages: Stage[]): string {
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 560 })
  drawing.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: 'Capacity units per request, by number of jokes', left: 'center' },
    color: COLORS,
    grid: { left: 60, right: 210, top: 60, bottom: 50 },
    xAxis: { type: 'log', name: 'jokes', nameLocation: 'middle', nameGap: 30, min: 'dataMin', max: 'dataMax' },
    yAxis: { type: 'log', name: 'units' },
    series: CHARTED.map((name) => ({
      name,
      type: 'line',
      endLabel: { show: true, formatter: '{a}', color: 'inherit' },
      labelLayout: { moveOverlap: 'shiftY' },
      data: stages.flatMap(({ size, requests }) => {
        const measured = requests.get(name)
        return measured ? [[size, sum(measured)]] : []
      }),
    })),
  })
  const svg = drawing.renderToSVGString()
  drawing.dispose()
  return `${svg}\n`
}

/** A selection: more lines would be hard to distinguish. */
const CHARTED = [
  'list, the newest',
  'random',
  'search, 3 found',
  'search, 300 found',
  'search, 501 found',
  'search, 2,000 found',
  'search, 5,000 found',
  'search, 1 in 100 match',
  'search, 4 in 5 match',
  'search, two words, 1 in 50 each',
  'search, the oldest 20,000',
  'upvote',
  'create',
]

/** Dark enough for text. Neighbours differ. */
const COLORS = ['#1d4ed8', '#b45309', '#047857', '#be123c', '#6d28d9', '#0e7490', '#4d7c0f', '#a21caf', '#334155']
