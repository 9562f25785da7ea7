/** `bin/jokes smoke`: checks whether a service works, with requests as clients send them. */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { messageOf } from '../infra/local/causes.ts'
import { readAddress, urlOf } from '../infra/local/startup.ts'
import { MAX_COUNT, MAX_SEARCH_LENGTH } from '../shared/clientLimits.ts'
import { identify, Joke } from '../shared/joke.ts'
import type { Store } from '../shared/store/store.ts'
import { needlesOf } from '../shared/words.ts'
import { act } from './changes.ts'
import { CannotContinue, define } from './commandLine.ts'
import { chooseStore, outputOf } from './store.ts'

/** API Gateway waits as long for a function. Loading all jokes may take nearly that long. */
const TIMEOUT_MS = 30_000

export const smoke = define(
  'smoke',
  'Checks whether a service works. Without --write, it changes nothing.',
  'smoke https://jokes.example',
  'smoke --write --stack JokeService-dev',
)
  .argument('[url]', 'address of the service; by default, that of the stack, or of npm start with the same PORT')
  .option('--write', 'also add a joke, find it, upvote it, and erase it, even after Ctrl+C')
  .action(async (given, { write, stack }) => {
    if (write && given !== undefined && stack === undefined)
      throw new CannotContinue('To erase its joke from the database, --write needs --stack NAME beside the URL.')
    const url = given ?? (stack === undefined ? urlOf(readAddress(), 'localhost') : await outputOf(stack, 'ApiUrl'))
    const store = write ? await chooseStore(stack) : undefined
    console.error(`Checking ${url}`)
    await checkReads(url)
    if (store) await checkWrites(url, store)
  })

/** Sends requests that change nothing. */
async function checkReads(url: string): Promise<void> {
  check(/<main\b/.test(await ask(url, 'GET /', 200)), 'shows its page')
  // An edited joke may have the id of other words, and no search finds a joke without words, or takes a long one.
  const joke = (await fetchJokes(url)).find((each) => {
    return identify(each) === each.id && needlesOf(each.joke).length > 0 && each.joke.length <= MAX_SEARCH_LENGTH
  })
  // No joke has this id, because it is no hash.
  await ask(url, `POST /thumbsUp/${'-'.repeat(22)}`, 404)
  console.log('The service refuses an upvote of an unknown joke.')
  if (!joke) return console.log('There are too few jokes, so searches and duplicates were not checked.')
  const finds = async (query: Record<string, string>) => (await fetchJokes(url, query)).some(({ id }) => id === joke.id)
  check(await finds({ searchString: joke.joke, numberofJokes: `${MAX_COUNT}` }), 'finds a joke by its words')
  check(await finds({ id: joke.id }), 'finds a joke by its id')
  check((await fetchJokes(url, { sortBy: 'random', numberofJokes: '1' })).length === 1, 'draws a joke at random')
  const votes = (await fetchJokes(url, { sortBy: 'thumbsUp' })).map(({ thumbsUp }) => thumbsUp)
  check(`${votes.toSorted((one, other) => other - one)}` === `${votes}`, 'lists jokes by upvotes')
  // Anyone can fill the throttle of this route, so that API Gateway answers 429.
  const { joke: setup, punchline, category } = joke
  await ask(url, 'POST /joke', [409, 429], { joke: setup, punchline, category })
  console.log('The service adds no joke twice.')
}

/** Adds, finds, upvotes and erases a joke. */
async function checkWrites(url: string, store: Store): Promise<void> {
  const joke = `Is this service working? ${randomUUID()}`
  const input = { joke, punchline: 'This joke says so.', category: 'Classic' }
  const id = identify(input)
  console.log(`The new joke is ${id}.`)
  // After Ctrl+C, the joke is erased, too. This takes seconds, and a second Ctrl+C ends the command at once.
  process.once('SIGINT', () => {
    process.exitCode = 130
  })
  try {
    await ask(url, 'POST /joke', 201, input)
    console.log('The service adds a joke.')
    // If new jokes need approval, it waits.
    const { state } = await act(store, id, 'approve')
    check(state === 'listed', 'keeps its jokes in this database')
    const isFound = async () => (await fetchJokes(url, { searchString: joke })).length > 0
    // Listings may miss a new joke for some moments, and for 5 seconds if a CDN caches them.
    for (let search = 0; search < 30 && !(await isFound()); search++) await setTimeout(200)
    check(await isFound(), 'finds the new joke by its words')
    check((await ask(url, `POST /thumbsUp/${id}`, 200)).includes('"thumbsUp":1,'), 'counts an upvote')
  } finally {
    // Even after a failure, the joke may have been added.
    await act(store, id, 'remove')
    const { state } = await act(store, id, 'erase')
    if (state) console.log('The joke is erased again.')
  }
}

function check(isRight: boolean, ability: string): void {
  if (!isRight) throw new CannotContinue(`This is wrong: the service ${ability}.`)
  console.log(`The service ${ability}.`)
}

async function fetchJokes(url: string, query: Record<string, string> = {}): Promise<Joke[]> {
  const text = await ask(url, `GET /joke?${new URLSearchParams(query)}`, 200)
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), v.array(Joke)), text)
  if (success) return output
  throw new CannotContinue(`The service sent no jokes, but this: ${text.slice(0, 100)}`)
}

/** Sends a request, and returns the body of the answer, which must have one of some statuses. */
async function ask(url: string, request: string, expected: number | number[], body?: object): Promise<string> {
  const [method = '', path = ''] = request.split(' ')
  const init = { method, ...(body && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(TIMEOUT_MS) }
  const response = await fetch(url.replace(/\/$/, '') + path, init).catch((error) => {
    throw new CannotContinue(`The service did not answer ${request}: ${messageOf(error)}.`)
  })
  const text = await response.text()
  if ([expected].flat().includes(response.status)) return text
  throw new CannotContinue(`The service answered ${request} with ${response.status} instead of ${expected}: ${text}`)
}
