/** The costs that the documents state, computed from prices, measured units, settings and templates. */
import { readFileSync } from 'node:fs'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { FUNCTION_NAMES, type FunctionName, routeKeyOf } from '../../infra/routes.ts'
import { rateOf } from '../../infra/service/jokeApi.ts'
import { LIMITS, WORST_CASE_UNITS } from '../../shared/store/limits.ts'
import { settingsOf } from '../support/app.ts'
import { tableAfter } from '../support/markdown.ts'
import { pageTemplate, propertiesOf, serviceTemplate } from '../support/templates.ts'

/** Kinds of requests, their row in docs/measurements.md, the type of its units, and the kilobytes of a response. */
const KINDS: [label: string, row: string, units: 'read' | 'write', kilobytes: number][] = [
  ['listings, 25 jokes', 'list, the newest', 'read', 6],
  ['listings of a category', 'list, one category', 'read', 6],
  ['searches that find 3', 'search, 3 found', 'read', 0.7],
  ['searches that find 30', 'search, 30 found', 'read', 6],
  ['searches for a very common word', 'search, 4 in 5 match', 'read', 6],
  ['searches by upvotes that find 300', 'search by thumbsUp, 300 found', 'read', 6],
  ['random orders, 25 jokes', 'random', 'read', 6],
  ['upvotes', 'upvote', 'write', 0.3],
  ['new jokes', 'create', 'write', 0.3],
]

const MILLION = 1_000_000
const GB = 1_000_000_000
const SECONDS_A_DAY = 86_400

/** The most that one request takes, and answers in bytes of jokes: one joke has at most 8 kB. */
const PER_REQUEST = {
  Create: { units: WORST_CASE_UNITS.createdWrites, kind: 'write units', bytes: 8_000 },
  List: { units: WORST_CASE_UNITS.read, kind: 'read units', bytes: LIMITS.pageBytes },
  ThumbsUp: { units: WORST_CASE_UNITS.upvoteWrites, kind: 'write units', bytes: 8_000 },
} as const

const costs = readFileSync('docs/measurements.md', 'utf8')
const readme = readFileSync('README.md', 'utf8')
const price = Object.fromEntries(tableAfter(costs, '### Prices').map(([name, dollars]) => [name, Number(dollars)]))
const units = Object.fromEntries(
  tableAfter(costs, '### Each request').map(([row, ...cells]) => [
    row,
    // Units come first, calls and jokes follow.
    Math.max(...cells.map((cell) => Number.parseFloat(cell)).filter(Number.isFinite)),
  ]),
)

const of = (name: string) => price[name] ?? Number.NaN
const count = (number: number) => number.toLocaleString('en')
const dollars = (sum: number) => `$${sum.toFixed(2)}`
const whole = (sum: number) => `$${count(Math.round(sum))}`

const settings = settingsOf({})
const service = serviceTemplate()
const page = pageTemplate()
type Properties = ReturnType<typeof propertiesOf>[number]

it('docs/measurements.md and README.md state what a million requests cost', () => {
  const all: Record<string, string> = {}
  const rows = KINDS.map(([label, row, kind, kilobytes]) => {
    const each = units[row] ?? Number.NaN
    const database = each * of(`${kind} units`)
    const transfer = (kilobytes * 1_000 * MILLION * of('transfer out')) / GB
    all[label] = dollars(perMillion(0.02) + database + transfer)
    return [label, `${each} ${kind}`, dollars(database), dollars(transfer), all[label]]
  })
  expect(tableAfter(costs, '### A million requests')).toEqual(rows)
  expect(readme).toContain(
    `listings cost ${all['listings, 25 jokes']}, a million upvotes ${all.upvotes}, a million new jokes ${all['new jokes']}.`,
  )
})

it('docs/measurements.md states what a month without traffic costs', () => {
  const rows: [string, number][] = []
  for (const [name, template] of Object.entries({ service, 'page stack': page })) {
    const metrics = alarmMetrics(template)
    rows.push([`alarms of the ${name}, ${metrics} metrics`, metrics * of('alarm metrics')])
    rows.push([`dashboard of the ${name}`, of('dashboards')])
  }
  const rules = propertiesOf(page, 'AWS::WAFv2::WebACL').flatMap(({ Rules }) => Rules).length
  rows.push([`firewall, ${rules} rules`, of('firewall') + rules * of('firewall rules')])
  expect(tableAfter(costs, '### A month without traffic')).toEqual(rows.map(([what, sum]) => [what, dollars(sum)]))
  const custom = 6 * FUNCTION_NAMES.length + propertiesOf(service, 'AWS::Logs::MetricFilter').length
  expect(costs).toContain(`${custom} custom metrics add at most ${dollars(custom * of('custom metrics'))}`)
})

