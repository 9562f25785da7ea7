/** The entries of the inverted index. Other tests write, read and delete them on a database. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wordsOfJoke } from '../shared/joke.ts'
import { entriesFor, entryKeyOf } from '../shared/store/indexEntries.ts'
import { prefixesOf } from '../shared/words.ts'

const joke = { id: 'A'.repeat(22), dateAdded: '2026-01-01T00:00:00.000Z', category: 'Classic' }
const entryKey = '0mjuohs00#AAAAAAAAAAAAAAAAAAAAAA#Classic'

it('an entry key consists of time, id and category', () => {
  expect(entryKeyOf(joke)).toBe(entryKey)
})

it('entry keys sort by date until the year 5188', () => {
  const times = [0, 36, 36 ** 8 - 1, 36 ** 8, Date.parse('5188-04-22')]
  const entryKeys = times.map((time) => entryKeyOf({ ...joke, dateAdded: new Date(time).toISOString() }))
  expect(entryKeys.toSorted()).toEqual(entryKeys)
})

describe('index entries', () => {
  const entriesOf = (words: string[]) =>
    new Map(entriesFor(entryKey, words).map(({ prefix, entry }) => [prefix, entry]))
  const letters = Array.from('abcdefghijklmn', (letter) => `chicke${letter}`)

  it.each<[string, words: string[], prefix: string, words: string]>([
    ['of six letters holds their words', ['chicken', 'chick', 'chicke'], 'chicke', '#chicken,chicke'],
    ['of fewer letters holds no words', ['chicken', 'chick'], 'chick', ''],
    ['holds the first sixteen letters of a word', ['antidisestablishment'], 'antidi', '#antidisestablish'],
    ['holds equal beginnings once', ['antidisestablishing', 'antidisestablished'], 'antidi', '#antidisestablish'],
    ['holds sixteen letters of four bytes', ['𐐨'.repeat(17)], '𐐨'.repeat(6), `#${'𐐨'.repeat(16)}`],
    ['holds up to 120 bytes of words', [...letters, 'chickens'], 'chicke', `#${letters},chickens`],
    ['marks that it lacks further words', [...letters, 'chickenss', 'chickenz'], 'chicke', `#${letters},*`],
    ['limits words by bytes, not letters', [...letters, 'chickeéé'], 'chicke', `#${letters},*`],
  ])('an index entry %s', (_, words, prefix, expected) => {
    expect(entriesOf(words).get(prefix)).toBe(entryKey + expected)
  })

  it('a joke has one small entry per distinct prefix', () => {
    const letter = fc.constantFrom('a', 'b', '7', 'é', '漢', '𐐨')
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 20 })
    const separator = fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.constantFrom(' ', '-', '#\uFE0F\u20E3'))
    const texts = fc.array(fc.oneof(word, fc.constant('chicke'), separator), { maxLength: 30 })
    fc.assert(
      fc.property(texts, (pieces) => {
        const words = wordsOfJoke({ joke: pieces.join(''), punchline: '' })
        const rows = entriesFor(entryKeyOf({ ...joke, category: 'French humour' }), words)
        const lists = new Set(['#French humour', ...words.flatMap(prefixesOf)])
        expect(rows.map(({ prefix }) => prefix).toSorted()).toEqual([...lists].toSorted())
        const sizes = rows.map(({ prefix, entry }) => Buffer.byteLength(prefix + entry))
        expect(Math.max(...sizes)).toBeLessThan(220)
      }),
    )
  })
})
