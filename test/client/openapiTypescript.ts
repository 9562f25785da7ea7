/** Uses the types that openapi-typescript generates. */
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/schema'

const pun: components['schemas']['JokeInput'] = { joke: 'I was a banker, but lost interest.', category: 'Classic' }

export async function use(baseUrl: string) {
  const client = createClient<paths>({ baseUrl })

  const { data: added } = await client.POST('/joke', { body: pun })
  const { error: duplicate } = await client.POST('/joke', { body: pun })
  const existing = duplicate && 'id' in duplicate ? duplicate.id : undefined
  const { error: invalid } = await client.POST('/joke', { body: { ...pun, joke: '' } })
  const faults = invalid && 'errors' in invalid ? invalid.errors.map(({ field }) => field) : undefined

  const { data: upvoted } = await client.POST('/thumbsUp/{id}', { params: { path: { id: added?.id ?? '' } } })
  const { error: unknown } = await client.POST('/thumbsUp/{id}', { params: { path: { id: 'nobody' } } })
  const missing = unknown && 'detail' in unknown ? unknown.title : undefined

  const query = { searchString: 'bank', category: 'Classic', sortBy: 'thumbsUp', numberofJokes: 5 } as const
  const { data: found } = await client.GET('/joke', { params: { query } })
  const { data: byId } = await client.GET('/joke', { params: { query: { id: [added?.id ?? '', 'nobody'] } } })
  const { data: random } = await client.GET('/joke', { params: { query: { sortBy: 'random' } } })
  const { data: ofCategories } = await client.GET('/joke', {
    params: { query: { categories: ['Classic', 'French humour'] } },
  })

  return { added, existing, faults, upvoted, missing, found, byId, random, ofCategories }
}
