/** A store without a database: a function answers its calls. */
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
 * @returns the store, and the calls so far, in their order
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
          calls.push({ name, input })
          return { output: { $metadata: {}, ...answer(name, input) }, response: {} }
        },
      { step: 'initialize' },
    )
  }
  return { store, calls }
}
