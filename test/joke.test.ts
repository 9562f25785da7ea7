import * as v from 'valibot'
import { expect, it } from 'vitest'
import { identify, JokeInput } from '../shared/joke.ts'

const idOf = (joke: string, punchline = '') => identify({ joke, punchline })

it('the id of a joke never changes', () => {
  // Stored jokes keep their ids. With another value here, each of them could be added again.
  expect(idOf('Why did the tomato blush?', 'It saw the salad dressing.')).toBe('WmM5OrJvE4rSCLremEDtCN')
})

it('jokes that differ only in invisible characters at either end have the same id', () => {
  expect(idOf('\u200b Why? \u200b')).toBe(idOf('Why?'))
})

it('jokes that divide lead-in and punchline differently, or differ in punctuation, have different ids', () => {
  expect(idOf('a b', 'c')).not.toBe(idOf('a', 'b c'))
  expect(idOf('Why?')).not.toBe(idOf('Why!'))
})

it('texts have at most 1,000 characters, as sent and after NFKC', () => {
  // NFKC makes eighteen characters of the ligature, and one of the letter and its accent.
  const [ligatures, accents] = ['\uFDFA'.repeat(55), 'e\u0301'.repeat(500)]
  const isAccepted = (text: string) =>
    ['joke', 'punchline'].map((field) => v.is(JokeInput, { joke: 'Why?', category: 'Classic', [field]: text }))
  for (const text of ['a'.repeat(1_000), ligatures + 'a'.repeat(10), accents])
    expect(isAccepted(text)).toEqual([true, true])
  for (const text of ['a'.repeat(1_001), ligatures + 'a'.repeat(11), `${accents}a`])
    expect(isAccepted(text)).toEqual([false, false])
})

it('a text is stored as it was sent, not after NFKC', () => {
  const joke = '\uFDFA ①'
  expect(v.parse(JokeInput, { joke, category: 'Classic' })).toEqual({ joke, punchline: '', category: 'Classic' })
})
