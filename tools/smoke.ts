/** `npm run smoke -- URL [--write]`: sees whether a service that was just deployed does its work. */
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { Joke } from '../shared/joke.ts'
import { CannotContinue, runCommand } from './commandLine.ts'

const USAGE = `Usage: npm run smoke -- URL [--write]

Sees whether a service that was just deployed does its work: lists, searches, asks for an id.

URL       the service, such as the output ApiUrl of its stack
--write   also adds a joke, upvotes it, and says how to remove it`

/** Longer than a cold start and the slowest search. */
const TIMEOUT_MS = 10_000

await runCommand(USAGE, { write: { type: 'boolean' } }, async ({ values, positionals }) => {
  const [url] = positionals
  if (url === undefined || positionals.length > 1) throw new CannotContinue('Name one service. See --help.')
  await read(url)
  if (values.write) await write(url)
})

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
  const added = parse(Joke, await ask(url, 'joke', 201, { method: 'POST', body }))
  console.log(`It adds a joke. To remove it: npm run remove -- ${added.id}`)
  const upvoted = parse(Joke, await ask(url, `thumbsUp/${added.id}`, 200, { method: 'POST' }))
  if (upvoted.thumbsUp !== 1) throw new CannotContinue(`After one upvote, the joke has ${upvoted.thumbsUp}.`)
  console.log('It counts an upvote.')
}

async function expectListed(url: string, query: Record<string, string>, joke: Joke): Promise<void> {
  const jokes = await list(url, query)
  if (!jokes.some(({ id }) => id === joke.id))
    throw new CannotContinue(`GET /joke?${new URLSearchParams(query)} does not hold the joke ${joke.id}.`)
}

async function list(url: string, query: Record<string, string>): Promise<Joke[]> {
  return parse(v.array(Joke), await ask(url, `joke?${new URLSearchParams(query)}`, 200))
}

/** What an answer that must have this status holds. */
async function ask(url: string, path: string, status: number, init: RequestInit = {}): Promise<unknown> {
  const address = `${url.replace(/\/$/, '')}/${path}`
  const answer = await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => {
    throw new CannotContinue(`${address} does not answer: ${error.cause?.message ?? error.message}.`)
  })
  const text = await answer.text()
  if (answer.status !== status)
    throw new CannotContinue(`${address} answers ${answer.status} in place of ${status}: ${text}`)
  try {
    return JSON.parse(text)
  } catch {
    throw new CannotContinue(`${address} answers with something that is not JSON: ${text.slice(0, 100)}`)
  }
}

/** What an answer holds, as the service describes it. */
function parse<Schema extends v.GenericSchema>(schema: Schema, answer: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, answer)
  if (result.success) return result.output
  throw new CannotContinue(`An answer is not what it should be: ${JSON.stringify(v.flatten(result.issues))}`)
}
