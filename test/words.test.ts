import { describe, expect, it } from 'vitest'
import { longest, matches, prefixLength, searchWordsOf, wordsOf } from '../shared/words.ts'

describe('wordsOf', () => {
  it.each([
    ['Knock, knock!', ['knock']],
    ["Don't re-use foo_bar 3.14", ['don', 't', 'dont', 're', 'use', 'reuse', 'foo', 'bar', '3', '14']],
    ['Ça va, l’élève naïf ?', ['ca', 'va', 'l', 'eleve', 'leleve', 'naif']],
    ["rock-'n'-roll, 'quoted' – or --dashed--", ['rock', 'n', 'roll', 'quoted', 'or', 'dashed']],
    ['Straße STRASSE', ['strasse']],
    ['ΟΔΟΣ οδός', ['οδοσ']],
    ['ﬁne ①', ['fine', '1']],
    ['chick\u00ADen, e\u200Bgg', ['chicken', 'egg']],
    ['東京都に行く', ['東京', '都', 'に', '行く']],
    ['iPhoneを買う', ['iphone', 'を', '買う']],
    ['がき', ['が', 'き']],
    ['ฉันรักภาษาไทย', ['ฉัน', 'รัก', 'ภาษา', 'ไทย']],
    ['한국어 농담', ['한국어', '농담']],
    ['🐔🐔 ☎\uFE0F 👋🏽 👨‍👩‍👧 🇫🇷', ['🐔', '☎', '👋', '👨', '👩', '👧', '🇫🇷']],
    ['!! … \u0301', []],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  it('are at most 600', () => {
    const two = Array.from({ length: 1_000 }, (_, number) => (number + 36).toString(36)).join(' ')
    const joined = Array.from({ length: 400 }, (_, number) => `${(number + 36).toString(36)}-${number}`).join(' ')
    expect([two, joined].map((text) => wordsOf(text).length)).toEqual([600, 600])
  })
})

describe('searchWordsOf', () => {
  it.each([
    ["don't E-MAIL", ['dont', 'email']],
    ["l'été", ['lete']],
    ['🐔\uFE0F 👋🏽', ['🐔', '👋']],
    ['東京-都', ['東京', '都']],
    ['!!', []],
  ])('of %j are %j', (searchString, words) => {
    expect(searchWordsOf(searchString)).toEqual(words)
  })
})

describe('matches', () => {
  const words = ['why', 'did', 'the', 'chicken', 'cross', 'road']

  it.each([
    [['chick'], true],
    [['chick', 'road'], true],
    [['chick', 'street'], false],
    [['hicken'], false],
  ])('requires each of %j to start a word: %s', (searchWords, expected) => {
    expect(matches(searchWords, words)).toBe(expected)
  })
})

it('longest returns the longest words first', () => {
  expect(longest(['a', 'ccc', 'bb', 'dddd'], 3)).toEqual(['dddd', 'ccc', 'bb'])
})

describe('prefixLength', () => {
  it.each([
    ['chicken', 2],
    ['елка', 2],
    ['鶏肉', 1],
    ['🐔', 1],
  ])('of %s is %i', (word, length) => {
    expect(prefixLength(word)).toBe(length)
  })
})
