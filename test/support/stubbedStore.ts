/** A store whose calls are answered by a function instead of a database. */
import { vi } from 'vitest'
import { LIMITS, type Limits } from '../../shared/store/limits.ts'
import { openStore, type Store } from '../../shared/store/store.ts'

/** A call to DynamoDB, such as `Query`, before the SDK writes it as a request. */
export interface Call {
  name: string
  input: object
}

/** Returns the members of a call's output, or throws its error. */
export type Answer = (name: string, input: object) => object

/**
 * Makes a store of the tables `Jokes` and `JokeWords`. Failed calls are not retried.
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
          // The SDK's paginators change their input for the next page, so this keeps a copy.
          calls.push({ name, input: { ...input } })
          return { output: { $metadata: {}, ...answer(name, input) }, response: {} }
        },
      // This runs before the SDK serializes the call, which would take most of the time.
      { step: 'initialize', priority: 'high' },
    )
  }
  return { store, calls }
}

/** Records the abort signals of a store's calls from now on. */
export function signalsOf({ database, upvoteDatabase }: Store): () => unknown[] {
  const spies = [database, upvoteDatabase].map((client) => vi.spyOn(client, 'send'))
  return () => spies.flatMap(({ mock }) => mock.calls.map(([, options]) => options?.abortSignal))
}
