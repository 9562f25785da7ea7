/** `bin/jokes smoke`: checks whether a service works. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { codeOf, messageOf } from '../infra/local/causes.ts'
import { readAddress, urlOf } from '../infra/local/startup.ts'
import { identify, JokeInput, StoredJoke } from '../shared/joke.ts'
import type { Store } from '../shared/store/store.ts'
import { needlesOf } from '../shared/words.ts'
import { act } from './changes.ts'
import { chooseStore } from './chooseStore.ts'
import { CannotContinue, define, WrongUsage } from './commandLine.ts'

/** API Gateway waits as long for a function. Loading all jokes may take nearly that long. */
const TIMEOUT_MS = 30_000
/** Listings may miss a new joke for some moments, and for 5 seconds if a CDN caches them. */
const FOUND_MS = 6_000
/** After a deploy, the name of a new host is known everywhere within this time. */
const NEW_NAME_MS = 60_000

export const smoke = define('smoke', 'Checks whether a service works. Without --write, it changes nothing.', [
  'smoke',
  'smoke "$ApiUrl" --write --stack JokeService-dev',
])
  .argument(
    '[url]',
    'address of the service; by default, the one that npm start runs with the same PORT and HOST. Write "$ApiUrl" with its ' +
      'quotation marks, so that an unset variable is refused',
  )
  .option('--write', 'also adds a joke, finds it, upvotes it, and erases it. Ctrl+C first erases it')
  .option('--stack <name>', 'with --write, the stack of a service that does not run on this machine')
  .action(async (given, { write, stack }) => {
    const url = given ?? urlOf(readAddress(), 'localhost')
    if (!/^https?:/.test(url) || !URL.canParse(url))
      throw new CannotContinue(`${url} is not the address of a service, such as https://jokes.example.`)
    if (stack !== undefined && !write) throw new WrongUsage('--stack is for --write only.')
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
    if (write && stack === undefined && !isLocal)
      throw new WrongUsage('To erase its joke, --write needs the --stack of a service that is not local.')
    const store = write ? await chooseStore({ stack }) : undefined
    await waitForName(url)
    await readOnly(url)
    if (store) await addAndUse(url, store)
  })

/** Waits until the name of a new host is known. */
async function waitForName(url: string): Promise<void> {
  for (const end = Date.now() + NEW_NAME_MS; Date.now() < end; await setTimeout(1_000)) {
    const code = await fetch(url).then(() => '', codeOf)
    if (code !== 'ENOTFOUND' && code !== 'EAI_AGAIN') return
  }
}

/** Sends the requests that change nothing. */
async function readOnly(url: string): Promise<void> {
  expect(/<main\b/.test(await ask(url, 'GET /', 200)), 'shows its page')
  const [joke] = (await list(url)).filter(isSearchable)
  await ask(url, `POST /thumbsUp/${'-'.repeat(22)}`, 404)
  console.log('The service knows which jokes do not exist.')
  if (!joke) return console.log('There are no jokes with words yet, so there is nothing to search for.')
  const has = async (query: Record<string, string>) => (await list(url, query)).some(({ id }) => id === joke.id)
  expect(await has({ searchString: beginningOf(joke), numberofJokes: '250' }), 'finds a joke by its words')
  expect(await has({ id: joke.id }), 'finds a joke by its id')
  expect((await list(url, { sortBy: 'random', numberofJokes: '1' })).length === 1, 'draws a joke at random')
  const votes = (await list(url, { sortBy: 'thumbsUp' })).map(({ thumbsUp }) => thumbsUp)
  expect(`${votes.toSorted((a, b) => b - a)}` === `${votes}`, 'lists jokes by upvotes')
  expect((await ask(url, `GET /?id=${joke.id}`, 200)).includes(`/?id=${joke.id}"`), 'shows a preview of a joke')
  // Anyone can fill the throttle of this route, so that API Gateway answers 429.
  await ask(url, 'POST /joke', [409, 429], inputOf(joke))
  console.log('The service adds no joke twice.')
}

/** Whether a search finds the joke, and adding it again changes nothing. */
function isSearchable(joke: StoredJoke): boolean {
  return (
    needlesOf(beginningOf(joke)).length > 0 && identify(joke) === joke.id && v.is(JokeInput, JSON.parse(inputOf(joke)))
  )
}

function inputOf({ joke, punchline, category }: StoredJoke): string {
  return JSON.stringify({ joke, punchline, category })
}

/** Returns the beginning of a joke, cut at white space. A cut elsewhere might make another word. */
function beginningOf({ joke }: StoredJoke): string {
  return /^.{0,100}(?=\s|$)/su.exec(joke)?.[0] ?? ''
}

/** Adds, finds, upvotes and erases a joke. */
async function addAndUse(url: string, store: Store): Promise<void> {
  const input = {
    joke: `Is this service working? ${randomUUID()}`,
    punchline: 'This joke says so.',
    category: 'Classic',
  }
  const id = identify(input)
  // Ctrl+C does not stop the command, which takes seconds, so that its joke is not left behind. A second one does.
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    process.exitCode = 128 + constants.signals[signal]
    console.error('The command first erases its joke.')
  }
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  console.log(`The new joke is ${id}.`)
  try {
    await ask(url, 'POST /joke', 201, JSON.stringify(input))
    console.log('The service adds a joke.')
    // If the service requires approval, the joke waits.
    if ((await act(store, id, 'approve')).item === undefined)
      throw new CannotContinue(`The joke is not in the store that was named. Erase it in that of the service: ${id}.`)
    const isFound = async () => (await list(url, { searchString: input.joke })).some((joke) => joke.id === id)
    for (const end = Date.now() + FOUND_MS; Date.now() < end && !(await isFound()); ) await setTimeout(200)
    expect(await isFound(), 'finds the new joke by its words')
    const upvoted = parse(StoredJoke, await ask(url, `POST /thumbsUp/${id}`, 200))
    expect(upvoted.thumbsUp === 1, 'counts an upvote')
  } finally {
    // Even after a failure, the joke may have been added.
    await act(store, id, 'remove')
    const { result } = await act(store, id, 'erase')
    console.log(result === 'left' ? 'The joke was not added to this store.' : 'The joke is erased again.')
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

function expect(isRight: boolean, ability: string): void {
  if (!isRight) throw new CannotContinue(`This is wrong: the service ${ability}.`)
  console.log(`The service ${ability}.`)
}

async function list(url: string, query: Record<string, string> = {}): Promise<StoredJoke[]> {
  return parse(v.array(StoredJoke), await ask(url, `GET /joke?${new URLSearchParams(query)}`, 200))
}

/** Sends a request, and returns the body of the answer, which must have one of some statuses. */
async function ask(url: string, request: string, expected: number | number[], body?: string): Promise<string> {
  const [method = '', path = ''] = request.split(' ')
  const options = { method, ...(body && { body }), signal: AbortSignal.timeout(TIMEOUT_MS) }
  const response = await fetch(url.replace(/\/$/, '') + path, options).catch((error) => {
    throw new CannotContinue(`The service did not answer ${request}: ${messageOf(error)}.`)
  })
  const text = await response.text()
  if ([expected].flat().includes(response.status)) return text
  throw new CannotContinue(`The service answered ${request} with ${response.status} instead of ${expected}: ${text}`)
}

function parse<Schema extends v.GenericSchema>(schema: Schema, body: string): v.InferOutput<Schema> {
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), body)
  if (success) return output
  throw new CannotContinue(`The service sent no jokes, but this: ${body.slice(0, 100)}`)
}
