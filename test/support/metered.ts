/** A service that measures what each request uses. */
import * as v from 'valibot'
import { expect } from 'vitest'
import { JokeInput } from '../../shared/joke.ts'
import { meter } from './meter.ts'
import { type Answer, startService } from './service.ts'

/** The fields that clients send. */
const FIELDS = v.keyof(JokeInput).options

/** Long time limits, so that a busy machine does not end a request before its units are counted. */
const PATIENT = { attemptMs: 60_000, operationMs: 60_000, readExistingMs: 60_000 }

/** Starts the service with empty tables. Each request returns its usage. */
export async function startMetered() {
  const service = await startService(PATIENT)
  const { store } = service
  const used = meter(store.database, store.upvoteDatabase)
  const usage = async (request: Promise<Answer>, status = 200) => {
    expect(await request).toMatchObject({ status })
    return used()
  }
  return {
    store,
    stop: service.stop,
    upvote: (id: string) => usage(service.thumbUp(id)),
    create: (joke: JokeInput, status = 201) =>
      usage(service.create(Object.fromEntries(FIELDS.map((name) => [name, joke[name]]))), status),
    list: async (query: Record<string, string>) => {
      const jokes = await service.jokes(query)
      return { found: jokes.length, ...used() }
    },
    cursor: () => service.cursor(),
  }
}
