/** `npm run smoke -- URL [--write]`: sees whether a service that was just deployed does its work. */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { Joke } from '../shared/joke.ts'
import { addressOf } from './send.ts'

const USAGE = `Usage: npm run smoke -- URL [--write]

URL       the service, such as the output ApiUrl of its stack
--write   adds a joke, upvotes it, and says how to remove it`

/** Longer than a cold start and the slowest search. */
const TIMEOUT_MS = 10_000

try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } })
  const [url] = positionals
  if (url === undefined || positionals.length > 1) throw new Error(USAGE)
  await read(url)
  if (values.write) await write(url)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

async function read(url: string): Promise<void> {
  const [joke] = await list(url, {})
  console.log('It lists jokes.')
  if (joke === undefined) return console.log('There are none yet, so there is nothing to search for.')
  // The start of its lead-in, the last word of which may be cut: a search takes beginnings of words.
  const searchString = joke.joke.slice(0, 100).toWellFormed()
  await expectListed(url, { searchString, numberofJokes: '250' }, joke)
  console.log('It finds a joke by its words.')
  await expectListed(url, { id: joke.id }, joke)
  console.log('It finds a joke by its id.')
}

async function write(url: string): Promise<void> {
  const text = `Is this service working? ${randomUUID()}`
  const body = JSON.stringify({ joke: text, punchline: 'This joke says so.', category: 'Classic' })
  const added = v.parse(Joke, await ask(addressOf(url, 'joke'), 201, { method: 'POST', body }))
  console.log(`It adds a joke. To remove it: npm run remove -- ${added.id}`)
  const upvoted = v.parse(Joke, await ask(addressOf(url, `thumbsUp/${added.id}`), 200, { method: 'POST' }))
  if (upvoted.thumbsUp !== 1) throw new Error(`After one upvote, the joke has ${upvoted.thumbsUp}.`)
  console.log('It counts an upvote.')
}

async function expectListed(url: string, query: Record<string, string>, joke: Joke): Promise<void> {
  const jokes = await list(url, query)
  if (!jokes.some(({ id }) => id === joke.id))
    throw new Error(`GET /joke?${new URLSearchParams(query)} does not hold the joke ${joke.id}.`)
}

async function list(url: string, query: Record<string, string>): Promise<Joke[]> {
  return v.parse(v.array(Joke), await ask(addressOf(url, `joke?${new URLSearchParams(query)}`), 200))
}

/** The body of an answer that must have this status. */
async function ask(address: URL, status: number, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new Error(`${address} does not answer: ${error.cause?.message ?? error.message}`)
  })
  const text = await answer.text()
  if (answer.status !== status) throw new Error(`${address} answers ${answer.status}, not ${status}: ${text}`)
  return JSON.parse(text)
}
