/** `bin/jokes smoke`: checks whether a service works. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { readAddress, urlOf } from '../infra/local/startup.ts'
import { codeOf } from '../shared/causes.ts'
import { identify, Joke, type JokeInput } from '../shared/joke.ts'
import {
  type Ask,
  answer,
  askAt,
  expectListed,
  listed,
  parse,
  probe,
  searchStringOf,
  WrongAnswer,
} from '../shared/probe.ts'
import { problemIn } from '../shared/problem.ts'
import { act } from '../shared/store/operators/states.ts'
import { readItem } from '../shared/store/reads.ts'
import type { Store } from '../shared/store/store.ts'
import { chooseStore } from './chooseStore.ts'
import { CannotContinue, define, WrongUsage } from './commandLine.ts'

/** Listings may miss a new joke for some moments, and for 5 seconds if a CDN caches them. */
const ATTEMPTS = 30
const WAIT_MS = 200
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
    await probe(askAt(url), console.log)
    if (store) await addAndUse(askAt(url), store)
  })

/** Waits up to a minute until the name of a new host is known. */
async function waitForName(url: string): Promise<void> {
  const end = performance.now() + NEW_NAME_MS
  for (let attempt = 1; performance.now() < end; attempt++) {
    const code = await fetch(url).then(() => '', codeOf)
    if (code !== 'ENOTFOUND' && code !== 'EAI_AGAIN') return
    if (attempt === 1) console.error(`The name of ${url} is not known yet. Trying again for a minute.`)
    await setTimeout(1_000)
  }
}

async function addAndUse(ask: Ask, store: Store): Promise<void> {
  const text = `Is this service working? ${randomUUID()}`
  const input: JokeInput = { joke: text, punchline: 'This joke says so.', category: 'Classic' }
  const id = identify(input)
  const body = JSON.stringify(input)
  // Ctrl+C does not stop the command, which takes seconds, so that its joke is not left behind. A second one does.
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    process.exitCode = 128 + constants.signals[signal]
    console.error('The command first erases its joke.')
  }
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  console.log(`The new joke is ${id}.`)
  try {
    const added = parse(Joke, await answer(ask, { routeKey: 'POST /joke', body }, 201))
    console.log('The service adds a joke.')
    if (!(await readItem(store, added.id)))
      throw new CannotContinue(
        `The joke is not in the store that was named. Remove and erase it in that of the service: ${added.id}.`,
      )
    // The response names the existing joke only if it is listed.
    const isWaiting = problemIn(await answer(ask, { routeKey: 'POST /joke', body }, 409)).id === undefined
    if (isWaiting) console.log('The new joke waits for approval.')
    if (isWaiting) await act(store, added.id, 'approve')
    await useNew(ask, added)
  } finally {
    // Even after a failure, the joke may have been added.
    await act(store, id, 'remove')
    const { result } = await act(store, id, 'erase')
    console.log(result === 'left' ? 'The joke was not added to this store.' : 'The joke is erased again.')
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

async function useNew(ask: Ask, added: Joke): Promise<void> {
  const query = { searchString: searchStringOf(added) }
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    if ((await listed(ask, query)).some(({ id }) => id === added.id)) break
    await setTimeout(WAIT_MS)
  }
  await expectListed(ask, query, added)
  console.log('The service finds the new joke by its words.')
  const upvoted = parse(Joke, await answer(ask, { routeKey: 'POST /thumbsUp/{id}', id: added.id }, 200))
  if (upvoted.thumbsUp !== 1) throw new WrongAnswer(`After one upvote, the joke has ${upvoted.thumbsUp}.`)
  console.log('The service counts an upvote.')
}
