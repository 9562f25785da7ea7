/** Requests of a rehearsal that only API Gateway and CloudFront can answer. Each returns what it saw. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answer, askAt, expectPage, listed, parse, WrongAnswer } from '../../probe/probe.ts'
import { Joke } from '../../shared/joke.ts'
import { CACHE_KEY_HEADER } from '../page/edgeFunctions.ts'
import type { Stage } from './stage.ts'

const ORIGIN = { origin: 'https://example.com' }

/** No joke has this id, which is no hash. */
const UNKNOWN = '-'.repeat(22)

/** CloudFront has several caches at each of its places, so that the second request may be the first of another one. */
const REPEATED = 10

/** CORS, text, random orders and 404, as API Gateway and the functions answer them. */
export async function tryApi(url: string): Promise<string> {
  const preflight = { method: 'OPTIONS', headers: { ...ORIGIN, 'access-control-request-method': 'POST' } }
  const { status, headers } = await ask(url, 'joke', preflight)
  expect(status < 300 && headers.get('access-control-allow-methods')?.includes('POST'), `The preflight got ${status}.`)
  await expectFormats(url)
  await expectRandom(url)
  const nothing = await ask(url, 'nothing')
  expect(nothing.status === 404 && nothing.body.includes('"message":"Not Found"'), `/nothing got ${nothing.body}.`)
  return `The preflight got ${status}; CORS, text/plain, random orders and 404 are right.`
}

/** Page, reference and 404; the API through CloudFront and its cache. */
export async function tryPage(url: string): Promise<string> {
  await expectPage(url)
  const [reference, nothing] = [await ask(url, 'docs'), await ask(url, 'nothing')]
  expect(reference.status === 200 && /<title>API reference/.test(reference.body), `/docs got ${reference.status}.`)
  expect(nothing.status === 404 && nothing.body.includes('<!doctype html>'), `/nothing got ${nothing.status}.`)
  await expectFormats(url)
  await expectRandom(url)
  const added = parse(Joke, await answer(askAt(url), { routeKey: 'POST /joke', body: newJoke() }, 201))
  const upvote = { routeKey: 'POST /thumbsUp/{id}', id: added.id } as const
  const { thumbsUp } = parse(Joke, await answer(askAt(url), upvote, 200))
  expect(thumbsUp === 1, `After one upvote, the joke has ${thumbsUp}.`)
  const listings = await cacheResults(url, 'joke?numberofJokes=3')
  expect(listings.includes('Hit'), `No listing came from the cache: ${listings}.`)
  const random = await cacheResults(url, 'joke?sortBy=random')
  expect(!random.includes('Hit'), `A random order came from the cache: ${random}.`)
  return `Page, reference, 404, CORS and formats are right. Listings: ${listings}. Random orders: ${random}.`
}

/** Each function at the edge, on events whose answers tell that it works. */
export async function tryEdgeFunctions(stage: Stage): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'))
  const file = join(folder, 'event.json')
  const seen: string[] = []
  try {
    for (const { name, request, expected } of EVENTS) {
      const event = { version: '1.0', context: { requestId: 'rehearsal' }, viewer: { ip: '203.0.113.7' } }
      const defaults = { method: 'GET', uri: '/joke', querystring: {}, headers: {}, cookies: {} }
      writeFileSync(file, JSON.stringify({ ...event, request: { ...defaults, ...request } }))
      const edge = `--stage LIVE --name ${await stage.output(`${name}Function`, stage.page)}`
      const version = await stage.aws(`cloudfront describe-function ${edge} --query ETag`)
      const query = 'TestResult.[ComputeUtilization,FunctionErrorMessage,FunctionOutput]'
      const result = await stage.aws(
        `cloudfront test-function ${edge} --if-match ${version} --event-object fileb://${file} --query ${query}`,
      )
      expect(expected.test(result.replaceAll(/\s/g, '')), `${name} did not answer ${expected}: ${result}`)
      seen.push(`${name} ${result.split('\t', 1)[0]} %`)
    }
  } finally {
    rmSync(folder, { recursive: true })
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

interface EdgeEvent {
  name: 'FindDocs' | 'TellApart'
  request: object
  /** In the answer, without white space. */
  expected: RegExp
}

const EVENTS: EdgeEvent[] = [
  { name: 'FindDocs', request: { uri: '/docs' }, expected: /"uri":"\/docs\/index\.html"/ },
  { name: 'FindDocs', request: { uri: '/nothing' }, expected: /"statusCode":404/ },
  {
    name: 'TellApart',
    request: { querystring: { sortBy: { value: 'random' } } },
    expected: new RegExp(`"${CACHE_KEY_HEADER}":\\{"value":"(?!no")`),
  },
  {
    name: 'TellApart',
    request: { headers: { accept: { value: 'text/plain' } } },
    expected: /"accept":\{"value":"text\/plain"/,
  },
]

async function expectFormats(url: string): Promise<void> {
  for (const accept of ['text/plain', 'application/json', 'text/plain']) {
    const { headers } = await ask(url, 'joke', { headers: { ...ORIGIN, accept } })
    expect(headers.get('content-type')?.startsWith(accept), `${accept} got ${headers.get('content-type')}.`)
    expect(headers.get('access-control-allow-origin') === '*', 'A listing has no access-control-allow-origin.')
    expect(headers.get('access-control-expose-headers')?.includes('link'), 'Scripts cannot read the header Link.')
  }
}

async function expectRandom(url: string): Promise<void> {
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

function newJoke(): string {
  return JSON.stringify({ joke: `Does CloudFront pass this on? ${randomUUID()}`, category: 'Classic' })
}

async function ask(url: string, path: string, init: RequestInit = {}) {
  const response = await fetch(new URL(path, url), { ...init, signal: AbortSignal.timeout(60_000) })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

function expect(condition: boolean | undefined, otherwise: string): void {
  if (!condition) throw new WrongAnswer(otherwise)
}
