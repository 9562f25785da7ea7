/** Tests that need AWS, on the stage that `stage.ts` has deployed. They run one after another. */
import * as v from 'valibot'
import { beforeEach, describe, expect, it } from 'vitest'
import { JokeInput, StoredJoke } from '../../shared/joke.ts'
import { addJoke } from '../../shared/store/jokes.ts'
import { chooseStore } from '../../tools/chooseStore.ts'
import sampleJokes from '../sample-jokes.json' with { type: 'json' }
import { aws, deploy, isEmulated, output, page, runbook, stack } from './stage.ts'

const [apiUrl, pageUrl] = [await output('ApiUrl'), await output('PageUrl', page)]
const store = await chooseStore({ stack })
const jokes = await Promise.all(v.parse(v.array(JokeInput), sampleJokes).map((joke) => addJoke(store, joke)))
const addedAt = Date.now()

const onlyOnAws = (lacking: string) =>
  beforeEach(({ skip }) => {
    if (isEmulated) skip(`An emulation ${lacking}.`)
  })

const POLL = { timeout: 30 * 60_000, interval: 5_000 }

const ask = (url: string, path: string, init: RequestInit = {}) => fetch(new URL(path, url), init)

describe.each([
  ['API', apiUrl],
  ['CloudFront', pageUrl],
])('requests to %s', (name, url) => {
  onlyOnAws('lets no request reach a function')

  it(`${name} passes the smoke test, including its writes`, async () => {
    expect(await runbook(`bin/jokes smoke ${url} --write --stack $stack`)).toMatch(/removed/)
  })

  it(`${name} draws two different random orders`, async () => {
    const draw = async () => v.parse(v.array(StoredJoke), await (await ask(url, 'joke?sortBy=random')).json())
    expect(await draw()).not.toEqual(await draw())
  })

  it(`${name} accepts scripts of any origin`, async () => {
    const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' }
    const preflight = await ask(url, 'joke', { method: 'OPTIONS', headers })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    const listing = await ask(url, 'joke', { headers: { origin: headers.origin } })
    expect(listing.headers.get('access-control-allow-origin')).toBe('*')
    const exposed = listing.headers.get('access-control-expose-headers')?.toLowerCase().split(/, ?/)
    expect(exposed).toEqual(expect.arrayContaining(['link', 'retry-after', 'location']))
  })

  it(`${name} answers each format that is asked for`, async () => {
    for (const accept of ['text/plain', 'application/json', 'text/plain']) {
      const { headers } = await ask(url, 'joke', { headers: { accept } })
      expect(headers.get('content-type')).toContain(accept)
    }
  })

  it.each([
    ['joke?numberofJokes=3', 'max-age=0, s-maxage=5'],
    ['joke?sortBy=random&seed=1', 'max-age=0, s-maxage=5'],
    ['joke?sortBy=random', 'no-store'],
    [`joke?id=${jokes[0]?.id}`, 'no-store'],
    ['joke?numberofJokes=none', 'no-store'],
  ])(`${name} says how long %s may be cached`, async (path, expected) => {
    expect((await ask(url, path)).headers.get('cache-control')).toBe(expected)
  })
})

describe('requests to CloudFront or API Gateway alone', () => {
  onlyOnAws('lets no request reach a function')

  /** CloudFront has several caches in each location. The second request may be the first one for its cache. */
  const cacheResults = async (path: string) => {
    const responses: Response[] = []
    for (let count = 0; count < 10; count++) responses.push(await ask(pageUrl, path))
    return responses.map(({ headers }) => headers.get('x-cache'))
  }

  it('CloudFront caches listings, except random orders without a seed', async () => {
    expect(await cacheResults('joke?numberofJokes=7')).toContain('Hit from cloudfront')
    expect(await cacheResults('joke?sortBy=random')).not.toContain('Hit from cloudfront')
  })

  it.each([
    ['', 200, '<main'],
    ['docs', 200, '<title>API reference'],
    ['nothing', 404, '<!doctype html>'],
  ])('CloudFront answers /%s with the page for %i', async (path, status, part) => {
    const response = await ask(pageUrl, path)
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(part)])
  })

  it('API Gateway answers 404 for a path without a route', async () => {
    const response = await ask(apiUrl, 'nothing')
    expect([response.status, await response.json()]).toEqual([404, { message: 'Not Found' }])
  })

  it('API Gateway refuses a body of 7 MB, which is too large for Lambda', async ({ annotate }) => {
    const body = JSON.stringify({ joke: 'a'.repeat(7_000_000), category: 'Classic' })
    const { status } = await ask(apiUrl, 'joke', { method: 'POST', body })
    await annotate(`It answers ${status}.`)
    expect([413, 500, 502, 503]).toContain(status)
  })

  it('a route above its throttle answers 429', async () => {
    await runbook("throttle 'POST /thumbsUp/{id}' 1")
    const upvote = async () => (await ask(apiUrl, `thumbsUp/${'-'.repeat(22)}`, { method: 'POST' })).status
    await expect.poll(() => Promise.all(Array.from({ length: 40 }, upvote)), POLL).toContain(429)
    await runbook('resetThrottles')
  })
})

it('a throttle set by hand affects only its route, until it is reset', async () => {
  const rates = async () => {
    const command = `apigatewayv2 get-stage --stage-name $default --api-id ${await output('ApiId')}`
    const query = '"GET /joke","POST /joke","POST /thumbsUp/{id}"'.replaceAll(/"(,|$)/g, '".ThrottlingRateLimit$1')
    return (await aws(command, `RouteSettings.[${query}]`)).split('\t').map(Number)
  }
  const before = await rates()
  await runbook("throttle 'POST /thumbsUp/{id}' 1")
  expect(await rates()).toEqual([...before.slice(0, 2), 1])
  await runbook('resetThrottles')
  expect(await rates()).toEqual(before)
})

it('a deleted joke is restored from the backup as it was', async () => {
  const describeBackups = `dynamodb describe-continuous-backups --table-name ${store.jokesTable}`
  const latest = 'ContinuousBackupsDescription.PointInTimeRecoveryDescription.LatestRestorableDateTime'
  const heldUntil = async () => Date.parse(await aws(describeBackups, latest))
  if (!isEmulated) await expect.poll(heldUntil, POLL).toBeGreaterThan(addedAt)
  const get = `dynamodb get-item --consistent-read --table-name ${store.jokesTable} --key {"id":{"S":"${jokes[0]?.id}"}}`
  const before = await aws(get, 'Item')
  expect(before).toContain(jokes[0]?.id)

  const restored = `${stack}-restored`
  await runbook(`aws dynamodb restore-table-to-point-in-time --source-table-name $JokesTable --target-table-name ${restored} \
    --use-latest-restorable-time && waitForTable ${restored}`)
  await runbook(`aws dynamodb delete-item --table-name $JokesTable --key '{"id":{"S":"${jokes[0]?.id}"}}'`)
  expect(await runbook(`missing ${restored}`)).toBe(jokes[0]?.id)
  await runbook(`bin/jokes restore --from ${restored} --missing --stack $stack`)
  expect([await aws(get, 'Item'), await runbook(`missing ${restored}`)]).toEqual([before, ''])
  await runbook(`aws dynamodb delete-table --table-name ${restored}`)
})

it('the same commit can be deployed twice', () => deploy(stack))
