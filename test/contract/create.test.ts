import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { CATEGORIES, Joke } from '../../shared/joke.ts'
import { expectProblem, startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

it('POST /joke returns 201 with the new joke', async () => {
  const joke = { joke: 'What do you call a fish without eyes?', punchline: 'A fsh.', category: 'Word game' }
  const before = new Date().toISOString()
  const { status, headers, body } = await service.create(joke)
  expect([status, headers.get('content-type')]).toEqual([201, 'application/vnd.json'])
  const { id: _, dateAdded, ...added } = v.parse(Joke, body)
  const address = new URL(`${headers.get('location')}`, `${service.url}/joke`)
  expect((await service.request(address)).body).toEqual([body])
  expect(added).toEqual({ ...joke, thumbsUp: 0, thumbsDown: 0 })
  expect([before, new Date().toISOString(), dateAdded].toSorted()[1]).toBe(dateAdded)
})

/** A body with a text that no other body has, and its joke. */
const pun = (text: string, more: object = {}) => JSON.stringify({ joke: text, category: 'Classic', ...more })

it.each<[title: string, body: string, joke: object, headers?: Record<string, string>]>([
  ...CATEGORIES.map((category): [string, string, object] => [category, pun(category, { category }), { category }]),
  ...['¨', '´', '゛', '^', '?!'].map((text): [string, string, object] => [`nothing but ${text}`, pun(text), {}]),
  ['1,000 characters', pun('j'.repeat(1_000), { punchline: 'p'.repeat(1_000) }), {}],
  ['white space around its texts', pun(' \n Toc,  toc !\n—\t①', { punchline: ' Noël ' }), { punchline: 'Noël' }],
  ['a punchline that is null', pun('By a serializer', { punchline: null }), { punchline: '' }],
  ['letters with three accents each', pun('\u1FA7'.repeat(1_000)), {}],
  ['64 kB', pun('A short one').padEnd(64 * 1_024), {}],
  ['a byte order mark', `\uFEFF${pun('Marked')}`, {}, { 'content-type': 'application/json' }],
  ['the type of a text', pun('As text'), {}, { 'content-type': 'text/plain' }],
  ['the type of a form', `\uFEFF${pun('Form')}`, {}, { 'content-type': 'application/x-www-form-urlencoded' }],
  ['Content-Encoding: Identity', pun('Not compressed'), {}, { 'content-encoding': 'Identity' }],
  ['an empty Content-Encoding', pun('Empty'), {}, { 'content-encoding': '' }],
])('a joke with %s is added, trimmed', async (_, text, joke, headers = {}) => {
  const { joke: sent } = JSON.parse(text.replace('\uFEFF', ''))
  // As bytes, a body has no content type of its own.
  const answer = await service.request('/joke', { method: 'POST', headers, body: Buffer.from(text) })
  expect(answer).toMatchObject({ status: 201, body: { joke: sent.trim(), ...joke } })
})

// words.test.ts tests which jokes are equal.
it('an equal joke returns 409 with the id', async () => {
  await service.add({ joke: 'Why did the tomato', punchline: 'blush? It saw the salad dressing.', category: 'School' })
  const joke = '\u200B WHY, did the “tómato” blush…'
  const answer = await service.create({ joke, punchline: ' It saw the salad dressing', category: 'Classic' })
  const detail = 'This joke already exists.'
  // If the id of a text changed, each stored joke could be added again.
  expectProblem(answer, { status: 409, title: 'Conflict', code: 'duplicate', detail, id: 'D29nfqUkXfxsDhVsuGjEwC' })
})

it('one of two equal jokes posted simultaneously is stored', async () => {
  const texts = ['A quacker’s end', 'A quackers end']
  const answers = await Promise.all(texts.map((joke) => service.create({ joke, category: 'Classic' })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
  const added = answers.find(({ status }) => status === 201)?.body
  expect(await service.jokes({ searchString: 'quackers' })).toEqual([added])
})
