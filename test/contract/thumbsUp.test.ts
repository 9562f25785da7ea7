import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { itemsOf } from '../support/access.ts'
import { expectProblem, startService } from '../support/service.ts'

// Simultaneous upvotes wait for each other, on a busy machine longer than the usual limits.
const service = await startService({ connectMs: 60_000, attemptMs: 60_000, operationMs: 60_000 })
afterAll(service.stop)

it('an upvote returns 200 with the updated joke, whatever its body', async () => {
  const [joke] = await service.add({ joke: 'Upvote me once', category: 'Classic' })
  const answer = await service.request(`/thumbsUp/${joke?.id}`, { method: 'POST', body: '{"thumbsUp": 100' })
  expect(answer).toMatchObject({ status: 200, body: { ...joke, thumbsUp: 1 } })
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(await service.jokes()).toEqual([{ ...joke, thumbsUp: 1 }])
})

it('200 simultaneous upvotes return 200 different counts', async () => {
  const [joke] = await service.add({ joke: 'Upvote me often', category: 'School' })
  const answers = await Promise.all(Array.from({ length: 200 }, () => service.thumbUp(`${joke?.id}`)))
  const counts = answers.map(({ body }) => v.parse(Joke, body).thumbsUp)
  expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
  expect(await service.jokes({ category: 'School' })).toEqual([{ ...joke, thumbsUp: 200 }])
})

it.each([
  ['in the right form', 'AAAAAAAAAAAAAAAAAAAAAA'],
  ['of one letter', 'x'],
  ['of 5,000 letters', 'a'.repeat(5_000)],
])('an upvote of an unknown id %s returns 404', async (_, id) => {
  const before = await itemsOf(service.store)
  const detail = 'No joke has this id. GET /joke lists the existing ones.'
  expectProblem(await service.thumbUp(id), { status: 404, title: 'Not Found', code: 'unknown-joke', detail })
  expect(await itemsOf(service.store)).toHaveLength(before.length)
})
