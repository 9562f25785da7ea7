/** `bin/jokes smoke`: checks whether a service works. */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { answer, askAt, expectListed, listed, parse, probe, searchStringOf, WrongAnswer } from '../probe/probe.ts'
import { UnknownJoke } from '../shared/errors.ts'
import { identify, Joke, type JokeInput } from '../shared/joke.ts'
import { problemIn } from '../shared/problem.ts'
import { changeState, findRecord, TRANSITIONS } from '../shared/store/operators/removal.ts'
import type { Store } from '../shared/store/store.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { abortOnSignals, CannotContinue, WrongUsage } from './commandLine.ts'
import { localUrl, parseServiceUrl, URL_HELP } from './send.ts'

/** Searches may miss a new joke for some milliseconds, and for 5 seconds if CloudFront caches them. */
const ATTEMPTS = 30
const WAIT_MS = 200

export const smoke = defineForStore('smoke', 'Checks whether a service works. Without --write, it changes nothing.', [
  'smoke',
  'smoke "$URL" --write --stack JokeService-dev',
])
  .argument('[url]', URL_HELP)
  .option('--write', 'also adds a joke, finds it, upvotes it, and says how to remove it')
  .addHelpText('after', '\nWith --write, --stack or --local removes the joke again.')
  .action(async (url = localUrl(), { write, ...chosen }) => {
    const ask = askAt(parseServiceUrl(url))
    const isStoreNamed = chosen.local || chosen.stack !== undefined
    if (isStoreNamed && !write) throw new WrongUsage('Without --write, there is nothing to remove.')
    const store = isStoreNamed ? await chooseStore(chosen) : undefined
    await probe(ask, console.log)
    if (write) await addAndUse(ask, store)
  })

async function addAndUse(ask: ReturnType<typeof askAt>, store: Store | undefined): Promise<void> {
  const text = `Is this service working? ${randomUUID()}`
  const input: JokeInput = { joke: text, punchline: 'This joke says so.', category: 'Classic' }
  const body = JSON.stringify(input)
  let remover = store
  // Ctrl+C does not stop the command, which takes seconds, so that its joke is not left behind.
  using _ = abortOnSignals(new AbortController())
  try {
    const added = parse(Joke, await answer(ask, { routeKey: 'POST /joke', body }, 201))
    console.log('The service adds a joke.')
    if (store && !(await findRecord(store, added.id))) {
      remover = undefined
      throw new CannotContinue(
        'The joke is not in the store that was named. Name the store of the service at this address.',
      )
    }
    // The response names the existing joke only if it is listed.
    const isWaiting = problemIn(await answer(ask, { routeKey: 'POST /joke', body }, 409)).id === undefined
    if (isWaiting) console.log('The new joke waits for approval.')
    if (isWaiting && store) await changeState(store, added.id, TRANSITIONS.approve)
    if (!isWaiting || store) await useNew(ask, added)
  } finally {
    await removeAgain(identify(input), remover)
  }
}

/** Removes the joke of this test, or says how, even after a failure. The joke may have been added. */
async function removeAgain(id: string, store: Store | undefined): Promise<void> {
  if (store === undefined)
    return console.log(`To remove the joke: bin/jokes remove ${id} --stack NAME; for npm start, --local instead.`)
  try {
    await changeState(store, id, TRANSITIONS.remove)
    console.log('The joke is removed again.')
  } catch (error) {
    if (!(error instanceof UnknownJoke)) throw error
    console.log('The joke was not added.')
  }
}

async function useNew(ask: ReturnType<typeof askAt>, added: Joke): Promise<void> {
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
