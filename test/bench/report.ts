/** The report on how the service scales: Markdown, and a chart. */
import * as echarts from 'echarts'
import type { Usage } from '../support/meter.ts'
import { circumstances, table } from './bench.ts'

/** What one kind of request takes. */
export interface Measured extends Usage {
  median: number
  p99: number
  /** Requests a second, for each of {@link CONNECTIONS}. */
  rates: number[]
}

/** What was measured over a collection of one size. */
export interface Stage {
  size: number
  requests: Map<string, Measured>
  naive: Map<string, { naive: Usage; ours: Usage }>
  /** Median time of a handler over that of its bare calls to DynamoDB. */
  overheads: Map<string, number>
}

/** How many requests at once. */
export const CONNECTIONS = [1, 8, 32]

/** The files of the report, by their names. */
export function writeReport(stages: Stage[]): Record<string, string> {
  return { 'scale.md': markdown(stages), 'scale.svg': chart(stages) }
}

function markdown(stages: Stage[]): string {
  const sizes = stages.map(({ size }) => size.toLocaleString('en'))
  return `# What requests cost as jokes accumulate

Made by \`npm run bench -- ${stages.map(({ size }) => size).join(' ')} --write\`. ${circumstances()}. Jokes have some 150 characters and eleven words for the index; a listing asks for 25. Calls and capacity units (read and written, of tables and indexes) are DynamoDB's own count and do not depend on the machine; times do, and are those of a local database without a network in between.

A search that the word index cannot answer, for two letters or for a word with more than 500 rows, walks the jokes and reads 4,000 of them at most, some 180 units: what that does not meet, the next page goes on to find.

![Capacity units of each kind of request over the size of the collection](scale.svg)

## Capacity units a request

${table(
  ['request', ...sizes.map((size) => `${size} jokes`)],
  rows(stages, ({ units }) => round(units)),
)}

## Calls to DynamoDB a request

${table(
  ['request', ...sizes.map((size) => `${size} jokes`)],
  rows(stages, ({ calls }) => round(calls)),
)}

## Times and rates

${stages.map(times).join('\n\n')}

## Against the bare calls

Median time of a handler, invoked without HTTP, over that of the calls to DynamoDB that it makes, in turns within one run.

${table(
  ['handler: its calls', ...sizes.map((size) => `${size} jokes`)],
  names(stages, ({ overheads }) => overheads).map((name) => [
    name,
    ...stages.map(({ overheads }) => (overheads.get(name) ?? Number.NaN).toFixed(2)),
  ]),
)}

## Against the first idea

Units of what people write first, of what the service does instead, and the one over the other.

${table(
  ['first idea', ...sizes.map((size) => `${size} jokes`)],
  names(stages, ({ naive }) => naive).map((name) => [
    name,
    ...stages.map(({ naive }) => {
      const { naive: first, ours } = naive.get(name) ?? { naive: { units: 0 }, ours: { units: 0 } }
      return `${round(first.units)} : ${round(ours.units)} = ${round(first.units / ours.units)}`
    }),
  ]),
)}
`
}

function times({ size, requests }: Stage): string {
  const head = ['request', 'median, ms', '99 % within, ms', ...CONNECTIONS.map((count) => `${count} at once, a second`)]
  const measured = Array.from(requests, ([name, { median, p99, rates }]) => [
    name,
    ...[median, p99].map((value) => value.toFixed(1)),
    ...rates.map((rate) => rate.toFixed(0)),
  ])
  return `### ${size.toLocaleString('en')} jokes\n\n${table(head, measured)}`
}

function rows(stages: Stage[], value: (measured: { units: number; calls: number }) => number): (string | number)[][] {
  return names(stages, ({ requests }) => requests).map((name) => [
    name,
    ...stages.map(({ requests }) => {
      const measured = requests.get(name)
      return measured ? value(measured) : ''
    }),
  ])
}

function names(stages: Stage[], of: (stage: Stage) => Map<string, unknown>): string[] {
  return stages[0] ? [...of(stages[0]).keys()] : []
}

/** One digit behind the point is more than enough. */
function round(value: number): number {
  return Math.round(value * 10) / 10
}

function chart(stages: Stage[]): string {
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 900, height: 560 })
  drawing.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: 'Capacity units a request, over the number of jokes', left: 'center' },
    color: COLORS,
    grid: { left: 60, right: 210, top: 60, bottom: 50 },
    xAxis: { type: 'log', name: 'jokes', nameLocation: 'middle', nameGap: 30, min: 'dataMin', max: 'dataMax' },
    yAxis: { type: 'log', name: 'units' },
    series: names(stages, ({ requests }) => requests).map((name) => ({
      name,
      type: 'line',
      endLabel: { show: true, formatter: '{a}', color: 'inherit' },
      labelLayout: { moveOverlap: 'shiftY' },
      data: stages.map(({ size, requests }) => [size, requests.get(name)?.units]),
    })),
  })
  const svg = drawing.renderToSVGString()
  drawing.dispose()
  return `${svg}\n`
}

/** Dark enough to be read as text, and no two alike next to each other. */
const COLORS = ['#1d4ed8', '#b45309', '#047857', '#be123c', '#6d28d9', '#0e7490', '#4d7c0f', '#a21caf', '#334155']
