import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { CATEGORIES, Joke } from '../../shared/joke.ts'
import { expectProblem, openService } from '../support/service.ts'

const service = await openService()
const { word } = service
afterAll(service.stop)

it('POST /joke returns 201 with the new joke', async () => {
  const joke = { joke: `What do you call a fish without eyes, ${word}?`, punchline: 'A fsh.', category: 'Word game' }
  const before = new Date().toISOString()
  const { status, headers, body } = await service.create(joke)
  expect([status, headers.get('content-type')]).toEqual([201, 'application/vnd.json'])
  const { id: _, dateAdded, ...added } = v.parse(Joke, body)
  const address = new URL(`${headers.get('location')}`, `${service.url}/joke`)
  await expect.poll(async () => (await service.request(address)).body).toEqual([body])
  expect(added).toEqual({ ...joke, thumbsUp: 0, thumbsDown: 0 })
  expect([before, new Date().toISOString(), dateAdded].toSorted()[1]).toBe(dateAdded)
})

it.each(CATEGORIES)('a joke of category %s may have texts of 1,000 characters', async (category) => {
  const longest = {
    joke: `${category} ${word} ${'j'.repeat(1_000)}`.slice(0, 1_000),
    punchline: 'p'.repeat(1_000),
    category,
  }
  expect(await service.create(longest)).toMatchObject({ status: 201, body: longest })
})

it.each<[title: string, body: string, headers?: Record<string, string>]>([
  ['64 kB', '{"joke":"A short one WORD","category":"Classic"}'.padEnd(64 * 1_024 - 13)],
  ['a punchline that is null', '{"joke":"A pun of a serializer WORD","punchline":null,"category":"Classic"}'],
  [
    'Content-Encoding: Identity',
    '{"joke":"Not compressed WORD","category":"Classic"}',
    { 'content-encoding': 'Identity' },
  ],
  ['an empty Content-Encoding', '{"joke":"Empty WORD","category":"Classic"}', { 'content-encoding': '' }],
  ['a byte order mark', '\uFEFF{"joke":"Marked WORD","category":"Classic"}', { 'content-type': 'application/json' }],
  ['a mark as text', '\uFEFF{"joke":"Text WORD","category":"Classic"}', { 'content-type': 'text/plain' }],
  [
    'a mark as a form',
    '\uFEFF{"joke":"Form WORD","category":"Classic"}',
    { 'content-type': 'application/x-www-form-urlencoded' },
  ],
  ['a mark as anything', '\uFEFF{"joke":"Anything WORD","category":"Classic"}'],
])('a body with %s is accepted', async (_, text, headers = {}) => {
  const body = Buffer.from(text.replace('WORD', word))
  const answer = await service.request('/joke', { method: 'POST', headers, body })
  expect(answer).toMatchObject({ status: 201, body: { punchline: '' } })
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

it('a joke is stored with trimmed texts', async () => {
  const joke = `\n  Toc,  toc !\n—\tQui est là ? ${word} ① 🚪 `
  const trimmed = { joke: joke.trim(), punchline: 'Noël' }
  expect((await service.create({ joke, punchline: ' Noël ', category: 'Classic' })).body).toMatchObject(trimmed)
  expect((await service.create({ joke, category: 'Classic' })).body).toMatchObject({ ...trimmed, punchline: '' })
})

const tomato = { joke: 'Why did the tomato blush?', punchline: 'It saw the salad dressing.' }

it.each([
  ['letter case', { joke: 'WHY DID the tomato blush?', punchline: 'it SAW the salad dressing.' }],
  ['white space', { joke: 'Why  did\nthe tomato blush?', punchline: ' It saw the salad dressing.' }],
  ['invisible characters', { joke: '\u200B Why did\u2060 the to\u00ADmato blush?\uFE0F' }],
  ['an invisible end', { punchline: 'It saw the salad dressing. \u3164' }],
  ['compatible characters', { punchline: 'Ｉt saw the salad dressing.' }],
  ['punctuation', { joke: 'Why, did the “tomato” blush…' }],
  ['the start of its punchline', { joke: 'Why did the tomato', punchline: 'blush? It saw the salad dressing.' }],
])('an equal joke that differs in %s returns 409 with the id', async (_, difference) => {
  await service.create({ ...tomato, category: 'School' })
  const answer = await service.create({ ...tomato, ...difference, category: 'Classic' })
  const detail = 'This joke already exists.'
  // If the id of a text changed, each stored joke could be added again.
  expectProblem(answer, { status: 409, title: 'Conflict', code: 'duplicate', detail, id: 'D29nfqUkXfxsDhVsuGjEwC' })
})

it('one of two equal jokes posted simultaneously is stored', async () => {
  const jokes = ['A quacker-s end', 'A quacker s end'].map((joke) => ({ joke: `${joke} ${word}`, category: 'Classic' }))
  const answers = await Promise.all(jokes.map((joke) => service.create(joke)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
  const added = answers.find(({ status }) => status === 201)?.body
  const [joined] = jokes
  const isJoined = v.parse(Joke, added).joke === joined?.joke
  for (const sortBy of ['dateAdded', 'thumbsUp', 'random']) {
    const find = (words: string) => service.jokes({ searchString: `${words} ${word}`, sortBy })
    await expect.poll(() => find('quacker')).toEqual([added])
    expect(await find('quacker end')).toEqual([added])
    expect(await find('quackers')).toEqual(isJoined ? [added] : [])
  }
})
