import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { equalFormOf } from '../shared/equality.ts'
import { identify, wordsOfJoke } from '../shared/joke.ts'
import {
  isLongestPrefix,
  longest,
  longestPrefixOf,
  matches,
  prefixesOf,
  searchWordsOf,
  wordsOf,
} from '../shared/words.ts'
import jokes from './sample-jokes.json' with { type: 'json' }

const distinctWordsOf = (text: string) => [...new Set(wordsOf(text))]

it.each([
  ['Knock, knock!', ['knock']],
  ["Don't re-use foo_bar 3.14", ['don', 't', 'dont', 're', 'use', 'reuse', 'foo', 'bar', '3', '14']],
  ['Ça va, l’élève naïf ?', ['ca', 'va', 'l', 'eleve', 'leleve', 'naif']],
  ["rock-'n'-roll, 'quoted' – or --dashed--", ['rock', 'n', 'roll', 'quoted', 'or', 'dashed']],
  ['ﬁne ①', ['fine', '1']],
  ['chick\u00ADen, e\u200Bgg', ['chicken', 'egg']],
  ['東京都に行く', ['東京', '都', 'に', '行く']],
  ['iPhoneを買う', ['iphone', 'を', '買う']],
  ['ฉันรักภาษาไทย', ['ฉัน', 'รัก', 'ภาษา', 'ไทย']],
  ['한국어 농담', ['한국어', '농담']],
  ['a#\uFE0F\u20E3b‼\uFE0F', ['a', 'b']],
  ['🐔🐔 ☎\uFE0F 👋🏽 👨‍👩‍👧 🇫🇷', ['🐔', '☎', '👋', '👨', '👩', '👧', '🇫🇷']],
  ["l'après-midi, L'e-mail", ['l', 'apres', 'midi', 'lapresmidi', 'apresmidi', 'e', 'mail', 'lemail', 'email']],
  ['🏴\u{E0067}\u{E0062}\u{E007F} 🏴', ['🏴\u{E0067}\u{E0062}\u{E007F}', '🏴']],
  ["qu'aujourd'hui", ['qu', 'aujourd', 'hui', 'quaujourdhui', 'aujourdhui']],
  ['ʼ hen ʼ ŉ rockʼnʼroll', ['hen', 'n', 'rock', 'roll', 'rocknroll', 'nroll']],
  ['ออกกำลังกาย ຄຳ', ['ออก', 'กำลัง', 'กาย', 'ຄຳ']],
])('the words of %j are %j', (text, words) => {
  expect(distinctWordsOf(text)).toEqual(words)
})

it('the segmenter is not loaded for scripts with spaces', async () => {
  vi.resetModules()
  const { searchWordsOf } = await import('../shared/words.ts')
  using segmenter = vi.spyOn(Intl, 'Segmenter')
  expect(searchWordsOf('Één грамм, שלום 3d')).toEqual(['een', 'грамм', 'שלום', '3d'])
  expect(segmenter).not.toHaveBeenCalled()
})

describe('wordsOfJoke', () => {
  const firstWords = (joke: string, punchline = '') => wordsOfJoke({ joke, punchline })
  /** Words of one letter, each with one prefix. */
  const letters = Array.from({ length: 671 }, (_, index) => String.fromCodePoint(0xac00 + index))

  it.each<[string, letters: number, further: string[], kept: number]>([
    ['further words are dropped', 669, ['d', 'e'], 1],
    ['a word that exceeds them ends the words', 667, ['abcd', 'd'], 0],
    ['a word may use the last ones', 667, ['abc', 'd'], 1],
    ['words share equal prefixes', 664, ['chicken', 'chickens', 'chicke', 'chick'], 4],
  ])('the words of a joke have at most 670 prefixes: %s', (_, count, further, kept) => {
    const begun = letters.slice(0, count)
    expect(firstWords(begun.join(' '), further.join(' '))).toEqual([...begun, ...further.slice(0, kept)])
  })

  it.each([
    [999, 2],
    [1_000, 1],
  ])("a joke's words have at most 3,000 bytes (%i letters of 3 bytes)", (count, kept) => {
    const words = ['가'.repeat(count), 'abc', 'd']
    expect(firstWords(words.join(' '))).toEqual(words.slice(0, kept))
  })

  it('a repeated word counts once', () => {
    expect(firstWords(`${'слово '.repeat(330)}конец`)).toEqual(['слово', 'конец'])
  })

  it('English texts of 2,000 characters keep all their words', () => {
    const text = jokes
      .filter(({ category }) => category !== 'French humour')
      .map(({ joke, punchline = '' }) => `${joke} ${punchline}`)
      .join(' ')
    for (let start = 0; start + 2_000 <= text.length; start += 100) {
      const natural = text.slice(start, start + 2_000)
      expect(firstWords(natural)).toEqual(distinctWordsOf(natural))
    }
  })
})

