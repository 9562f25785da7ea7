import { describe, expect, it } from 'vitest'
import { matches, searchable, wordsOf } from '../shared/words.ts'

describe('wordsOf', () => {
  it.each([
    ['Knock, knock!', ['knock']],
    ["Don't re-use foo_bar 3.14", ['don', 't', 're', 'use', 'foo', 'bar', '3', '14']],
    ['Ça va, l’élève naïf ?', ['ca', 'va', 'l', 'eleve', 'naif']],
    ['Straße STRASSE', ['strasse']],
    ['ΟΔΟΣ οδός', ['οδοσ']],
    ['ﬁne ①', ['fine', '1']],
    ['東京都に行く', ['東京', '都', 'に', '行く']],
    ['iPhoneを買う', ['iphone', 'を', '買う']],
    ['がき', ['が', 'き']],
    ['ฉันรักภาษาไทย', ['ฉัน', 'รัก', 'ภาษา', 'ไทย']],
    ['한국어 농담', ['한국어', '농담']],
    ['!! … 😀👨‍👩‍👧 \u0301', []],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })
})

describe('matches', () => {
  const text = searchable(['why', 'did', 'the', 'chicken', 'cross', 'road'])

  it.each([
    [['chick'], true],
    [['chick', 'road'], true],
    [['chick', 'street'], false],
    [['hicken'], false],
    [[], true],
  ])('tells whether each of %j begins some word', (words, expected) => {
    expect(matches(words, text)).toBe(expected)
  })
})
