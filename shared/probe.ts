/** Sends the service requests that change nothing, and checks the answers, for the probe and for `bin/jokes smoke`. */
import * as v from 'valibot'
import { messageOf } from './causes.ts'
import { MAX_COUNT } from './clientLimits.ts'
import { identify, JokeInput, StoredJoke } from './joke.ts'
import { isFoundIn, needlesOf, searchTextOf } from './words.ts'

export interface Question {
  /** API Gateway's name for the route. */
  routeKey: 'GET /' | 'GET /joke' | 'POST /joke' | 'POST /thumbsUp/{id}'
  query?: Record<string, string>
  id?: string
  body?: string
}

export type Ask = (question: Question) => Promise<{ status: number; body: string }>

/** The service gave a wrong answer or none. The message names the request. */
export class WrongAnswer extends Error {
  override name = 'WrongAnswer'
}

/** Among so many listed jokes, some are not corrected. Their texts give their ids, unless that code has changed. */
const ENOUGH_JOKES = 10

/** The search by votes. Its page is the largest, because any number of jokes may have the same votes. */
const BY_VOTES = { sortBy: 'thumbsUp', numberofJokes: `${MAX_COUNT}` }

/**
 * Opens the page. Then it lists, searches and draws jokes, adds a joke that exists, and checks that texts still give their
 * ids. Without jokes, it can only open the page, list and upvote.
 *
 * @param log called with a line for each answer that was right
 * @throws {WrongAnswer}
 */
export async function probe(ask: Ask, log: (line: string) => void = () => {}): Promise<void> {
  await expectPage(ask)
  log('The service shows its page.')
  const jokes = await listed(ask)
  log('The service lists jokes.')
  // This id is no hash, so no joke has it.
  await answer(ask, { routeKey: 'POST /thumbsUp/{id}', id: '-'.repeat(22) }, 404)
  log('The service knows which jokes do not exist.')
  if (jokes.length === 0) return log('There are no jokes yet, so there is nothing to search for.')
  if (jokes.length >= ENOUGH_JOKES && !jokes.some(keepsId))
    throw new WrongAnswer('No listed joke has the id that its text leads to, so each could be added again.')
  await expectSome(ask, { sortBy: 'random', numberofJokes: '1' })
  log('The service draws a joke at random.')
  const popular = (await expectSome(ask, { sortBy: 'thumbsUp' })).find(canBeProbed)
  log('The service lists jokes by upvotes.')
  if (popular) {
    await expectListed(ask, { ...BY_VOTES, searchString: searchStringOf(popular) }, popular)
    log('The service finds a joke by its words, sorted by upvotes.')
  }
  const joke = jokes.find(canBeProbed)
  if (joke === undefined) return log('No new joke has words, so there is nothing to search for.')
  await expectListed(ask, { searchString: searchStringOf(joke) }, joke)
  log('The service finds a joke by its words.')
  await expectListed(ask, { id: joke.id }, joke)
  log('The service finds a joke by its id.')
  await expectPage(ask, joke)
  log('The service shows a preview of a joke.')
  // Anyone can fill the throttle of this route, so that API Gateway answers 429.
  await answer(ask, { routeKey: 'POST /joke', body: inputOf(joke) }, 409, 429)
  log('The service adds no joke twice.')
}

/** Returns whether the text gives the id. The text of a corrected joke does not. */
function keepsId(joke: StoredJoke): boolean {
  return identify(joke) === joke.id
}

/** Returns whether a search finds the joke, and adding it again changes nothing. No search finds the joke "?!?!". */
function canBeProbed(joke: StoredJoke): boolean {
  return (
    isFoundIn(searchTextOf(joke), needlesOf(searchStringOf(joke))) &&
    v.is(JokeInput, JSON.parse(inputOf(joke))) &&
    keepsId(joke)
  )
}

function inputOf({ joke, punchline, category }: StoredJoke): string {
  return JSON.stringify({ joke, punchline, category })
}