describe('equality of jokes', () => {
  /** The equal form of a joke whose punchline begins at the bar. */
  const formOf = (text: string) => {
    const [joke = '', punchline = ''] = text.split('|')
    return equalFormOf({ joke, punchline })
  }

  it.each([
    ['wherever the punchline begins', ['Why not?| Why.', 'Why not?  Why.', 'Why| not? Why.']],
    ['in any punctuation', ['“Don’t…” – he said', "'Don't' he said!", 'don´t, he said', 'Donʼt he ‹said›']],
    ['with accents or without', ['À l’école, Zoë', "A L'ECOLE ZOE", 'À l`école — Zoë']],
    ['in any case', ['STRASSE', 'Straße', 'Straẞe']],
    ['in Greek', ['Ο ΔΡΟΜΟΣ;', 'ο δρόμος;', 'Ο δρόμοσ']],
    ['in Cyrillic', ['Всё ещё…', 'ВСЕ ЕЩЕ!', '«Все еще»']],
    ['in Armenian', ['Ինչո՞ւ եւ', 'ինչու և', 'ԻՆՉՈՒ ԵՒ։']],
    ['in Hebrew and Yiddish', ['שָׁלוֹם, װאָס ױײ?', 'שלום וואס וייי']],
    ['in Arabic', ['مَرْحَبًا، أنا؟', 'مرحبا انا']],
    ['in Devanagari', ['क्या हुआ?', 'क्या हुआ।']],
    ['in Thai', ['น้ำ!', '“น้\u0E4D\u0E32”']],
    ['in Chinese', ['为什么？因为。', '为什么|因为！']],
    ['in Japanese', ['「ガム」', 'ｶﾞﾑ！', 'カ\u3099ム']],
    ['in Korean', ['한국, 농담', '한국 농담'.normalize('NFD')]],
    ['in Ethiopic', ['ሰላም፡ነው', 'ሰላም ነው።']],
    ['in any skin tone', ['👋🏽 ☎\uFE0F', '👋☎']],
    ['with invisible characters', ['chicken', 'chick\u00ADen\u200B', '\u2800chicken\uFE0F']],
  ])('jokes are equal %s', (_, texts) => {
    expect(texts.map(formOf)).toEqual(texts.map(() => formOf(`${texts[0]}`)))
  })

  it.each([
    ['symbols', ['C', 'C#', 'C++', 'C+', 'C*', 'C%', 'C&', 'C@', 'C/', 'C\\', 'C$', 'C=', 'C 2']],
    ['groups', ['To|gether', 'Together', 'To get her']],
    ['emoji', ['🐔', '🐓', '🐔🐔', '🇫🇷', '🇬🇧', '〰', '']],
    ['flags of regions', ['🏴', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E007F}', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E007F}']],
    ['order', ['dog bites man', 'man bites dog']],
    ['punctuation alone', ['?', '?!', '!', '…']],
    ['lone marks', ['¨', '´', '゛']],
    ['Latin letters', ['cat', 'cut']],
    ['Cyrillic letters', ['кот', 'код', 'kot']],
    ['Devanagari vowels and signs', ['क', 'का', 'की', 'कु']],
    ['Thai tones and vowels', ['มา', 'ม้า', 'หมา']],
    ['Japanese voicing marks', ['かき', 'がき', 'カキ']],
    ['Hangul', ['말', '밀']],
    ['Chinese characters', ['未', '末']],
    ['Hebrew letters', ['כלב', 'חלב']],
    ['Arabic letters', ['حب', 'جب']],
    ['Tamil vowels', ['கல்', 'கால்']],
    ['Georgian letters', ['კარი', 'ქარი']],
    ['words of scripts without spaces', ['東京都', '東京 都']],
  ])('jokes are not equal if they differ in %s', (_, texts) => {
    expect(new Set(texts.map(formOf)).size).toBe(texts.length)
  })

  it('the id of a text never changes', () => {
    const latin = Array.from({ length: 0x250 - 0xc0 }, (_, index) => String.fromCodePoint(0xc0 + index)).join(' ')
    const others =
      'Ο δρόμος; Всё ещё… Ինչո՞ւ և שָׁלוֹם, װאָס? مَرْحَبًا، أنا؟ क्या हुआ? น้ำ! 为什么？ ｶﾞﾑ 한국 ሰላም፡ነው 👋🏽 ☎️ 🇫🇷 C# C++'
    expect(identify({ joke: latin, punchline: others })).toBe('6xWxhkRxse3EJa-qCyb-UD')
  })

  it('invisible characters do not affect the equality of jokes', () => {
    const letter = fc.oneof(
      fc.constantFrom('Ç', '’', 'ʼ', '‼', '#', 'Ϊ', '\u0301', '\u20E3', 'ﬁ', 'ำ', 'İ', 'か\u3099', ' '),
      fc.string({ unit: 'binary' }).filter((text) => !text.includes('🏴')),
    )
    const invisible = fc.constantFrom('', '\u2800', '\u200B', '\uFE0F', '\u00AD', '\u3164', '\u{E0067}')
    const property = fc.property(fc.array(fc.tuple(letter, invisible), { maxLength: 20 }), (pairs) => {
      const text = pairs.map(([letter]) => letter).join('')
      expect(formOf(`\u3164 ${pairs.flat().join('')} `)).toBe(formOf(text))
    })
    fc.assert(property, { numRuns: 1_000 })
  })
})

