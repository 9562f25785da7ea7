import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { ListingQuery } from '../../shared/listing.ts'
import { type Answer, expectProblem, startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => new Uint8Array(array))

/** Anything, or almost a joke. */
const body = fc.oneof(
  bytes,
  bytes.map((array) => Buffer.concat([Buffer.from('{"category":"Classic","joke":"'), array, Buffer.from('"}')])),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc
    .record(
      {
        joke: fc.oneof(fc.string({ unit: 'binary' }), fc.anything()),
        punchline: fc.oneof(fc.string({ unit: 'grapheme' }), fc.anything()),
        category: fc.oneof(fc.constantFrom(...CATEGORIES), fc.string()),
        extra: fc.anything(),
      },
      { requiredKeys: [] },
    )
    .map((joke) => JSON.stringify(joke, (_, value) => (typeof value === 'bigint' ? String(value) : value))),
)

const parameter = fc.tuple(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...Object.keys(ListingQuery.entries)) },
    fc.string({ unit: 'binary' }),
  ),
  fc.oneof(
    fc.constantFrom('', '1', '25', 'School', 'thumbsUp', 'dateAdded', 'asc'),
    fc.string({ unit: 'binary' }),
    fc.webQueryParameters(),
  ),
)

it('answers any body as documented', async () => {
  await fc.assert(
    fc.asyncProperty(body, async (body) => {
      const answer = await service.request('/joke', { method: 'POST', body })
      expect([201, 400, 409]).toContain(answer.status)
      expectDocumented(answer)
    }),
    { numRuns: 300 },
  )
})

it('answers any parameters as documented', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(parameter, { maxLength: 4 }), async (parameters) => {
      const answer = await service.request(`/joke?${new URLSearchParams(parameters.map(wellFormed))}`)
      expect([200, 400]).toContain(answer.status)
      expectDocumented(answer)
    }),
    { numRuns: 200 },
  )
})

it('answers any query string as documented', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), async (query) => {
      const answer = await service.request(`/joke?${query.replaceAll('#', '')}`)
      expect([200, 400]).toContain(answer.status)
      expectDocumented(answer)
    }),
    { numRuns: 100 },
  )
})

function wellFormed([name, value]: [string, string]): [string, string] {
  return [name.toWellFormed(), value.toWellFormed()]
}

/** An error answer is a problem document with its status; a 400 lists the faults. */
function expectDocumented(answer: Answer): void {
  const { status } = answer
  if (status < 400) return
  const text = expect.any(String)
  const errors = expect.arrayContaining([{ field: text, detail: text }])
  expectProblem(answer, {
    status,
    title: text,
    detail: text,
    ...(status === 400 && { errors }),
    ...(status === 409 && { id: text }),
  })
}
