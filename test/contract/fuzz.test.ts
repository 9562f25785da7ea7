/** Random requests get documented responses, and do not harm stored jokes. */
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { ListingQuery } from '../../shared/listing.ts'
import { type Answer, expectProblem, startService } from '../support/service.ts'

const service = await startService()
const texts = [...'123456789'].map((number) => `A harmless joke ${number}`)
const harmless = await service.add(...texts.map((joke) => ({ joke, category: 'Classic' })))
afterAll(async () => {
  expect((await service.pages({ numberofJokes: '250' })).flat()).toEqual(expect.arrayContaining(harmless))
  expect(await service.jokes({ searchString: 'harmless' })).toEqual(harmless.toReversed())
  await service.stop()
})

const cursors: [query: Record<string, string>, cursor: string][] = []
for (const query of [{ sortBy: 'thumbsUp' }, { sortBy: 'dateAdded' }, { searchString: 'harmless' }])
  cursors.push([query, await service.cursor({ ...query, numberofJokes: '2' })])

const anyText = fc.string({ unit: 'binary' })
const textOrNot = fc.oneof(anyText, fc.string({ unit: 'grapheme' }), fc.jsonValue())
const category = fc.oneof(fc.constantFrom(...CATEGORIES), fc.string())
const toJson = (value: unknown) => JSON.stringify(value)
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => new Uint8Array(array))

/** Any bytes, any JSON, or almost a joke. */
const body = fc.oneof(
  bytes,
  bytes.map((array) => Buffer.concat([Buffer.from('{"category":"Classic","joke":"'), array, Buffer.from('"}')])),
  fc.json(),
  fc.record({ joke: textOrNot, punchline: textOrNot, category, extra: fc.json() }, { requiredKeys: [] }).map(toJson),
)

const name = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...Object.keys(ListingQuery.entries)) }, anyText)
const value = fc.oneof(fc.constantFrom('', '1', 'School', 'thumbsUp', 'asc'), anyText, fc.webQueryParameters())
const parameters = fc.array(fc.tuple(name, value), { maxLength: 4 })

/** Any query string, any parameters, or a cursor with one changed byte. */
const query = fc.oneof(
  fc.string().map((text) => text.replaceAll('#', '')),
  parameters.map((all) => new URLSearchParams(all)),
  fc.tuple(fc.constantFrom(...cursors), fc.nat(), fc.nat(255)).map(([[query, cursor], at, byte]) => {
    const bytes = Buffer.from(cursor, 'base64url')
    bytes[at % bytes.length] = byte
    return new URLSearchParams({ ...query, cursor: bytes.toString('base64url') })
  }),
)

const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).map(encodeURIComponent)

it.for<[title: string, requests: fc.Arbitrary<() => Promise<Answer>>, statuses: number[]]>([
  ['any body', body.map((body) => () => service.request('/joke', { method: 'POST', body })), [201, 400, 409]],
  ['any query', query.map((query) => () => service.request(`/joke?${query}`)), [200, 400]],
  ['an upvote of any unknown id', id.map((id) => () => service.thumbUp(id)), [404]],
])('%s gets a documented response', async ([_, requests, statuses]) => {
  const text = expect.any(String)
  const errors = expect.arrayContaining([{ field: text, code: text, detail: text }])
  const members = {
    400: { code: 'invalid', errors },
    404: { code: 'unknown-joke' },
    409: { code: 'duplicate', id: text },
  }
  const property = fc.asyncProperty(requests, async (send) => {
    const answer = await send()
    const { status } = answer
    expect(statuses).toContain(status)
    // A 400 must list the faults, and a 409 must have the joke's id.
    if (status === 400 || status === 404 || status === 409)
      expectProblem(answer, { status, title: text, detail: text, ...members[status] })
  })
  await fc.assert(property, { numRuns: 200 })
})