describe('normalization of words', () => {
  it.each([
    ['in any case', ['GROẞ', 'groß', 'gross', 'GROSS'], 'gross'],
    ['with Hebrew points or without', ['שָׁלוֹם', 'שלום'], 'שלום'],
    ['with Arabic harakat or without', ['مَرْحَبًا', 'مرحبا'], 'مرحبا'],
    ['with an Arabic hamza above or without', ['أنا', 'انا'], 'انا'],
    ['for œ and oe', ['cœur', 'CŒUR', 'coeur'], 'coeur'],
    ['for æ and ae', ['Ægir', 'ægir', 'aegir'], 'aegir'],
    ['for Yiddish ligatures', ['װאָס', 'וואס'], 'וואס'],
    ['for ø and o', ['Øl', 'øl', 'ol'], 'ol'],
    ['for ł and l', ['Łódź', 'łódź', 'lodz'], 'lodz'],
    ['for đ and d', ['Đà', 'đà', 'da'], 'da'],
    ['for ı, İ and i', ['ısı', 'ISI', 'İSİ', 'isi'], 'isi'],
    ['for both lower-case letters of Σ', ['ΟΔΟΣ', 'οδός', 'οδοσ'], 'οδοσ'],
    ['for letters with the same upper-case letter', ['ᲀ', 'В', 'в'], 'в'],
    ['for composed and decomposed letters', ['é', 'e\u0301', 'e'], 'e'],
    ['for composed and decomposed voicing marks', ['が', 'か\u3099'], 'が'],
    ['for half and full width', ['ｶﾞ', 'ガ'], 'ガ'],
    ['for composed and decomposed Hangul', ['한국', '한국'.normalize('NFD')], '한국'],
    ['for the emoji ™️ and tm', ['™\uFE0F', '™', 'tm'], 'tm'],
    ['for the emoji 1️⃣ and 1', ['1\uFE0F\u20E3', '1\u20E3', '1\uFE0F', '1'], '1'],
    ['for an emoji with a selector or without', ['☎\uFE0F', '☎'], '☎'],
    ['for an emoji of any skin tone', ['👋', '👋🏽', '👋🏽\uFE0F'], '👋'],
  ])('words and search words are the same %s', (_, texts, word) => {
    for (const text of texts) expect([text, distinctWordsOf(text), searchWordsOf(text)]).toEqual([text, [word], [word]])
  })

  it.each([
    ['Japanese letters with voicing marks', ['か', 'が', 'は', 'ば', 'ぱ']],
    ['Devanagari letters with vowel signs', ['क', 'का', 'की', 'कु', 'क्']],
    ['Thai letters with vowel signs and tones', ['กา', 'กำ', 'กู']],
  ])('words and search words differ for %s', (_, texts) => {
    expect(new Set(texts.flatMap(distinctWordsOf)).size).toBe(texts.length)
    expect(new Set(texts.flatMap(searchWordsOf)).size).toBe(texts.length)
  })

  const WORDLESS = ['!!', '‼', '‼\uFE0F', '#\uFE0F\u20E3', '#', '*', '…', 'ʼ', '\u0301', '\uFE0F']
  it.each(WORDLESS)('%j has no words and no search words', (text) => {
    expect([distinctWordsOf(text), searchWordsOf(text)]).toEqual([[], []])
  })
})

