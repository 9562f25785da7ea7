/** A client that is generated from `openapi.json`, as its users would have it. */
import createClient from 'openapi-fetch'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { paths } from '../client/schema.ts'
import { checkAnswer } from '../support/contract.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

it('lets a generated client add, find and upvote a joke, and read what went wrong', async () => {
  const client = createClient<paths>({ baseUrl: service.url })
  client.use({
    onResponse: async ({ request, response }) => {
      const { status, headers } = response
      checkAnswer(request.method, request.url, { status, headers, body: await response.clone().json() })
    },
  })
  const pun = { joke: 'I used to be a banker, but I lost interest.', category: 'Classic' } as const

  const { data: added } = await client.POST('/joke', { body: pun })
  expect(added).toMatchObject({ ...pun, punchline: '', thumbsUp: 0 })

  const { error: duplicate, response } = await client.POST('/joke', { body: pun })
  expect(response.status).toBe(409)
  expect(duplicate).toMatchObject({ title: 'Conflict', id: added?.id })

  const upvoted = await client.POST('/thumbsUp/{id}', { params: { path: { id: `${added?.id}` } } })
  expect(upvoted.data).toEqual({ ...added, thumbsUp: 1 })

  const query = { searchString: 'bank', category: 'Classic', sortBy: 'thumbsUp', numberofJokes: 5 } as const
  const found = await client.GET('/joke', { params: { query } })
  expect(found.data?.map(({ joke, thumbsUp }) => [joke, thumbsUp])).toEqual([[pun.joke, 1]])
})