it('docs/measurements.md, README.md and docs/operations.md state what the most expensive day costs', () => {
  const { addRate, listRate, upvoteRate } = settings
  const daily = (perSecond: number) => (perSecond * SECONDS_A_DAY) / MILLION
  const rate = (name: FunctionName) => rateOf(name, settings)
  const total = (of: (name: FunctionName) => number) => FUNCTION_NAMES.reduce((sum, name) => sum + of(name), 0)
  const rows = FUNCTION_NAMES.map((name): [string, number] => {
    const { units, kind } = PER_REQUEST[name]
    const what = `${rate(name)} × ${units} ${kind} a second, \`${routeKeyOf(name)}\``
    return [what, daily(rate(name) * units) * of(kind)]
  })
  const requests = total(rate)
  const sent = total((name) => rate(name) * PER_REQUEST[name].bytes) * SECONDS_A_DAY
  rows.push([`${requests} requests a second`, daily(requests) * perMillion(0.1)])
  // HTTP APIs are billed by 512 kB. Lambda takes no larger bodies, so larger ones cost nothing behind the API.
  const more = Math.ceil(4_500 / 512) - 1
  rows.push([`${requests} × ${more} more, for bodies of 4.5 MB`, daily(requests * more) * of('HTTP API')])
  rows.push([`${Math.round(sent / GB)} GB sent out`, (sent / GB) * of('transfer out')])
  const all = rows.reduce((sum, [, each]) => sum + each, 0)
  rows.push(['in all', all])
  expect(tableAfter(costs, '### The most expensive day')).toEqual(rows.map(([what, sum]) => [what, whole(sum)]))
  expect(readme).toContain(`about ${whole(all)} a day`)
  expect(readFileSync('docs/operations.md', 'utf8')).toContain(`${whole(all)} with the defaults`)
  expect(readme).toContain(`they allow ${listRate} listings, ${upvoteRate} upvotes and ${addRate} new jokes a second`)
  expect(all).toBeLessThanOrEqual(350)
})

it('docs/measurements.md states what one address can cost through CloudFront, and what refused requests can', () => {
  const limits = propertiesOf(page, 'AWS::WAFv2::WebACL')[0].Rules.flatMap(
    ({ Statement }: Properties) => Statement.RateBasedStatement?.Limit ?? [],
  )
  const [requests = 0, , heavy = 0] = limits.map((limit: number) => (limit / 300) * SECONDS_A_DAY)
  const ofCloudFront = of('CloudFront requests') + of('CloudFront functions') + of('firewall requests')
  const sent = (number: number, kilobytes: number) => ((number * kilobytes * 1_000) / GB) * of('CloudFront transfer')
  const line = 400
  const refused = (perSecond: number) => ((perSecond * SECONDS_A_DAY * line) / GB) * of('logs')
  expect(tableAfter(costs, '### The page, and requests that are refused')).toEqual([
    [`${count(requests)} requests through CloudFront`, whole((requests / MILLION) * ofCloudFront)],
    [`answers of ${LIMITS.pageBytes / 1_000} kB to all of them`, whole(sent(requests, LIMITS.pageBytes / 1_000))],
    [`${count(heavy)} times the largest file of the API reference, 460 kB`, whole(sent(heavy, 460))],
    ['a million requests that the firewall blocks', dollars(ofCloudFront - of('CloudFront functions'))],
    ['2,500 requests a second that API Gateway refuses, their log lines', whole(refused(2_500))],
    ['10,000 a second', whole(refused(10_000))],
  ])
})

/** Dollars for a million requests, apart from DynamoDB and transfer. */
function perMillion(seconds: number): number {
  const logs = ((MILLION * 1_000) / GB) * of('logs')
  return of('HTTP API') + of('function calls') + seconds * MILLION * of('function time') + logs
}

function alarmMetrics(template: Template): number {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')
  const metrics = alarms.flatMap((alarm) => alarm.Metrics ?? [{ MetricStat: alarm }])
  return metrics.filter(({ MetricStat }) => MetricStat).length
}
