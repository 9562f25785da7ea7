import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isFoundIn, needlesOf, searchTextOf } from '../shared/searchText.ts'
import { expected } from './support/model.ts'

const isFound = (joke: string, searchString: string) => isFoundIn(searchTextOf({ joke }), needlesOf(searchString))

it.each<[text: string, found: string, not: string]>([
  ['Why did the chicken?', 'chick|CHICK why|chicken', 'hy|hicken|chickens|chick street'],
  ['Ça va, naïf ?', 'ca|NAIF|naı\u0308|c\u0327a va', 'a|aif'],
  ["Don't e-mail", 'don|dont|don’t|t|mail|email|e-mail|E\u2011MAIL', 'e-m x|mail-e|ont'],
  ["rock-'n'-roll, --dashed--", 'rock n roll|dashed|n', 'rocknroll|nroll'],
  ["qu'aujourd'hui", "aujourd'hui|aujourdhui|hui|qu'aujourd|quaujourdhui", 'quhui|jour'],
  ['chick\u00ADen e\u200Bgg', 'chicken egg', 'en|gg'],
  ['GROẞ ǰ ŉ', 'groß|gross|j|n', 'gro s'],
  ['Cœur Ægir Łódź Øl Đà ısı ﬁne ①', 'coeur|cœur|aegir|lodz|OL|da|isi|İSİ|fine 1', 'œur'],
  ['ΟΔΟΣ ᲀ', 'οδός|οδοσ|в', 'δοσ'],
  ['שָׁלוֹם װאָס', 'שלום|וואס|װאָס', 'לום'],
  ['مَرْحَبًا أنا', 'مرحبا|انا|أنا', 'رحبا'],
  ['क्या', 'क्', 'कि'],
  ['東京都に行く', '東京|京都|に行|行', '京東|東京 北'],
  ['東京-都 ラーメン', '東京-都|都|ーメ|ﾗｰﾒﾝ', 'ラメン'],
  ['iPhone15を買う3D', 'iphone15|iphone15を|買う|3d|を買 iph', 'phone|d|15'],
  ['ฉันรักภาษาไทย น้ำ ຄຳ ខ្មែរ မြန်မာ', 'ภาษา|าษ|น้\u0E4D\u0E32|ຄ|មែ|န်မာ', 'ไทยภาษา'],
  ['が', 'か\u3099', 'か'],
  ['👋🏽🐔 ☎\uFE0Fa', '👋|🐔|👋🏿\uFE0F 🐔|☎ a|☎\uFE0F', '🐓'],
  ['👨‍👩‍👧', '👨|👩|👧|👧‍👨', '👦'],
  ['🇫🇷🇬🇧 🏴\u{E0067}\u{E0062}\u{E007F}', '🇫🇷|🇬🇧|🏴|🏴\u{E0067}\u{E0062}\u{E007F}', '🇷🇬|🏴\u{E0067}\u{E0073}\u{E007F}'],
  ['™\uFE0F 1\uFE0F\u20E3', 'tm|™|1', '2'],
  [`${'가나 '.repeat(499)}끝`, '끝', '나'],
  ['!! ‼\uFE0F #\uFE0F\u20E3 * … ʼ \u0301', '', '!!|‼|‼\uFE0F|#\uFE0F\u20E3|#|…|ʼ|\u0301|\uFE0F| '],
])('in %s, a search finds the beginnings of words', (text, found, not) => {
  for (const search of found.split('|')) expect([search, isFound(text, search)]).toEqual([search, found !== ''])
  for (const search of not.split('|')) expect([search, isFound(text, search)]).toEqual([search, false])
})

const OTHER_KEYBOARD = [
  ...['l’eau', 'l‘eau', 'lʼeau', 'l´eau', 'l`eau', 'l′eau', 'lʻeau', 'l׳eau', 'l＇eau'].map((other) => [
    "l'eau",
    other,
  ]),
  ...['كتاب کتاب', 'علي علی', 'على علی', 'مدرسة مدرسه', 'كتـــاب كتاب'].map((pair) => pair.split(' ')),
  ...['٢٠٢٦ 2026', '۲۰۲۶ 2026', '२०२६ ๒๐๒๖', '𑄶𑄷 01'].map((pair) => pair.split(' ')),
]
it.each(OTHER_KEYBOARD)('%s and %s find each other', (one = '', other = '') => {
  expect([isFound(one, other), isFound(other, one)]).toEqual([true, true])
})

it('setup and punchline are searched as separate texts', () => {
  const text = searchTextOf({ joke: 'One hen', punchline: 'pecks. 東' })
  expect(text).toBe(' one hen pecks 東')
  expect(['hen one', 'pecks', 'henpecks'].map((search) => isFoundIn(text, needlesOf(search)))).toEqual([
    true,
    true,
    false,
  ])
})

it('each needle is distinct, and begins a word unless its script has no spaces', () => {
  expect(needlesOf("Don't don’t 東京 🐔 3")).toEqual([' dont', '東京', ' 🐔', ' 3'])
})

it('a text of apostrophes does not become many times as long', () => {
  const text = "a'".repeat(500)
  expect(searchTextOf({ joke: text, punchline: text }).length).toBeLessThan(10 * 2_000)
})

it('searches match a model', () => {
  const word = fc.constantFrom(...'a an Ante ça CA été zoo 7 ٧ цыплёнок 東京 京都 🐔'.split(' '))
  const separator = fc.constantFrom(' ', ', ', '\n', '-', "'", '’', '')
  const text = fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 6 }).map((pairs) => pairs.flat().join(''))
  const facts = { id: '', punchline: '', category: 'Classic' as const, thumbsUp: 0, thumbsDown: 0, dateAdded: '' }
  const property = fc.property(text, text, (joke, searchString) => {
    expect(isFound(joke, searchString)).toBe(expected([{ ...facts, joke }], { searchString }).length === 1)
  })
  fc.assert(property, { numRuns: 1_000 })
})
