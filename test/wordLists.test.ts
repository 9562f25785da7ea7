import { expect, it, vi } from 'vitest'
import { suffixOf, toRows } from '../shared/store/wordIndex.ts'

vi.mock('../shared/store/database.ts', () => ({}))
vi.mock('../shared/store/environment.ts', () => ({}))

const joke = { id: 'A'.repeat(22), dateAdded: '2026-01-01T00:00:00.000Z', category: 'Classic' } as const

it('a row of the word index begins with a prefix and the word, and ends with date, id and category', () => {
  const suffix = `0${Date.parse(joke.dateAdded).toString(36)}#${joke.id}#Classic`
  expect(suffixOf(joke)).toBe(suffix)
  expect(toRows(joke, ['cat', 'élan', 'if', '漢字', '🐔', 'antidisestablishmentarianism'])).toEqual([
    { prefix: 'ca', entry: `cat#${suffix}` },
    { prefix: 'él', entry: `élan#${suffix}` },
    { prefix: 'if', entry: `if#${suffix}` },
    { prefix: '漢', entry: `漢字#${suffix}` },
    { prefix: '🐔', entry: `🐔#${suffix}` },
    { prefix: 'an', entry: `antidisestablish#${suffix}` },
  ])
})

it('a word that is shorter than a prefix has no row; words that begin alike share one', () => {
  const words = ['c', '漢', 'antidisestablishmentarian', 'antidisestablishmentarianism']
  expect(toRows(joke, words).map(({ prefix }) => prefix)).toEqual(['漢', 'an'])
})

it('rows are in the order of their dates until the year 5188', () => {
  const dates = [
    '1970-01-01T00:00:00.000Z',
    '2059-05-25T17:38:27.455Z',
    '2059-05-25T17:38:27.456Z',
    '5188-04-22T00:00:00Z',
  ]
  const suffixes = dates.map((dateAdded) => suffixOf({ ...joke, dateAdded }))
  expect(suffixes.toSorted()).toEqual(suffixes)
})
