import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { identify, JokeInput } from '../shared/joke.ts'

it('the id of a joke never changes', () => {
  // Stored jokes keep their ids. With another value here, each of them could be added again.
  expect(identify({ joke: 'Why did the tomato blush?', punchline: 'It saw the salad dressing.' })).toBe(
    'WmM5OrJvE4rSCLremEDtCN',
  )
})

it('invisible characters at either end of a joke do not change its id', () => {
  const joke = { joke: 'Why?', punchline: '' }
  expect(identify({ ...joke, joke: '\u200b Why? \u200b' })).toBe(identify(joke))
})

it('jokes that only divide lead-in and punchline differently have different ids', () => {
  expect(identify({ joke: 'a b', punchline: 'c' })).not.toBe(identify({ joke: 'a', punchline: 'b c' }))
})

it('jokes that differ in punctuation have different ids', () => {
  expect(identify({ joke: 'Why?', punchline: '' })).not.toBe(identify({ joke: 'Why!', punchline: '' }))
})

describe('a text', () => {
  /** What NFKC makes eighteen characters of. */
  const LIGATURE = '\uFDFA'

  /** The messages about a joke, in this field. */
  function faultsOf(field: 'joke' | 'punchline', text: string): string[] {
    const { issues = [] } = v.safeParse(JokeInput, { joke: 'Why?', category: 'Classic', [field]: text })
    return issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`)
  }

  it.each(['joke', 'punchline'] as const)('longer than 1,000 characters is not accepted as a %s', (field) => {
    expect(faultsOf(field, 'a'.repeat(1_000))).toEqual([])
    expect(faultsOf(field, 'a'.repeat(1_001))).toEqual([`${field} must be at most 1,000 characters long.`])
  })

  it.each(['joke', 'punchline'] as const)('longer than that after NFKC is not accepted as a %s', (field) => {
    const message = `${field} must be at most 1,000 characters long also after Unicode NFKC, which replaces some characters by several.`
    expect(faultsOf(field, LIGATURE.repeat(100))).toEqual([message])
    expect(faultsOf(field, LIGATURE.repeat(55) + 'a'.repeat(11))).toEqual([message])
    expect(faultsOf(field, LIGATURE.repeat(55) + 'a'.repeat(10))).toEqual([])
  })

  it('is stored as it was sent, not after NFKC', () => {
    const joke = `${LIGATURE} ①`
    expect(v.parse(JokeInput, { joke, category: 'Classic' })).toEqual({ joke, punchline: '', category: 'Classic' })
  })

  it('that NFKC shortens must be short enough before it', () => {
    expect(faultsOf('joke', 'e\u0301'.repeat(501))).toEqual(['joke must be at most 1,000 characters long.'])
    expect(faultsOf('joke', 'e\u0301'.repeat(500))).toEqual([])
  })
})
