/** A store without a database: a function answers its calls. */
import { vi } from 'vitest'
import { LIMITS, type Limits } from '../../shared/store/limits.ts'
import { openStore, type Store } from '../../shared/store/store.ts'

/** A call to DynamoDB, such as `Query`, before the SDK writes it as a request. */
export interface Call {
  name: string
  input: object
}

/** Returns the members of the output, or throws what the call fails with. */
export type Answer = (name: string, input: object) => object

/**
 * Makes a store of the tables `Jokes` and `JokeWords`. Nothing is retried.
 *
 * @param limits override those of `limits.ts`
 * @returns the store, and its calls so far, in their order
 */
export function stubbedStore(answer: Answer, limits: Partial<Limits> = {}): { store: Store; calls: Call[] } {
  const store = openStore(
    { jokesTable: 'Jokes', wordsTable: 'JokeWords' },
    { region: 'none', credentials: { accessKeyId: 'none', secretAccessKey: 'none' } },
    { ...LIMITS, ...limits },
  )
  const calls: Call[] = []
  for (const { middlewareStack } of [store.database, store.upvoteDatabase]) {
    middlewareStack.add(
      (_, { commandName }) =>
        async ({ input }) => {
          const name = String(commandName).replace(/Command$/, '')
          // A copy, as the SDK's paginators change their input for the next page.
          calls.push({ name, input: { ...input } })
          return { output: { $metadata: {}, ...answer(name, input) }, response: {} }
        },
      // Before the SDK looks at the call, which would take most of the time.
      { step: 'initialize', priority: 'high' },
    )
  }
  return { store, calls }
}

/** The signals that end the calls that a store makes from now on. */
export function signalsOf({ database, upvoteDatabase }: Store): () => unknown[] {
  const spies = [database, upvoteDatabase].map((client) => vi.spyOn(client, 'send'))
  return () => spies.flatMap(({ mock }) => mock.calls.map(([, options]) => options?.abortSignal))
}
