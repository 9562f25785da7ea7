import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { expectProblem, startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

it('an upvote returns 200 with the updated joke, whatever its body', async () => {
  const [joke] = await service.add({ joke: 'Upvote me once', category: 'Classic' })
  const answer = await service.request(`/thumbsUp/${joke?.id}`, { method: 'POST', body: '{"thumbsUp": 100' })
  expect(answer).toMatchObject({ status: 200, body: { ...joke, thumbsUp: 1 } })
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await service.jokes({ searchString: 'once' })).toEqual([{ ...joke, thumbsUp: 1 }])
})

it('50 simultaneous upvotes return 50 different counts', async () => {
  const [joke] = await service.add({ joke: 'Upvote me often', category: 'School' })
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.thumbUp(`${joke?.id}`)))
  const counts = answers.map(({ body }) => v.parse(Joke, body).thumbsUp)
  expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  expect(await service.jokes({ searchString: 'often' })).toEqual([{ ...joke, thumbsUp: 50 }])
})

it.each(['A'.repeat(22), 'x', 'a'.repeat(5_000)])('an upvote of an unknown id (%#) returns 404', async (id) => {
  const detail = 'No joke has this id. GET /joke lists the existing ones.'
  expectProblem(await service.thumbUp(id), { status: 404, title: 'Not Found', code: 'unknown-joke', detail })
})
