import { afterEach, describe, expect, it, vi } from 'vitest'
import { Joke } from '../shared/joke.ts'
import { filterBy, filterWordsOf, fits, properItems, storedWords } from '../shared/store/item.ts'

const joke: Joke = {
  id: 'A'.repeat(22),
  joke: 'Why did the chicken cross the road?',
  punchline: '',
  category: 'Classic',
  thumbsUp: 0,
  thumbsDown: 0,
  dateAdded: '2026-01-01T00:00:00.000Z',
}

describe('filter words', () => {
  it('are one string, each after a space', () => {
    expect(filterWordsOf(['cat', 'élan'])).toBe(' cat élan')
    expect(storedWords(' cat élan')).toEqual(expect.arrayContaining(['cat', 'élan']))
  })

  it.each([
    ['x', 500, 1_000, ''],
    ['x', 501, 1_000, ' *'],
    ['é', 333, 999, ''],
    ['é', 334, 999, ' *'],
  ])('are at most 1,000 bytes, with a mark if there are more (%s, %i times)', (letter, count, bytes, end) => {
    const filterWords = filterWordsOf(Array(count).fill(letter))
    expect(filterWords.endsWith(' *')).toBe(end !== '')
    expect(Buffer.byteLength(filterWords)).toBeLessThanOrEqual(bytes + end.length)
    expect(Buffer.byteLength(filterWords)).toBeGreaterThan(990)
  })

  it('count their spaces', () => {
    const words = Array(499).fill('x')
    expect(filterWordsOf([...words, 'y'])).toHaveLength(1_000)
    expect(filterWordsOf([...words, 'yz'])).toBe(`${filterWordsOf(words)} *`)
  })

  it('of a damaged item are none', () => {
    expect(storedWords(7)).toEqual([])
  })
})

it('a filter asks for the longest ten search words, or for the mark', () => {
  expect(filterBy(['a', 'cat'])).toEqual({
    expression: 'contains(words, :more) OR (contains(words, :word0) AND contains(words, :word1))',
    values: { ':more': ' *', ':word0': ' cat', ':word1': ' a' },
  })
  const words = Array.from({ length: 11 }, (_, index) => 'x'.repeat(index + 1))
  expect(Object.values(filterBy(words).values)).not.toContain(' x')
  expect(Object.keys(filterBy(words).values)).toHaveLength(11)
})

it.each([
  [{}, true],
  [{ category: 'Classic' as const }, true],
  [{ category: 'School' as const }, false],
  [{ searchWords: ['chick', 'road'] }, true],
  [{ searchWords: ['duck'] }, false],
])('a joke fits %j: %s', (listing, expected) => {
  expect(fits(joke, listing)).toBe(expected)
})

describe('items', () => {
  afterEach(() => vi.restoreAllMocks())

  it('that fit the schema are returned; others are logged with their key and faults', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const row = { prefix: 'ca', entry: 'cat#1' }
    expect(properItems(Joke, [{ ...joke }, { ...joke, thumbsUp: 'many' }, row])).toEqual([joke])
    expect(log.mock.calls).toEqual([
      [{ skippedItem: joke.id, faults: [expect.stringMatching(/^thumbsUp: Invalid type/)] }],
      [expect.objectContaining({ skippedItem: 'ca cat#1' })],
    ])
  })

  it('are none if DynamoDB returns none', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(properItems(Joke, undefined)).toEqual([])
    expect(log).not.toHaveBeenCalled()
  })
})
