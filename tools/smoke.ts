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
import { CannotContinue, define, printable } from './commandLine.ts'
import { readBounded } from './files.ts'
import { chooseStore, outputOf } from './store.ts'

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
    await (store ? checkWrites(url, store) : checkReads(url)).catch((error) => {
      // Anyone can flood a service, so that API Gateway throttles it.
      if (error.cause !== 429) throw error
      console.log(`${error.message}\nThis lasted a minute, so the rest is not checked.`)
    })
  })

async function checkReads(url: string): Promise<void> {
  check(/<main\b/.test(await ask(url, 'GET /', 200)), 'shows its page')
  // An edited joke may have the id of other words, and no search finds a joke without words, or takes a long one.
  const joke = (await fetchJokes(url)).find((each) => {
    return identify(each) === each.id && needlesOf(each.joke).length > 0 && each.joke.length <= MAX_SEARCH_LENGTH
  })
  if (!joke) throw new CannotContinue('There are too few jokes to check searches and duplicates. Import some first.')
  const finds = async (query: Record<string, string>) => (await fetchJokes(url, query)).some(({ id }) => id === joke.id)
  check(await finds({ searchString: joke.joke, numberofJokes: `${MAX_COUNT}` }), 'finds a joke by its words')
  check(await finds({ id: joke.id }), 'finds a joke by its id')
  check((await fetchJokes(url, { sortBy: 'random', numberofJokes: '1' })).length === 1, 'draws a joke at random')
  const votes = (await fetchJokes(url, { sortBy: 'thumbsUp' })).map(({ thumbsUp }) => thumbsUp)
  check(`${votes.toSorted((one, other) => other - one)}` === `${votes}`, 'lists jokes by upvotes')
  // No joke has this id, because it is no hash.
  check(await ask(url, `POST /thumbsUp/${'-'.repeat(22)}`, 404), 'refuses an upvote of an unknown joke')
  const { joke: setup, punchline, category } = joke
  check(await ask(url, 'POST /joke', 409, { joke: setup, punchline, category }), 'adds no joke twice')
}

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
    check(await ask(url, 'POST /joke', 201, input), 'adds a joke')
    const { state } = await act(store, id, 'approve')
    check(state === 'listed', 'keeps its jokes in this database')
    const isFound = async () => (await fetchJokes(url, { searchString: joke })).length > 0
    // Listings may miss a new joke for some moments, and for 5 seconds if a CDN caches them.
    for (let search = 0; search < 30 && !(await isFound()); search++) await setTimeout(200)
    check(await isFound(), 'finds the new joke by its words')
    check((await ask(url, `POST /thumbsUp/${id}`, 200)).includes('"thumbsUp":1,'), 'counts an upvote')
    // A service with few jokes has at least the new one now.
    await checkReads(url)
  } finally {
    await act(store, id, 'remove')
    const { state } = await act(store, id, 'erase')
    if (state) console.log('The joke is erased again.')
  }
}

function check(isRight: boolean | string, ability: string): void {
  if (!isRight) throw new CannotContinue(`Failed: the service ${ability}.`)
  console.log(`The service ${ability}.`)
}

async function fetchJokes(url: string, query: Record<string, string> = {}): Promise<Joke[]> {
  const text = await ask(url, `GET /joke?${new URLSearchParams(query)}`, 200)
  const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), v.array(Joke)), text)
  if (success) return output
  throw new CannotContinue(`The service sent no jokes, but this: ${printable(text, 100)}`)
}

/** Sends a request, for a minute if it is throttled. Returns the body of the answer, which must have this status. */
async function ask(url: string, request: string, expected: number, body?: object, repeats = 12): Promise<string> {
  const [method = '', path = ''] = request.split(' ')
  // API Gateway waits as long for a function. Loading all jokes may take nearly that long.
  const init = { method, ...(body && { body: JSON.stringify(body) }), signal: AbortSignal.timeout(30_000) }
  const answer = fetch(url.replace(/\/$/, '') + path, init).then(async ({ status, body }) => {
    return { status, text: body ? `${await readBounded(body, 4)}` : '' }
  })
  const { status, text } = await answer.catch((error) => {
    throw new CannotContinue(`The service did not answer ${request}: ${printable(messageOf(error), 200)}`)
  })
  if (status === expected) return text
  const message = `The service answered ${request} with ${status} instead of ${expected}: ${printable(text, 200)}`
  if (status !== 429 || repeats === 0) throw new CannotContinue(message, { cause: status })
  await setTimeout(5_000)
  return ask(url, request, expected, body, repeats - 1)
}
