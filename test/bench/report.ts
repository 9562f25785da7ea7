/** The report on how the service scales: docs/scale.md and its chart. */
import * as echarts from 'echarts'
import { LIMITS } from '../../shared/store/limits.ts'
import type { Usage } from '../support/meter.ts'
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
  median: number
  slowest: number
  /** Requests a second, sent by {@link CLIENTS}. */
  rate: number
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
  naive: Map<string, { naive: Units; ours: Units }>
  /** Median time of a handler divided by that of its bare calls to DynamoDB. */
  overheads: Map<string, number>
}

/** How many clients send requests at once. */
export const CLIENTS = 8

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
  return `# What requests cost as jokes accumulate

Made by \`npm run bench -- ${stages.map(({ size }) => size).join(' ')} --write\`. ${circumstances()}. Jokes have about 115 characters and 23 words, take 380 bytes, and have 60 rows of 56 bytes in the word lists; a listing asks for 25. Calls and capacity units (of tables and indexes) are DynamoDB's own count and do not depend on the machine. Times do; they are those of a local database, without a network. Collections of more than 100,000 jokes would not fit into its memory, so of their word lists only those are loaded that these searches read. What a request reads or writes does not depend on the others.

"search, 300 found" searches for a word that exactly 300 jokes contain, mixed evenly among the others; "search, the oldest 300" for one that only the oldest 300 contain. \`q\` and \`zz\` begin no word.

By date, a search for one word or letter is expected to take at most 15 units and 3 calls, with a category 30 and 12, for a rare and a very common word 25 and 6, for two words of 1 in 50 jokes each 60 units; a create 70 units. First pages of searches by date are expected to be full if 25 jokes match. ${misses(stages)}

By votes and at random, a search for a word of many jokes walks at most ${LIMITS.walkRows.toLocaleString('en')} jokes, so its page may be short.

![Capacity units of each kind of request by size of the collection](scale.svg)

## Capacity units a request

Upvotes and creates write, everything else reads. The read units of a create have their own row.

${table(
  head,
  rows(stages, ({ requests }) => withReads(requests), units),
)}

## Calls to DynamoDB, and jokes on the first page

"2 / 25" are 2 calls for a page of 25 jokes. Among repeated requests, the fewest jokes count.

${table(
  head,
  rows(
    stages,
    ({ requests }) => requests,
    (measured) => callsAndJokes(measured).join(' / '),
  ),
)}

## Nearly all jokes in one category

Capacity units, calls and jokes of the same requests, with only three jokes in each other category, School included, the oldest of all.

${table(
  headOf('request', lopsidedStages),
  rows(
    lopsidedStages,
    ({ lopsided = new Map() }) => lopsided,
    (measured) => [units(measured), ...callsAndJokes(measured)].join(' / '),
  ),
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

function missesOf(requests: Map<string, Measured>): string[] {
  return Array.from(requests)
    .filter(([, { calls, most, jokes = 0, expected, ...used }]) => {
      return sum(used) > (most?.units ?? Infinity) || calls > (most?.calls ?? Infinity) || jokes < expected
    })
    .map(([name, measured]) => `"${name}" (${[units(measured), ...callsAndJokes(measured)].join(' / ')})`)
}

/** Jokes only of a listing. */
function callsAndJokes({ calls, jokes, expected }: Measured): (string | number)[] {
  if (jokes === undefined) return [round(calls)]
  return [round(calls), jokes < expected ? `${jokes} of ${expected}` : jokes]
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
  const head = ['request', 'median, ms', 'slowest, ms', `${CLIENTS} clients, a second`]
  const measured = Array.from(requests, ([name, { median, slowest, rate }]) => [
    name,
    median.toFixed(1),
    slowest.toFixed(1),
    rate.toFixed(0),
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
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 940, height: 560 })
  drawing.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: 'Capacity units per request, by number of jokes', left: 'center' },
    color: COLORS,
    grid: { left: 60, right: 250, top: 60, bottom: 50 },
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
  'search, 4 in 5 match',
  'search, 1 in 100 match, one category',
  'search, two words, 300 and 4 in 5',
  'search, two words, 1 in 50 each',
  'search by thumbsUp, 1 in 100 match',
  'search at random, 1 in 100 match',
  'upvote',
  'create',
]

/** Dark enough for text. Neighbours differ. */
const COLORS = ['#1d4ed8', '#b45309', '#047857', '#be123c', '#6d28d9', '#0e7490', '#4d7c0f', '#a21caf', '#334155']