it.each<[text: string, found: string[], not: string[]]>([
  ['Why did the chicken?', ['chick', 'CHICK why', 'chicken'], ['hy', 'hicken', 'chickens', 'chick street']],
  ['👋🏽🐔 crosses the road', ['🐔', '👋', '👋🏿\uFE0F 🐔', '🐔 road'], ['🐓']],
  ["Don't e-mail l’été", ["don't", 'DON’T', 'dont', 'don', 'email', 'e-mail', "l'ete", 'été'], ['dont x', 'mail-e']],
  ['🇬🇫🇷🇪 is no flag', ['🇬🇫', 'fl'], ['🇫🇷']],
  ['東京都に行く', ['東京', '行'], ['京', '東京-都']],
  ['東京-都', ['東京-都', '都'], ['京']],
  ['chick\u00ADen', ['chicken'], ['en']],
  ['ฉันรักภาษาไทย', ['ภาษา'], ['าษา']],
  ["l'après-midi", ['après-midi', 'midi', "l'après"], ['l-midi']],
])('the text %s is found by the beginnings of its words', (text, found, not) => {
  for (const searchString of [...found, ...not]) {
    const isFound = matches(searchWordsOf(searchString), distinctWordsOf(text))
    expect([searchString, isFound]).toEqual([searchString, found.includes(searchString)])
  }
})

it('longest returns the longest words first', () => {
  expect(longest(['a', 'ccc', 'bb', 'dddd'], 3)).toEqual(['dddd', 'ccc', 'bb'])
})

it.each([
  ['chickens', ['c', 'ch', 'chi', 'chic', 'chick', 'chicke']],
  ['🐔', ['🐔']],
  ['𝄞𝄢𝄞𝄢𝄞𝄢a', ['𝄞', '𝄞𝄢', '𝄞𝄢𝄞', '𝄞𝄢𝄞𝄢', '𝄞𝄢𝄞𝄢𝄞', '𝄞𝄢𝄞𝄢𝄞𝄢']],
])('the prefixes of %s have one to six letters', (word, beginnings) => {
  expect(prefixesOf(word)).toEqual(beginnings)
  expect(longestPrefixOf(word)).toBe(beginnings.at(-1))
  expect(beginnings.map(isLongestPrefix)).toEqual(beginnings.map((_, index) => index === 5))
})
