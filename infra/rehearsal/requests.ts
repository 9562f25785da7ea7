/** Requests of a rehearsal that only API Gateway and CloudFront can answer. Each returns what it saw. */
import { askAt, expectPage, listed, WrongAnswer } from '../../probe/probe.ts'
import { CACHE_KEY_HEADER } from '../page/edgeFunctions.ts'
import type { Stage } from './stage.ts'

const ORIGIN = { origin: 'https://example.com' }

/** No joke has this id, which is no hash. */
const UNKNOWN = '-'.repeat(22)

/** CloudFront has several caches at each of its places, so that the second request may be the first of another one. */
const REPEATED = 10

/** CORS, text, random orders and 404, as API Gateway and the functions answer them. */
export async function tryApi(url: string): Promise<string> {
  await expectAnswers(url)
  const nothing = await ask(url, 'nothing')
  expect(nothing.status === 404 && nothing.body.includes('"message":"Not Found"'), `/nothing got ${nothing.body}.`)
  return 'CORS, text/plain, random orders and 404 are right.'
}

/** Page, reference and 404; what CloudFront's cache answers. */
export async function tryPage(url: string): Promise<string> {
  await expectPage(url)
  const [reference, nothing] = [await ask(url, 'docs'), await ask(url, 'nothing')]
  expect(reference.status === 200 && /<title>API reference/.test(reference.body), `/docs got ${reference.status}.`)
  expect(nothing.status === 404 && nothing.body.includes('<!doctype html>'), `/nothing got ${nothing.status}.`)
  await expectAnswers(url)
  const listings = await cacheResults(url, 'joke?numberofJokes=3')
  expect(listings.includes('Hit'), `No listing came from the cache: ${listings}.`)
  const random = await cacheResults(url, 'joke?sortBy=random')
  expect(!random.includes('Hit'), `A random order came from the cache: ${random}.`)
  return `Page, reference, 404, CORS, formats and random orders are right. Listings: ${listings}. Random orders: ${random}.`
}

/** Each function at the edge, on events whose answers tell that it works. */
export async function tryEdgeFunctions(stage: Stage): Promise<string> {
  const seen: string[] = []
  for (const { name, request, expected } of EVENTS) {
    const defaults = { method: 'GET', uri: '/joke', querystring: {}, headers: {}, cookies: {} }
    const head = { version: '1.0', context: { requestId: 'rehearsal' }, viewer: { ip: '203.0.113.7' } }
    const event = Buffer.from(JSON.stringify({ ...head, request: { ...defaults, ...request } })).toString('base64')
    const edge = `--stage LIVE --name ${await stage.output(`${name}Function`, stage.page)}`
    const version = await stage.aws(`cloudfront describe-function ${edge} --query ETag`)
    const test = `cloudfront test-function ${edge} --if-match ${version} --cli-binary-format base64`
    const query = 'TestResult.[ComputeUtilization,FunctionErrorMessage,FunctionOutput]'
    const result = await stage.aws(`${test} --event-object ${event} --query ${query}`)
    expect(expected.test(result.replaceAll(/\s/g, '')), `${name} did not answer ${expected}: ${result}`)
    seen.push(`${name} ${result.split('\t', 1)[0]} %`)
  }
  return `All answers are right. Of the time that CloudFront allows, they took: ${seen.join(', ')}.`
}

/** A body that API Gateway takes, but Lambda does not. */
export async function tryLargeBody(url: string): Promise<string> {
  const body = JSON.stringify({ joke: 'a'.repeat(7_000_000), category: 'Classic' })
  const response = await ask(url, 'joke', { method: 'POST', body })
  const seen = `It got ${response.status}: ${response.body}`
  expect(response.status >= 500, seen)
  return seen
}

/** Sends forty upvotes at once until some are refused. Returns undefined if none was. */
export async function tryThrottle(url: string): Promise<string | undefined> {
  const upvotes = Array.from({ length: 40 }, () => ask(url, `thumbsUp/${UNKNOWN}`, { method: 'POST' }))
  const refused = (await Promise.all(upvotes)).filter(({ status }) => status === 429)
  return refused[0] && `of ${upvotes.length} at once, ${refused.length} got 429: ${refused[0].body}`
}

/** A request of each function, and what is in the answer, without white space. */
const EVENTS = [
  { name: 'FindDocs', request: { uri: '/nothing' }, expected: /"statusCode":404/ },
  {
    name: 'TellApart',
    request: { querystring: { sortBy: { value: 'random' } }, headers: { accept: { value: 'text/plain' } } },
    expected: new RegExp(`^(?=.*"${CACHE_KEY_HEADER}":\\{"value":"(?!no"))(?=.*"accept":\\{"value":"text/plain")`),
  },
]

async function expectAnswers(url: string): Promise<void> {
  const preflight = { method: 'OPTIONS', headers: { ...ORIGIN, 'access-control-request-method': 'POST' } }
  const { status, headers } = await ask(url, 'joke', preflight)
  expect(status < 300 && headers.get('access-control-allow-methods')?.includes('POST'), `The preflight got ${status}.`)
  for (const accept of ['text/plain', 'application/json', 'text/plain']) {
    const { headers } = await ask(url, 'joke', { headers: { ...ORIGIN, accept } })
    expect(headers.get('content-type')?.startsWith(accept), `${accept} got ${headers.get('content-type')}.`)
    expect(headers.get('access-control-allow-origin') === '*', 'A listing has no access-control-allow-origin.')
    expect(headers.get('access-control-expose-headers')?.includes('link'), 'Scripts cannot read the header Link.')
  }
  const orders = [await listed(askAt(url), { sortBy: 'random' }), await listed(askAt(url), { sortBy: 'random' })]
  const [first, second] = orders.map((jokes) => jokes.map(({ id }) => id).join())
  expect(first !== second, 'Two random orders are the same.')
}

/** What CloudFront says about its cache, such as `Miss, Hit, Hit`. */
async function cacheResults(url: string, path: string): Promise<string> {
  const results: (string | undefined)[] = []
  for (let count = 0; count < REPEATED; count++)
    results.push((await ask(url, path)).headers.get('x-cache')?.split(' ')[0])
  return results.join(', ')
}

async function ask(url: string, path: string, init: RequestInit = {}) {
  const response = await fetch(new URL(path, url), { ...init, signal: AbortSignal.timeout(60_000) })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

function expect(condition: boolean | undefined, otherwise: string): void {
  if (!condition) throw new WrongAnswer(otherwise)
}
