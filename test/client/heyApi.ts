/** Uses the client that @hey-api/openapi-ts generates. */
import { addJoke, type JokeInput, listJokes, thumbUp } from './generated/heyApi'
import { createClient } from './generated/heyApi/client'

const pun: JokeInput = { joke: 'I was a banker, but lost interest.', category: 'Classic' }

export async function use(baseUrl: string) {
  // By default it accepts any type, and returns application/vnd.json as bytes.
  const client = createClient({ baseUrl, headers: { Accept: 'application/json' } })

  const { data: added } = await addJoke({ client, body: pun })
  const { error: duplicate } = await addJoke({ client, body: pun })
  const existing = duplicate && 'id' in duplicate ? duplicate.id : undefined
  const { error: invalid } = await addJoke({ client, body: { ...pun, joke: '' } })
  const faults = invalid && 'errors' in invalid ? invalid.errors.map(({ field }) => field) : undefined

  const { data: upvoted } = await thumbUp({ client, path: { id: added?.id ?? '' } })
  const { error: unknown } = await thumbUp({ client, path: { id: 'nobody' } })
  const missing = unknown && 'detail' in unknown ? unknown.title : undefined

  const query = { searchString: 'bank', category: 'Classic', sortBy: 'thumbsUp', numberofJokes: 5 } as const
  const { data: found } = await listJokes({ client, query })
  const { data: byId } = await listJokes({ client, query: { id: [added?.id ?? '', 'nobody'] } })
  const { data: random } = await listJokes({ client, query: { sortBy: 'random' } })
  const { data: ofCategories } = await listJokes({ client, query: { categories: ['Classic', 'French humour'] } })
  return { added, existing, faults, upvoted, missing, found, byId, random, ofCategories }
}
