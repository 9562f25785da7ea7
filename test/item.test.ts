import * as v from 'valibot'
import { expect, it, vi } from 'vitest'
import { Joke } from '../shared/joke.ts'
import {
  filterBy,
  matchesStored,
  STATES,
  stateOf,
  storedWordsOf,
  TypedJoke,
  validItems,
  wordsIn,
} from '../shared/store/item.ts'
import { numberedJoke } from './support/numberedJoke.ts'

const joke = numberedJoke(0)

it('stored words are one text from which they can be read back', () => {
  expect([storedWordsOf(['cat', 'élan']), storedWordsOf([])]).toEqual([' cat élan', ''])
  expect([{ words: ' cat élan' }, { longWords: ' cat' }, { words: '' }, { words: 7 }, {}].map(wordsIn)).toEqual([
    ['cat', 'élan'],
    ['cat'],
    [],
    [],
    [],
  ])
})

it('an item in an unknown state counts as erased', () => {
  for (const state of STATES) expect(stateOf({ state })).toBe(state)
  expect([stateOf({ state: 'x' }), stateOf({})]).toEqual(['erased', 'erased'])
})

it.each([
  ['matches the beginnings of stored words', ['chick', 'road'], true],
  ['does not match the middle of a word', ['hick'], false],
  ['does not match if the joke lacks one of its words', ['chick', 'duck'], false],
])('a search %s', (_, searchWords, expected) => {
  expect(matchesStored(searchWords, ' why chicken road')).toBe(expected)
})

it('a filter uses the ten longest search words', () => {
  expect(filterBy(['a', 'cat'])).toEqual({
    expression: 'attribute_not_exists(words) OR contains(words, :word0) AND contains(words, :word1)',
    values: { ':word0': ' cat', ':word1': ' a' },
  })
  const words = Array.from({ length: 11 }, (_, index) => 'x'.repeat(index + 1))
  const longest = words.slice(1).toReversed()
  expect(Object.values(filterBy(words).values)).toEqual(longest.map((word) => ` ${word}`))
})

it('a punchline of the wrong type is read as empty', () => {
  expect(v.parse(TypedJoke, { ...joke, punchline: 7 })).toEqual({ ...joke, punchline: '' })
})

it('validItems omits items that violate the schema', () => {
  using log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const row = { prefix: 'chicke', entry: '0mj#1' }
  expect(validItems(Joke, undefined)).toEqual([])
  expect(validItems(Joke, [{ ...joke }, { ...joke, thumbsUp: 'many' }, row])).toEqual([joke])
  expect(log.mock.calls).toEqual([
    [{ skippedItem: joke.id, faults: [expect.stringMatching(/^thumbsUp: Invalid type/)] }],
    [expect.objectContaining({ skippedItem: 'chicke 0mj#1' })],
  ])
})
