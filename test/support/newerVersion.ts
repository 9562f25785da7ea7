/** The next version of the service, made as CONTRIBUTING.md says: jokes have a field `flavour`, whose default is `plain`. */
import * as v from 'valibot'
import { inject, vi } from 'vitest'
import { configOf } from '../../infra/local/localDatabase.ts'
import { startServer } from '../../infra/local/server.ts'
import type { Store } from '../../shared/store/store.ts'
import { Service } from './service.ts'

const FLAVOURS = v.picklist(['plain', 'salty'])
const flavour = v.optional(FLAVOURS, 'plain')

/** Starts the next version on the tables of a store. */
export async function startNewer(store: Store) {
  vi.resetModules()
  vi.doMock('../../shared/joke.ts', async (load) => {
    const actual = await load<typeof import('../../shared/joke.ts')>()
    return {
      ...actual,
      Joke: v.object({ ...actual.Joke.entries, flavour }),
      JokeInput: v.strictObject({ ...actual.JokeInput.entries, flavour }),
      StoredJoke: v.object({ ...actual.StoredJoke.entries, flavour }),
    }
  })
  vi.doMock('../../shared/store/item.ts', async (load) => {
    const actual = await load<typeof import('../../shared/store/item.ts')>()
    return { ...actual, TypedJoke: v.object({ ...actual.TypedJoke.entries, flavour: v.fallback(FLAVOURS, 'plain') }) }
  })
  const [{ handlersOf }, { openStore }] = await Promise.all([
    import('../../infra/local/server.ts'),
    import('../../shared/store/store.ts'),
  ])
  // Other tests load these modules again, without the field.
  vi.doUnmock('../../shared/joke.ts')
  vi.doUnmock('../../shared/store/item.ts')
  vi.resetModules()
  const { port, stop } = await startServer(
    Promise.resolve(handlersOf(openStore(store, configOf(inject('endpoint'))))),
    0,
    () => {},
  )
  return new Service(`http://127.0.0.1:${port}`, stop)
}
