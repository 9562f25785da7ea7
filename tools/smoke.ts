/** `bin/jokes smoke`: checks whether a service works. */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { identify, Joke, type JokeInput } from '../shared/joke.ts'
import { answer, askAt, expectListed, listed, parse, probe, searchStringOf, WrongAnswer } from '../shared/probe.ts'
import { problemIn } from '../shared/problem.ts'
import { act } from '../shared/store/operators/states.ts'
import { readItem } from '../shared/store/reads.ts'
import type { Store } from '../shared/store/store.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { abortOnSignals, CannotContinue, WrongUsage } from './commandLine.ts'
import { localUrl, parseServiceUrl, URL_HELP } from './send.ts'

/** Listings may miss a new joke for some moments, and for 5 seconds if a CDN caches them. */
const ATTEMPTS = 30
const WAIT_MS = 200

export const smoke = defineForStore('smoke', 'Checks whether a service works. Without --write, it changes nothing.', [
  'smoke',
  'smoke "$URL" --write --stack JokeService-dev',
])
  .argument('[url]', URL_HELP)
  .option('--write', 'also adds a joke, finds it, upvotes it, and erases it in the store of --stack or --local')
  .action(async (url = localUrl(), { write, ...chosen }) => {
    const ask = askAt(parseServiceUrl(url))
    const isStoreNamed = chosen.local || chosen.stack !== undefined
    if (isStoreNamed && !write) throw new WrongUsage('Without --write, there is nothing to erase.')
    const store = write ? await chooseStore(chosen) : undefined
    await probe(ask, console.log)
    if (store) await addAndUse(ask, store)
  })

async function addAndUse(ask: ReturnType<typeof askAt>, store: Store): Promise<void> {
  const text = `Is this service working? ${randomUUID()}`
  const input: JokeInput = { joke: text, punchline: 'This joke says so.', category: 'Classic' }
  const body = JSON.stringify(input)
  // Ctrl+C does not stop the command, which takes seconds, so that its joke is not left behind.
  const ignoreSignals = abortOnSignals(new AbortController())
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
    await act(store, identify(input), 'remove')
    const { result } = await act(store, identify(input), 'erase')
    console.log(result === 'left' ? 'The joke was not added to this store.' : 'The joke is erased again.')
    ignoreSignals()
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
