/** Input made to break the service. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { startService } from '../support/service.ts'

const service = await startService()
await service.add(
  ...Array.from({ length: 9 }, (_, number) => ({ joke: `A harmless joke, no. ${number}`, category: 'Classic' })),
)
// After all hostile requests, the jokes can still be listed and found.
afterAll(async () => {
  const jokes = (await service.pages({ numberofJokes: '250' })).flat()
  expect(jokes.length).toBeGreaterThanOrEqual(9)
  expect(await service.jokes({ searchString: 'harmless' })).toHaveLength(9)
  await service.stop()
})

const post = (body: string | Uint8Array<ArrayBuffer>) => service.request('/joke', { method: 'POST', body })

describe('a body', () => {
  it.each([
    ['100,000 arrays deep', '['.repeat(100_000)],
    ['100,000 arrays deep, and closed', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['50,000 objects deep', `${'{"joke":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['a megabyte of joke', JSON.stringify({ joke: 'j'.repeat(2 ** 20), category: 'Classic' })],
    ['60 kB of control characters', JSON.stringify({ joke: '\u0000'.repeat(10_000), category: 'Classic' })],
    ['60 kB of fields', `{${Array.from({ length: 4_000 }, (_, index) => `"field${index}":1`).join()}}`],
    ['a field with a name of 60 kB', `{"${'f'.repeat(60_000)}":1}`],
    ['a number beyond 2^53', '{"joke":9007199254740993,"category":"Classic"}'],
    ['a number beyond the range of doubles', '{"joke":1e999,"category":"Classic"}'],
    ['a field __proto__ in a field', '{"joke":"a","category":{"__proto__":{"x":1}}}'],
    ['a field toString', '{"joke":"a","category":"Classic","toString":1}'],
  ])('of %s is a 400 with a short body', async (_, body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body).length).toBeLessThan(50_000)
  })

  it('of more than 64 kB is a 400, even for a short joke', async () => {
    const spaces = ' '.repeat(64 * 1_024)
    const joke = { joke: 'A short one', category: 'Classic' }
    expect((await post(spaces + JSON.stringify(joke))).body).toMatchObject({
      status: 400,
      errors: [{ field: 'body', detail: 'must be at most 64 kB.' }],
    })
    const within = JSON.stringify(joke).padEnd(64 * 1_024)
    expect((await post(within)).status).toBe(201)
  })

  it('of more than 10 MB is too large', async () => {
    expect(await post('x'.repeat(10 * 2 ** 20 + 1))).toMatchObject({
      status: 413,
      body: { message: 'Request Entity Too Large' },
    })
  })

  it('with a repeated field has the value of the last one', async () => {
    const answer = await post('{"joke":"First","joke":"Last","category":"Classic"}')
    expect(answer).toMatchObject({ status: 201, body: { joke: 'Last' } })
  })

  it('with more words than the filter holds is found by each of them in every order', async () => {
    const service = await startService()
    const words = Array.from({ length: 160 }, (_, index) => `w${index.toString().padStart(4, '0')}`).join(' ')
    const punchline = `${words.replaceAll('w', 'v')} zebra`
    const [joke] = await service.add({ joke: words, punchline, category: 'School' })
    for (const query of [{}, { sortBy: 'thumbsUp' }, { sortBy: 'thumbsDown' }, { sortBy: 'random' }])
      for (const searchString of ['zebra', 'z', 'v0159', 'w z'])
        expect(await service.jokes({ searchString, ...query }), searchString).toEqual([joke])
    await service.stop()
  })

  it('with text that grows when normalized, or with very many words, is stored and found', async () => {
    const texts = ['ﷺ'.repeat(55), '㌀'.repeat(250), 'ǅ'.repeat(500), 'a '.repeat(500), '東京大阪'.repeat(250)]
    const many = Array.from({ length: 250 }, (_, index) => index.toString(36).padStart(3, '0')).join(' ')
    for (const text of [...texts, many]) {
      const [joke] = await service.add({ joke: text, punchline: text.toWellFormed(), category: 'Classic' })
      expect(await service.jokes({ id: `${joke?.id}` })).toEqual([joke])
    }
    expect(await service.jokes({ searchString: '06x' })).toHaveLength(1)
    for (const text of ['ﷺ'.repeat(56), '㌀'.repeat(251)])
      expect((await service.create({ joke: text, category: 'Classic' })).status).toBe(400)
  })
})

describe('a query', () => {
  it('with hundreds of unknown parameters is a 400 that lists the first hundred', async () => {
    const query = Array.from({ length: 500 }, (_, index) => `p${index}=1`).join('&')
    const errors = Array.from({ length: 100 }, (_, index) => expect.objectContaining({ field: `p${index}` }))
    expect(await service.request(`/joke?${query}`)).toMatchObject({ status: 400, body: { errors } })
  })

  it('for dozens of words finds jokes that match all of them', async () => {
    const words = Array.from({ length: 66 }, (_, index) => index.toString(36).padStart(2, '0')).join(' ')
    const [joke] = await service.add({ joke: words, category: 'School' })
    expect(await service.jokes({ searchString: words })).toEqual([joke])
    expect(await service.jokes({ searchString: `${words.slice(0, -2)}zz` })).toEqual([])
    expect(await service.jokes({ searchString: 'harmless '.repeat(22) })).toHaveLength(9)
    expect((await service.list({ searchString: 'w'.repeat(201) })).body).toMatchObject({
      errors: [{ field: 'searchString', detail: 'must be at most 200 characters long.' }],
    })
  })

  it.each(['%zz', '%', '%C3', 'a%00b', '%F0%9F%98'])('with a broken escape, %s, is answered', async (escaped) => {
    expect((await service.request(`/joke?category=${escaped}`)).status).toBe(400)
    expect((await service.request(`/joke?searchString=${escaped}`)).status).toBe(200)
  })

  it('with a modified cursor is a 400, or a page from elsewhere', async () => {
    const cursors = []
    for (const query of [{ sortBy: 'thumbsUp' }, { sortBy: 'dateAdded' }, { searchString: 'harmless' }])
      cursors.push({ query, cursor: await service.cursor({ ...query, numberofJokes: '2' }) })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...cursors), fc.nat(), fc.nat(255), async ({ query, cursor }, at, byte) => {
        const bytes = Buffer.from(cursor, 'base64url')
        bytes[at % bytes.length] = byte
        const answer = await service.list({ ...query, cursor: bytes.toString('base64url') })
        expect([200, 400]).toContain(answer.status)
      }),
      { numRuns: 300 },
    )
  })

  it('with a forged cursor is a 400, unless its positions are well-formed', async () => {
    const statusOf = await forger({ numberofJokes: '2' })
    const position = ['2026-01-01T00:00:00.000Z', 'A'.repeat(22)]
    const walk = { positions: { Classic: position, Unknown: position }, turn: 'School' }
    for (const valid of [
      { walk },
      { walk: { positions: {}, shownUpTo: position } },
      { walk: { ...walk, turn: 'Unknown' } },
      // A damaged row has any values.
      { walk: { ...walk, positions: { Classic: ['2026-02-31', 'x'] } } },
      { shownUpTo: position },
      { shownUpTo: ['0000-01-01T00:00:00.000Z', 'A'.repeat(22)] },
      { shownUpTo: ['9999-12-31T23:59:59.999Z', 'A'.repeat(22)] },
    ])
      expect(await statusOf(valid), JSON.stringify(valid)).toBe(200)
    for (const invalid of [
      { walk: { ...walk, turn: 5 } },
      { walk: { ...walk, positions: { Classic: position[0] } } },
      { walk: { ...walk, positions: { Classic: [7, 'A'.repeat(22)] } } },
      { walk: { ...walk, positions: { Classic: [position[0], ''] } } },
      { walk: { ...walk, positions: { Classic: ['\ud800', 'A'.repeat(22)] } } },
      { walk: { ...walk, positions: { Classic: ['é'.repeat(513), 'A'.repeat(22)] } } },
      { walk: { ...walk, shownUpTo: ['2026-02-31T00:00:00.000Z', 'A'.repeat(22)] } },
      { shownUpTo: ['2026-01-01', 'A'.repeat(22)] },
      { shownUpTo: ['+275760-09-13T00:00:00.000Z', 'A'.repeat(22)] },
      { shownUpTo: [position[0], {}] },
      null,
    ])
      expect(await statusOf(invalid), JSON.stringify(invalid)).toBe(400)
  })

  it.each([
    [{ searchString: 'harmless' }, 'place', (text: string) => ({ place: text })],
    [{ sortBy: 'random', seed: 'x' }, 'ring', (text: string) => ({ ring: { after: text, last: 'Z' } })],
    [{ sortBy: 'random', seed: 'x' }, 'ring', (text: string) => ({ ring: { last: text } })],
  ])('%j with a forged %s is a 400 unless DynamoDB has such keys', async (query, _, cursorOf) => {
    const statusOf = await forger({ ...query, numberofJokes: '2' })
    for (const text of ['a', '#', '\u0000', 'z'.repeat(1_024)]) expect(await statusOf(cursorOf(text))).toBe(200)
    for (const text of ['', '\ud800', 'é'.repeat(513)]) expect(await statusOf(cursorOf(text))).toBe(400)
  })

  it.each(['asc', 'desc'])(
    'with a forged cursor of votes, sorted %s, is a 400 unless votes can be so many',
    async (sortOrder) => {
      const statusOf = await forger({ numberofJokes: '2', sortBy: 'thumbsUp', sortOrder })
      for (const [votes, status] of [
        [0, 200],
        [Number.MAX_SAFE_INTEGER, 200],
        [Number.MAX_SAFE_INTEGER + 1, 400],
        [-1, 400],
        [0.5, 400],
      ])
        expect([votes, await statusOf({ shownUpTo: [votes, 'A'.repeat(22)] })]).toEqual([votes, status])
    },
  )

  it('with a forged cursor of a damaged count is a 400 unless DynamoDB has such numbers', async () => {
    const statusOf = await forger({ numberofJokes: '2', sortBy: 'thumbsUp' })
    for (const [number, status] of [
      [0, 200],
      [-0.5, 200],
      [9.9e125, 200],
      [1e126, 400],
      [-1e126, 400],
      [1e-130, 200],
      [9e-131, 400],
    ]) {
      const walk = { positions: { Classic: [number, 'A'.repeat(22)] } }
      expect([number, await statusOf({ walk })]).toEqual([number, status])
    }
  })

  /** Forges cursors for a listing; returns how the service answers each. */
  async function forger(query: Record<string, string>) {
    const [fingerprint] = JSON.parse(Buffer.from(await service.cursor(query), 'base64url').toString())
    return async (position: unknown) => {
      const cursor = Buffer.from(JSON.stringify([fingerprint, position])).toString('base64url')
      return (await service.list({ ...query, cursor })).status
    }
  }
})

