/** Unusual input that is accepted, such as long texts. */
import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { openService } from '../support/service.ts'

const service = await openService()
const { word } = service
afterAll(service.stop)

describe('a joke', () => {
  it('a body of 64 kB is accepted', async () => {
    const body = `{"joke":"A short one ${word}","category":"Classic"}`.padEnd(64 * 1_024)
    expect(await service.request('/joke', { method: 'POST', body })).toMatchObject({ status: 201 })
  })

  it('a punchline that is null counts as absent', async () => {
    const answer = await service.create({ joke: `A pun of a serializer ${word}`, punchline: null, category: 'Classic' })
    expect(answer).toMatchObject({ status: 201, body: { punchline: '' } })
  })

  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined])(
    'a body with a byte order mark is accepted as %s',
    async (type) => {
      const body = Buffer.from(`\uFEFF{"joke":"Marked as ${type} ${word}","category":"Classic"}`)
      const headers = type === undefined ? {} : { 'content-type': type }
      expect(await service.request('/joke', { method: 'POST', headers, body })).toMatchObject({ status: 201 })
    },
  )

  it.each(['Identity', ''])('a body with the Content-Encoding %j is accepted', async (encoding) => {
    const body = `{"joke":"Not compressed${encoding} ${word}","category":"Classic"}`
    const headers = { 'content-encoding': encoding }
    expect(await service.request('/joke', { method: 'POST', headers, body })).toMatchObject({ status: 201 })
  })

  it.each(['¨', '´', '゛', '^', '?!'])('a joke of nothing but %s is accepted', async (joke) => {
    const { status, body } = await service.create({ joke, category: 'Classic' })
    // It exists if these tests were here before.
    expect([201, 409]).toContain(status)
    const { id } = v.parse(v.object({ id: v.string() }), body)
    await expect.poll(() => service.jokes({ id })).toMatchObject([{ joke }])
  })

  it('a text with many words, or growing when normalized, is found', async () => {
    const many = Array.from({ length: 250 }, (_, index) => index.toString(36).padStart(3, '0')).join(' ')
    const texts = ['ﷺ'.repeat(55), '㌀'.repeat(250), 'ǅ'.repeat(500), 'a '.repeat(500), '東京大阪'.repeat(250), many]
    for (const text of texts) {
      const [joke] = await service.add({ joke: text, punchline: word, category: 'Classic' })
      expect(await service.jokes({ id: `${joke?.id}` })).toEqual([joke])
    }
    expect(await service.jokes({ searchString: `06x ${word}` })).toHaveLength(1)
  })
})

it.each(['School , Classic', 'School&categories=Classic'])('categories=%s selects two', async (categories) => {
  const chosen = `chosen${categories.length}`
  const all = ['School', 'KnockKnock', 'Classic']
  await service.add(...all.map((category) => ({ joke: `${chosen} ${category}`, punchline: word, category })))
  const { body } = await service.request(`/joke?searchString=${chosen}+${word}&categories=${categories}`)
  const found = v.parse(v.array(v.object({ category: v.string() })), body)
  expect(found.map(({ category }) => category).toSorted()).toEqual(['Classic', 'School'])
})
