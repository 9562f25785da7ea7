/** `npm run smoke -- URL [--write]`: checks whether a deployed service works. */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { messageOf } from '../shared/causes.ts'
import { Joke } from '../shared/joke.ts'
import { MAX_COUNT } from '../shared/listing.ts'
import { removeJoke } from '../shared/store/removal.ts'
import type { Store } from '../shared/store/store.ts'
import { searchWordsOf } from '../shared/words.ts'
import { chooseStore, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { CannotContinue, onlyArgument, runCommand, WrongUsage } from './commandLine.ts'
import { parseServiceUrl } from './send.ts'

const USAGE = `Usage: npm run smoke -- URL [--write [--stack NAME | --local]]

Checks whether a deployed service works: lists jokes, searches, gets a joke by its id.

URL            the service: the output ApiUrl of its stack, for example
--write        also adds a joke, finds it, upvotes it, and says how to remove it
${STORE_USAGE}
               Either one removes the joke again.`

/** Longer than a cold start and the slowest search. */
const TIMEOUT_MS = 10_000

/** A new joke may be missing from searches for some milliseconds. */
const ATTEMPTS = 10
const WAIT_MS = 200

await runCommand(
  USAGE,
  { write: { type: 'boolean', default: false }, ...STORE_OPTIONS },
  async ({ values, positionals }) => {
    const url = parseServiceUrl(onlyArgument(positionals, 'Name one service.'))
    const isStoreNamed = values.local || values.stack !== undefined
    if (isStoreNamed && !values.write) throw new WrongUsage('Without --write, there is nothing to remove.')
    const [store] = isStoreNamed ? await chooseStore(values) : []
    await read(url)
    if (values.write) await write(url, store)
  },
)

async function read(url: string): Promise<void> {
  const jokes = await list(url, {})
  console.log('It lists jokes.')
  // Anybody may have added a joke such as "?!?!", which no search finds.
  const joke = jokes.find((each) => searchWordsOf(searchStringOf(each)).length > 0)
  if (joke === undefined) return console.log('No jokes with words yet, so there is nothing to search for.')
  const searchString = searchStringOf(joke)
  await expectListed(url, { searchString, numberofJokes: String(MAX_COUNT) }, joke)
  console.log('It finds a joke by its words.')
  await expectListed(url, { id: joke.id }, joke)
  console.log('It finds a joke by its id.')
}

/** The last word may be cut off: a search finds words by how they begin. */
function searchStringOf({ joke }: Joke): string {
  return joke.slice(0, 100).toWellFormed()
}

async function write(url: string, store: Store | undefined): Promise<void> {
  const text = `Is this service working? ${randomUUID()}`
  const body = JSON.stringify({ joke: text, punchline: 'This joke says so.', category: 'Classic' })
  const added = parse(Joke, await ask(url, 'joke', 201, { method: 'POST', body }))
  console.log('It adds a joke.')
  await expectFound(url, added)
  console.log('It finds the new joke by its words.')
  const upvoted = parse(Joke, await ask(url, `thumbsUp/${added.id}`, 200, { method: 'POST' }))
  if (upvoted.thumbsUp !== 1) throw new CannotContinue(`After one upvote, the joke has ${upvoted.thumbsUp}.`)
  console.log('It counts an upvote.')
  if (store === undefined)
    return console.log(
      `To remove the joke: npm run remove -- ${added.id} --stack NAME; for npm start, --local instead.`,
    )
  await removeJoke(store, added.id)
  console.log('The joke is removed again.')
}

async function expectFound(url: string, joke: Joke): Promise<void> {
  const searchString = searchStringOf(joke)
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    if ((await list(url, { searchString })).some(({ id }) => id === joke.id)) return
    await setTimeout(WAIT_MS)
  }
  await expectListed(url, { searchString }, joke)
}

async function expectListed(url: string, query: Record<string, string>, joke: Joke): Promise<void> {
  const jokes = await list(url, query)
  if (!jokes.some(({ id }) => id === joke.id))
    throw new CannotContinue(`GET /joke?${new URLSearchParams(query)} does not list the joke ${joke.id}.`)
}

async function list(url: string, query: Record<string, string>): Promise<Joke[]> {
  return parse(v.array(Joke), await ask(url, `joke?${new URLSearchParams(query)}`, 200))
}

/** Sends a request, and returns the JSON of its response. */
async function ask(url: string, path: string, status: number, init: RequestInit = {}): Promise<unknown> {
  const address = `${url}/${path}`
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new CannotContinue(`${address} does not answer: ${messageOf(error)}.`)
  })
  const text = await response.text()
  if (response.status !== status)
    throw new CannotContinue(`${address} answers ${response.status} instead of ${status}: ${text}`)
  try {
    return JSON.parse(text)
  } catch {
    throw new CannotContinue(`${address} does not answer with JSON: ${text.slice(0, 100)}`)
  }
}

/** Checks the body of a response against the service's own schema. */
function parse<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body)
  if (result.success) return result.output
  throw new CannotContinue(`An answer has the wrong shape: ${JSON.stringify(v.flatten(result.issues))}`)
}
