import * as v from 'valibot'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { CATEGORIES, identify, Joke } from '../../shared/joke.ts'
import { expectProblem, startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

describe('POST /joke', () => {
  it('logs the id of the new joke and the header X-Forwarded-For', async () => {
    const log = vi.spyOn(console, 'info').mockImplementation(() => {})
    const { body } = await service.request('/joke', {
      method: 'POST',
      headers: { 'x-forwarded-for': '203.0.113.7' },
      body: JSON.stringify({ joke: 'Who was that?', category: 'Classic' }),
    })
    const { id } = v.parse(Joke, body)
    expect(log.mock.calls).toEqual([[expect.objectContaining({ added: id, forwardedFor: '203.0.113.7' })]])
    log.mockRestore()
  })

  it('answers 201 with the joke, its id, its date and no votes', async () => {
    const before = Date.now()
    const { status, headers, body } = await service.create({
      joke: 'What do you call a fish without eyes?',
      punchline: 'A fsh.',
      category: 'Word game',
    })
    expect(status).toBe(201)
    expect(headers.get('content-type')).toBe('application/vnd.json')
    expect(body).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      joke: 'What do you call a fish without eyes?',
      punchline: 'A fsh.',
      category: 'Word game',
      thumbsUp: 0,
      thumbsDown: 0,
      dateAdded: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    const added = Date.parse(v.parse(Joke, body).dateAdded)
    expect(added).toBeGreaterThanOrEqual(before)
    expect(added).toBeLessThanOrEqual(Date.now())
  })

  it.each(CATEGORIES)('accepts the category %s', async (category) => {
    expect((await service.create({ joke: `One of ${category}`, category })).status).toBe(201)
  })

  it('gives a pun without punchline an empty one', async () => {
    const { body } = await service.create({ joke: 'I used to be a banker, but I lost interest.', category: 'Classic' })
    expect(body).toMatchObject({ punchline: '' })
  })

  it('keeps texts as sent, except for white space at both ends', async () => {
    const { body } = await service.create({
      joke: '\n  Toc,  toc !\n—\tQui est là ? 🚪 ',
      punchline: ' Noël ',
      category: 'Classic',
    })
    expect(body).toMatchObject({ joke: 'Toc,  toc !\n—\tQui est là ? 🚪', punchline: 'Noël' })
  })

  it('accepts texts of at most 1,000 characters', async () => {
    const longest = { joke: 'j'.repeat(1_000), punchline: 'p'.repeat(1_000), category: 'School' }
    expect((await service.create(longest)).status).toBe(201)
    const { status, body } = await service.create({ ...longest, joke: 'j'.repeat(1_001) })
    expect(status).toBe(400)
    expect(body).toMatchObject({ errors: [{ field: 'joke', detail: 'must be at most 1,000 characters long.' }] })
  })

  it.each([
    ['letter case', { joke: 'WHY DID the tomato blush?', punchline: 'it SAW the salad dressing.' }],
    ['white space', { joke: 'Why  did\nthe tomato blush?', punchline: ' It saw the salad dressing.' }],
    [
      'invisible characters',
      { joke: '\u200BWhy did\u2060 the to\u00ADmato blush?\uFE0F', punchline: 'It saw the salad dressing.\u3164' },
    ],
    ['compatible characters', { joke: 'Why did the tomato blush?', punchline: 'Ｉt saw the salad dressing.' }],
  ])('answers 409 with the id to an equal joke that differs in %s', async (_, equal) => {
    const first = { joke: 'Why did the tomato blush?', punchline: 'It saw the salad dressing.', category: 'Classic' }
    await service.create(first)
    const answer = await service.create({ ...equal, category: 'School' })
    const detail = 'This joke already exists.'
    expectProblem(answer, { status: 409, title: 'Conflict', detail, id: identify(first) })
  })
})
