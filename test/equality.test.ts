import fc from 'fast-check'
import { expect, it } from 'vitest'
import { equalFormOf } from '../shared/equality.ts'
import { identify } from '../shared/joke.ts'

/** The joke whose punchline begins at the bar. */
function jokeOf(text: string) {
  const [joke = '', punchline = ''] = text.split('|')
  return { joke, punchline }
}

const formOf = (text: string) => equalFormOf(jokeOf(text))

it.each([
  ['wherever the punchline begins', ['Why not?| Why.', 'Why not?  Why.', 'Why| not? Why.']],
  ['in any punctuation', ['“Don’t…” – he said', "'Don't' he said!", 'don´t, he said', 'Donʼt he ‹said›']],
  ['with any apostrophe', ["l'eau", 'l’eau', 'l‘eau', 'lʼeau', 'lʻeau', 'l´eau', 'l`eau', 'l′eau', 'l׳eau', 'l eau']],
  ['with lone accents', ['an ¨ accent', 'an accent', 'an ` accent']],
  ['in any case', ['STRASSE', 'Straße', 'Straẞe', 'strasse']],
  ['in any width', ['ＡＢＣ １ ﬁne', 'abc ① fine']],
  ['with composed or decomposed accents', ['é ΐ', 'e\u0301 ι\u0308\u0301', 'É Ϊ\u0301']],
  ['in Greek', ['Ο ΔΡΟΜΟΣ;', 'ο δρομος;', 'Ο δρομοσ', "Ο'ΔΡΟΜΟΣ"]],
  ['in Greek words that punctuation joins', ['ΟΔΟΣ.Α', 'ΟΔΟΣ Α', 'οδος α']],
  ['in Cyrillic', ['Всё ещё…', 'ВСЁ ЕЩЁ!', '«Всё ещё»']],
  ['in Thai', ['น้ำ!', '“น้\u0E4D\u0E32”']],
  ['in Chinese', ['为什么？因为。', '为什么|因为！']],
  ['in Japanese', ['「ガム」', 'ｶﾞﾑ！', 'カ\u3099ム']],
  ['in Korean', ['한국, 농담', '한국 농담'.normalize('NFD')]],
  ['in any skin tone', ['👋🏽 ☎\uFE0F', '👋☎']],
  ['with invisible characters', ['chicken', 'chick\u00ADen\u200B', '\u2800chicken\uFE0F', 'ch\u{E0067}icken']],
  ['if they have the same punctuation only', ['?!', '? !', '?|!', '？！']],
])('jokes are equal %s', (_, texts) => {
  expect(texts.map(formOf)).toEqual(texts.map(() => formOf(`${texts[0]}`)))
})

it.each([
  ['accents', ['pêcheur', 'pécheur', 'pecheur']],
  ['Cyrillic accents', ['всё', 'все', 'мой', 'мои']],
  ['vowel points', ['שָׁלוֹם', 'שלום', 'مَرْحَبًا', 'مرحبا']],
  ['symbols', ['C', 'C#', 'C++', 'C+', 'C*', 'C%', 'C&', 'C@', 'C/', 'C\\', 'C$', 'C=', 'C 2']],
  ['groups', ['To|gether', 'Together', 'To get her']],
  ['emoji', ['🐔', '🐓', '🐔🐔', '🇫🇷', '🇬🇧', '〰', '']],
  ['flags of regions', ['🏴', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E007F}', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E007F}']],
  ['order', ['dog bites man', 'man bites dog']],
  ['punctuation alone', ['?', '?!', '!', '…']],
  ['lone marks', ['¨', '´', '゛']],
  ['ligatures that Unicode keeps', ['œ', 'oe', 'ø', 'o', 'ł', 'l']],
  ['Devanagari vowels and signs', ['क', 'का', 'की', 'कु']],
  ['Thai tones and vowels', ['มา', 'ม้า', 'หมา']],
  ['Japanese voicing marks', ['かき', 'がき', 'カキ']],
  ['words of scripts without spaces', ['東京都', '東京 都']],
])('jokes are not equal if they differ in %s', (_, texts) => {
  expect(new Set(texts.map(formOf)).size).toBe(texts.length)
})

const LATIN = Array.from({ length: 0x250 - 0xc0 }, (_, index) => String.fromCodePoint(0xc0 + index)).join(' ')
const OTHERS = 'Ο δρόμος; Всё ещё… Ինչո՞ւ և שָׁלוֹם, װאָס? مَرْحَبًا، أنا؟ क्या हुआ? น้ำ! 为什么？ ｶﾞﾑ 한국 ሰላም፡ነው'

it.each([
  ['ASCII', 'Why did the developer go broke?|He used up all his cache.', '4aPyoroA2qmZQ6vYOkx67i'],
  ['French', 'L’élève hésite…', '48F-pCGroIv80TPYYo_Aqa'],
  ['punctuation', '?!', 'VF-UDRn63_StRW-RemhN4t'],
  ['all Latin letters', LATIN, 'a9MH5CqOoBPHwnE1iRsWIy'],
  ['other scripts', OTHERS, 'LlOnKOEbhvCGBoWDvOG-yB'],
  ['symbols', '👋🏽 ☎️ 🇫🇷 🏴\u{E0067}\u{E0062}\u{E007F} C# C++ 50 % 1️⃣', '-XJf-CF6gT26OV-NBl6Bq0'],
])('the id of a text never changes: %s', (_, text, id) => {
  expect(identify(jokeOf(text))).toBe(id)
})

it('invisible characters do not affect the equality of jokes', () => {
  const letter = fc.oneof(
    fc.constantFrom('Ç', '’', 'ʼ', '‼', '#', 'Ϊ', '\u0301', '\u20E3', 'ﬁ', 'ำ', 'İ', 'か\u3099', 'Σ', ' '),
    fc.string({ unit: 'binary' }).filter((text) => !text.includes('🏴')),
  )
  const invisible = fc.constantFrom('', '\u2800', '\u200B', '\uFE0F', '\u00AD', '\u3164', '\u{E0067}')
  const property = fc.property(fc.array(fc.tuple(letter, invisible), { maxLength: 20 }), (pairs) => {
    const joke = pairs.map(([letter]) => letter).join('')
    const form = equalFormOf({ joke, punchline: '' })
    expect(equalFormOf({ joke: `\u3164 ${pairs.flat().join('')} `, punchline: '' })).toBe(form)
  })
  fc.assert(property, { numRuns: 500 })
})
