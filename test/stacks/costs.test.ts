/** The cost of a flood in a day, computed from prices, settings and the limits of requests. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { FUNCTION_LIMITS, ROUTE_NAMES, ROUTES, type RouteName } from '../../infra/routes.ts'
import { rateOf } from '../../infra/service/jokeApi.ts'
import { MAX_IDS, MAX_PAGE_BYTES, MAX_TEXT_LENGTH } from '../../shared/clientLimits.ts'
import { QUALITY } from '../../shared/site.ts'
import { CACHE } from '../../shared/store/limits.ts'
import { encodedSite } from '../../web/site.ts'
import { settingsOf } from '../support/app.ts'
import { tableAfter } from '../support/markdown.ts'
import { unitsFor } from '../support/meter.ts'
import { numberedJoke } from '../support/numberedJoke.ts'

const MILLION = 1_000_000
const GB = 1_000_000_000
const SECONDS_A_DAY = 86_400

/** Assumptions about a request. */
const SECONDS_EACH = 0.1
const LOG_BYTES_EACH = 1_000

/** HTTP APIs are billed by 512 kB. Lambda takes no larger bodies than 6 MB, so larger ones cost nothing behind the API. */
const MORE_FOR_BODY = Math.ceil(6_000 / 512) - 1

/** The longest joke: two texts of characters that take three bytes each. */
const LONGEST = { joke: '字'.repeat(MAX_TEXT_LENGTH), punchline: '字'.repeat(MAX_TEXT_LENGTH) }
const ITEM = { ...numberedJoke(0), ...LONGEST, feed: 'listed', changedAt: '2026-01-01T00:00:00.000Z' }
const ITEM_BYTES = 100 + Buffer.byteLength(JSON.stringify({ ...ITEM, rev: Date.now(), createdBy: 'x'.repeat(29) }))

/** A query reads 8 kB for a unit, and a consistent read 4 kB. */
const QUERY_BYTES = 8_192
const READ_BYTES = 4_096

it('the most expensive day costs the documented sum', async () => {
  const costs = readFileSync('docs/costs.md', 'utf8')
  const prices = new Map(tableAfter(costs, '## Prices').map(([name, dollars]) => [name, Number(dollars)]))
  const priceOf = (name: string) => prices.get(name) ?? Number.NaN
  const settings = settingsOf({})
  const rate = (name: RouteName) => rateOf(name, settings)
  const requests = ROUTE_NAMES.reduce((sum, name) => sum + rate(name), 0)
  const millionsADay = (perSecond: number) => (perSecond * SECONDS_A_DAY) / MILLION

  const { created, upvoted } = unitsFor({ ...ITEM, rev: Date.now(), createdBy: 'x'.repeat(29) })
  const written = rate('Create') * created + rate('ThumbsUp') * upvoted
  // Each listing reads the changes of the last two seconds again, or 25 jokes by their ids.
  const changes = rate('Create') + rate('ThumbsUp')
  const refreshed = 1 + (changes * (CACHE.rereadMs / 1_000) * ITEM_BYTES) / QUERY_BYTES
  const byId = MAX_IDS * Math.ceil(ITEM_BYTES / READ_BYTES)
  // Each container reads the changes of some minutes once a minute.
  const listings = rate('List') + rate('ListHead')
  const containers = listings * SECONDS_EACH
  const lateSeconds = (CACHE.lateMs + CACHE.lateEveryMs) / CACHE.lateEveryMs
  const late = (containers * lateSeconds * changes * ITEM_BYTES) / QUERY_BYTES
  // Each preview reads a joke.
  const previews = (rate('Page') + rate('PageHead')) * Math.ceil(ITEM_BYTES / READ_BYTES)
  const read = Math.ceil(listings * Math.max(refreshed, byId) + late + previews)
  const perMillion =
    priceOf('HTTP API') + priceOf('function calls') + ((LOG_BYTES_EACH * MILLION) / GB) * priceOf('logs')
  const gbSeconds = ROUTE_NAMES.reduce(
    (sum, name) => sum + rate(name) * SECONDS_EACH * (FUNCTION_LIMITS[ROUTES[name].target].memoryMb / 1_024),
    0,
  )
  const { html, files } = await encodedSite(undefined, QUALITY.fast)
  const sizes = Object.values(files).map(({ fallback }) => Buffer.from(fallback.base64, 'base64').length)
  const page = rate('Page') * (html.length + ITEM_BYTES) + rate('File') * Math.max(...sizes)
  const sent = ((rate('List') * MAX_PAGE_BYTES + changes * ITEM_BYTES + page) * SECONDS_A_DAY) / GB
  const dollars = [
    millionsADay(written) * priceOf('write units'),
    millionsADay(read) * priceOf('read units'),
    millionsADay(requests) * perMillion + millionsADay(gbSeconds) * MILLION * priceOf('function time'),
    millionsADay(requests * MORE_FOR_BODY) * priceOf('HTTP API'),
    sent * priceOf('transfer out'),
  ].map(Math.round)
  const all = dollars.reduce((sum, cost) => sum + cost, 0)

  const documented = tableAfter(costs, '## The most expensive day').map(([, sum]) => sum)
  expect(documented).toEqual([...dollars, all].map((sum) => `$${sum}`))
})