/** Returns a search for a joke: its beginning, cut at white space. A cut elsewhere might make another word. */
export function searchStringOf({ joke }: StoredJoke): string {
  const [beginning = ''] = /^.{0,100}(?=\s|$)/su.exec(joke) ?? []
  return beginning
}

/** @throws {WrongAnswer} */
export async function expectListed(ask: Ask, query: Record<string, string>, { id }: StoredJoke): Promise<void> {
  const jokes = await listed(ask, query)
  if (!jokes.some((joke) => joke.id === id))
    throw new WrongAnswer(`GET /joke?${new URLSearchParams(query)} does not list the joke ${id}.`)
}

/** Lists jokes. @throws {WrongAnswer} if there are none */
async function expectSome(ask: Ask, query: Record<string, string>): Promise<StoredJoke[]> {
  const jokes = await listed(ask, query)
  if (jokes.length === 0) throw new WrongAnswer(`GET /joke?${new URLSearchParams(query)} lists no joke.`)
  return jokes
}

/** @throws {WrongAnswer} */
export async function listed(ask: Ask, query?: Record<string, string>): Promise<StoredJoke[]> {
  return parse(v.array(StoredJoke), await answer(ask, { routeKey: 'GET /joke', ...(query && { query }) }, 200))
}

/** Opens the page, or that of a joke, whose address is in its preview. @throws {WrongAnswer} */
async function expectPage(ask: Ask, joke?: StoredJoke): Promise<void> {
  const question: Question = { routeKey: 'GET /', ...(joke && { query: { id: joke.id } }) }
  const html = await textOf(ask, question, 200)
  if (!/<main\b/.test(html)) throw new WrongAnswer(`The service answered ${nameOf(question)} without the page.`)
  if (joke && !html.includes(`/?id=${joke.id}"`))
    throw new WrongAnswer(`The service answered ${nameOf(question)} without a preview of the joke.`)
}

/**
 * Returns the JSON of an answer that must have one of some statuses.
 *
 * @throws {WrongAnswer}
 */
export async function answer(ask: Ask, question: Question, ...expected: number[]): Promise<unknown> {
  const body = await textOf(ask, question, ...expected)
  try {
    return JSON.parse(body)
  } catch {
    throw new WrongAnswer(`The service answered ${nameOf(question)} without JSON: ${body.slice(0, 100)}`)
  }
}

/** @throws {WrongAnswer} */
async function textOf(ask: Ask, question: Question, ...expected: number[]): Promise<string> {
  const asked = nameOf(question)
  const { status, body } = await ask(question).catch((error) => {
    throw new WrongAnswer(`The service did not answer ${asked}: ${messageOf(error)}.`, { cause: error })
  })
  if (!expected.includes(status))
    throw new WrongAnswer(`The service answered ${asked} with ${status} instead of ${expected.join(' or ')}: ${body}`)
  return body
}

function nameOf({ routeKey, query, id = '' }: Question): string {
  return `${routeKey.replace('{id}', id)}${query ? `?${new URLSearchParams(query)}` : ''}`
}

/**
 * Checks the body of an answer against a schema of the service.
 *
 * @throws {WrongAnswer}
 */
export function parse<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body)
  if (result.success) return result.output
  throw new WrongAnswer(`An answer has the wrong shape: ${JSON.stringify(v.flatten(result.issues))}`)
}

/** API Gateway waits as long for a function. Loading all jokes may take nearly that long. */
const TIMEOUT_MS = 30_000

/** Returns a function that sends requests to a URL. */
export function askAt(url: string): Ask {
  return async ({ routeKey, query = {}, id = '', body }) => {
    const [method = '', path = ''] = routeKey.replace('{id}', id).split(' ')
    const address = `${url.replace(/\/$/, '')}${path}?${new URLSearchParams(query)}`
    const response = await fetch(address, { method, ...(body && { body }), signal: AbortSignal.timeout(TIMEOUT_MS) })
    return { status: response.status, body: await response.text() }
  }
}
