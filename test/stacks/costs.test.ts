/** The cost of a flood in a day, computed from prices, settings and the limits of requests. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FUNCTION_NAMES, type FunctionName, routeKeyOf } from '../../infra/routes.ts'
import { rateOf } from '../../infra/service/jokeApi.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { settingsOf } from '../support/app.ts'
import { WORST_CASE_UNITS } from '../support/longestJokes.ts'
import { tableAfter } from '../support/markdown.ts'

const MILLION = 1_000_000
const GB = 1_000_000_000
const SECONDS_A_DAY = 86_400

/** Assumptions about a request that reads as much as it may. */
const SECONDS_EACH = 0.1
const LOG_BYTES_EACH = 1_000

/** The maximum units and response of a request. A joke has at most 8 kB. */
const PER_REQUEST = {
  Create: { units: WORST_CASE_UNITS.createdWrites, kind: 'write units', bytes: 8_000 },
  List: { units: WORST_CASE_UNITS.read, kind: 'read units', bytes: LIMITS.pageBytes },
  ThumbsUp: { units: WORST_CASE_UNITS.upvoteWrites, kind: 'write units', bytes: 8_000 },
} as const

it('the most expensive day costs the documented sum of at most $350', () => {
  const costs = readFileSync('docs/costs.md', 'utf8')
  const prices = new Map(tableAfter(costs, '## Prices').map(([name, dollars]) => [name, Number(dollars)]))
  const priceOf = (name: string) => prices.get(name) ?? Number.NaN
  const settings = settingsOf({})
  const rate = (name: FunctionName) => rateOf(name, settings)
  const total = (get: (name: FunctionName) => number) => FUNCTION_NAMES.reduce((sum, name) => sum + get(name), 0)
  const millionsADay = (perSecond: number) => (perSecond * SECONDS_A_DAY) / MILLION

  const rows = FUNCTION_NAMES.map((name): [string, number] => {
    const { units, kind } = PER_REQUEST[name]
    const what = `${rate(name)} × ${units} ${kind} a second, \`${routeKeyOf(name)}\``
    return [what, millionsADay(rate(name) * units) * priceOf(kind)]
  })
  const requests = total(rate)
  const perMillion =
    priceOf('HTTP API') +
    priceOf('function calls') +
    SECONDS_EACH * MILLION * priceOf('function time') +
    ((LOG_BYTES_EACH * MILLION) / GB) * priceOf('logs')
  rows.push([`${requests} requests a second`, millionsADay(requests) * perMillion])
  // HTTP APIs are billed by 512 kB. Lambda takes no larger bodies, so larger ones cost nothing behind the API.
  const more = Math.ceil(4_500 / 512) - 1
  rows.push([`${requests} × ${more} more, for bodies of 4.5 MB`, millionsADay(requests * more) * priceOf('HTTP API')])
  const sent = (total((name) => rate(name) * PER_REQUEST[name].bytes) * SECONDS_A_DAY) / GB
  rows.push([`${Math.round(sent)} GB sent out`, sent * priceOf('transfer out')])
  const all = rows.reduce((sum, [, cost]) => sum + cost, 0)
  rows.push(['in all', all])

  const documented = tableAfter(costs, '## The most expensive day')
  expect(documented).toEqual(rows.map(([what, sum]) => [what, `$${Math.round(sum)}`]))
  expect(readFileSync('README.md', 'utf8')).toContain(`the most expensive day costs $${Math.round(all)}`)
  expect(all).toBeLessThanOrEqual(350)
})