describe('a path', () => {
  it.each(['%zz', '%', '%C3%28'])('with a broken escape, %s, is a bad request', async (id) => {
    expect(await service.thumbUp(id)).toMatchObject({ status: 400, body: { message: 'Bad Request' } })
  })

  it('with any characters as an id is a 404', async () => {
    const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).map(encodeURIComponent)
    await fc.assert(
      fc.asyncProperty(id, async (id) => {
        expect((await service.thumbUp(id)).status).toBe(404)
      }),
      { numRuns: 200 },
    )
  })

  it.each(['//', '/joke//', '/../joke', '*', 'http://other/joke'])('of %s is a 404', async (path) => {
    expect(await raw(path)).toBe(404)
  })
})

describe('headers', () => {
  it('are accepted if they are many, and rejected if too long', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x-${index}`, 'x'.repeat(100)]))
    expect(await raw('/joke', many)).toBe(200)
    expect(await raw('/joke', { 'x-long': 'x'.repeat(20_000) })).toBe(431)
  })
})

it('any other category name is a 400', async () => {
  for (const category of ['constructor', '__proto__', 'Classic#0', 'classic', '', CATEGORIES.join()]) {
    expect((await service.create({ joke: 'In a strange category', category })).status).toBe(400)
  }
})

/** Sends a path and headers as they are, and returns the status. */
async function raw(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const request = httpRequest(service.url, { path, headers }).end()
  const [response] = await once(request, 'response')
  await text(response)
  return response.statusCode
}
