/** What a word is: for the equality of jokes, and for searches. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { identify } from '../shared/joke.ts'
import { equalFormOf, isFoundIn, needlesOf, searchTextOf } from '../shared/words.ts'

/** The joke whose punchline begins at the bar. */
function jokeOf(text: string) {
  const [joke = '', punchline = ''] = text.split('|')
  return { joke, punchline }
}

const formOf = (text: string) => equalFormOf(jokeOf(text))
const isFound = (text: string, search: string) => isFoundIn(searchTextOf(jokeOf(text)), needlesOf(search))

it.each([
  ['wherever the punchline begins', ['Why not?| Why.', 'Why not?  Why.', 'Why| not? Why.']],
  ['in any punctuation', ['“Don’t…” – he said', "'Don't' he said!", 'don´t, he said', 'Dont he ‹said›']],
  [
    'with any apostrophe',
    ["l'eau", 'l’eau', 'l‘eau', 'lʼeau', 'lʻeau', 'l´eau', 'l`eau', 'l′eau', 'l׳eau', 'l｀eau', 'leau'],
  ],
  ['with an apostrophe in a letter', ['ŉ Grap', "'n grap"]],
  ['with any hyphen or a space', ['e-mail', 'e\u2011mail', 'e\u2010mail', 'e mail']],
  ['with any accents or none', ['pêcheur', 'pécheur', 'PECHEUR', 'pe\u0302cheur']],
  ['with ligatures or two letters', ['cœur, Ægir, ǽ', 'coeur aegir ae']],
  ['in any case', ['STRASSE', 'Straße', 'Straẞe', 'strasse']],
  ['in any width', ['ＡＢＣ １ ﬁne', 'abc ① fine']],
  ['in Greek', ['Ο ΔΡΟΜΟΣ;', 'ο δρόμος;', 'ο δρομοσ']],
  ['in Cyrillic', ['Всё ещё…', 'ВСЁ ЕЩЁ!', '«Все еще»']],
  ['in Hebrew and Arabic, with points or without', ['שָׁלוֹם مَرْحَبًا', 'שלום مرحبا']],
  ['in Thai', ['น้ำ!', '“น้\u0E4D\u0E32”']],
  ['in Chinese', ['为什么？因为。', '为什么|因为！', '为什么因为']],
  ['in Japanese', ['「ガム」、ガム', 'ｶﾞﾑ！ ｶﾞﾑ', 'カ\u3099ムガム']],
  ['in Korean', ['한국, 농담', '한국 농담'.normalize('NFD')]],
  ['in any skin tone', ['👋🏽 ☎\uFE0F', '👋☎']],
  ['with invisible characters', ['chicken', 'chick\u00ADen\u200B', '\u2800chicken\uFE0F']],
  ['if they have the same punctuation only', ['?!', '? !', '?|!', '？！']],
])('jokes are equal %s', (_, texts) => {
  expect(texts.map(formOf)).toEqual(texts.map(() => formOf(`${texts[0]}`)))
})

it.each([
  ['symbols', ['C', 'C#', 'C++', 'C+', 'C%', 'C&', 'C@', 'C$', 'C=', 'C^', 'C^2', 'C 2']],
  ['words', ['To|gether', 'Together', 'To get her', 'email', 'e-mail']],
  ['letters', ['smør', 'smor', 'łódź', 'lodz', 'đ', 'd']],
  ['symbols between Chinese characters', ['你好世界', '你好+世界', '你好/世界', '你好😀世界']],
  ['emoji', ['🐔', '🐓', '🐔🐔', '🇫🇷', '🇬🇧', '']],
  ['flags of regions', ['🏴', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E007F}', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E007F}']],
  ['order', ['dog bites man', 'man bites dog']],
  ['punctuation alone', ['?', '?!', '!', '…']],
  ['Devanagari vowels and signs', ['क', 'का', 'की', 'कु']],
  ['Thai tones and vowels', ['มา', 'ม้า', 'หมา']],
  ['Japanese voicing marks', ['かき', 'がき', 'カキ']],
])('jokes are not equal if they differ in %s', (_, texts) => {
  expect(new Set(texts.map(formOf)).size).toBe(texts.length)
})

// The texts have all kinds of characters that decide ids.
it.each([
  ['Why did the developer go broke?|He used up all his cache.', 'D6-iOPHD7UoIaTyCl6O9nZ'],
  ["Don't he’s rock 'n' roll", '3YDhe4MyS8M8nsrUEEK93z'],
  ['Knock-knock! Who’s there?', 'SS20Hn9_POUN0OVQwHqkuF'],
  ['L’élève hésite…', 'lIIfX9cE5zliUv_YLClabs'],
  ['Cœur, Ægir, smørrebrød, łódź', 'R-Y0Tog3qEcSvVoifuqD1l'],
  ['Straße GROẞ ısı İstanbul', 'FyHNyWjrxnuIOvq9IAAVlw'],
  ['?!', 'VF-UDRn63_StRW-RemhN4t'],
  ['Всё ещё… м’ята', 'q60LkEGdcl725rI0pUjBSs'],
  ['Ο ΔΡΟΜΟΣ; οδός', 'm9gk3DA04z7Ilv2537Jw7y'],
  ['שָׁלוֹם עולם', 'X90a-1zvdM1bKNPgD9EqK2'],
  ['مَرْحَبًا، أنا؟ ٣', 'uzm-YjilFOHlFl6J_pnhYF'],
  ['क्या हुआ? हिंदी की', 'hOsiWRj1e7BCTbaUV8tN4g'],
  ['ทำไมน้ำถึงแข็ง เพราะ', 'xAQ90LVuHP6wfL8xmq5HGT'],
  ['为什么？因为。', 'V8obtgPy2tpikqVvau1MKk'],
  ['ｶﾞﾑ、カ\u3099ム ラーメンiPhone15を買う3D', 'zhgd8WeeFIckpJruY1OqYn'],
  ['한국, 농담', 'sYX1r2_cBuao7WNG5dZlJB'],
  ['C# C++ 50 % @home R&D a/b \\ * ^ 1+1=2', 'vooIodoOWIzMn342vMiyDN'],
  ['👋🏽 ☎️ 👨‍👩‍👧 1️⃣ ™ ‼', 'LLWJsInm2CfXT0lVjyXyGy'],
  ['🇫🇷🇬🇧 🏴 🏴\u{E0067}\u{E0062}\u{E007F}', 'CWY4WRJAPuiYINSBVSWEPj'],
  ['ﬁne ① ½ x² Ｗｉｄｅ zero\u200bwidth chick\u00ADen', 'hDlrz8SRe4eLJjmi332tOM'],
])('the id of a text never changes: %s', (text, id) => {
  expect(identify(jokeOf(text))).toBe(id)
})

it.each<[text: string, found: string, not: string]>([
  ['Why did the chicken?', 'chick|CHICK why|chicken', 'hy|hicken|chickens|chick street'],
  ['One hen|pecks. 東', 'hen one|pecks', 'henpecks'],
  ['Ça va, naïf ?', 'ca|NAIF|naı\u0308|c\u0327a va', 'a|aif'],
  ["Don't e-mail", 'don|dont|don’t|t|mail|email|e-mail|E\u2011MAIL', 'e-m x|mail-e|ont'],
  ["rock-'n'-roll, --dashed--", 'rock n roll|dashed|n', 'rocknroll|nroll'],
  ['12-11-10-9-8-7-6-5-4-3-2-1-boom', '12 11-10|3|boom', 'oom'],
  ["qu'aujourd'hui", "aujourd'hui|aujourdhui|hui|qu'aujourd|quaujourdhui", 'quhui|jour'],
  ['chick\u00ADen e\u200Bgg', 'chicken egg', 'en|gg'],
  ['GROẞ ǰ', 'groß|gross|j', 'gro s'],
  ['Cœur Ægir ısı ﬁne ①', 'coeur|cœur|aegir|isi|İSİ|fine 1', 'œur'],
  ['ΟΔΟΣ ᲀ', 'οδός|οδοσ|в', 'δοσ'],
  ['שָׁלוֹם', 'שלום', 'לום'],
  ['مَرْحَبًا أنا', 'مرحبا|انا|أنا', 'رحبا'],
  ['क्या', 'क्', 'कि'],
  ['東京都に行く', '東京|京都|に行|行|東京 行', '京東|東京 北'],
  ['你好，世界', '世界|好世|你好世界|你好, 世界', '界你'],
  ['كتاب مدرسة على', 'کتاب|مدرسه|علي', 'تاب'],
  ['東京-都 ラーメン', '都|ーメ|ﾗｰﾒﾝ', 'ラメン'],
  ['iPhone15を買う3D', 'iphone15|iphone15を|買う|3d|を買 iph', 'phone|d|15'],
  ['ฉันรักภาษาไทย น้ำ ຄຳ ខ្មែរ မြန်မာ', 'ภาษา|าษ|น้\u0E4D\u0E32|ຄ|មែ|န်မာ', 'ไทยภาษา'],
  ['が', 'か\u3099', 'か'],
  ['👋🏽🐔 ☎\uFE0Fa', '👋|🐔|👋🏿\uFE0F 🐔|☎ a|☎\uFE0F', '🐓'],
  ['👨‍👩‍👧', '👨|👩|👧|👧‍👨', '👦'],
  ['🇫🇷🇬🇧 🏴\u{E0067}\u{E0062}\u{E007F}', '🇫🇷|🇬🇧|🏴|🏴\u{E0067}\u{E0062}\u{E007F}', '🇷🇬|🏴\u{E0067}\u{E0073}\u{E007F}'],
  ['™\uFE0F 1\uFE0F\u20E3', 'tm|™|1', '2'],
  ['C++, 50 %', 'c++|+|%|50%|c#|50 &', '-|#|d++'],
  [`${'가나 '.repeat(499)}끝`, '끝', '나'],
  ['!! ‼\uFE0F … ʼ \u0301', '', '!!|‼|‼\uFE0F|…|ʼ|\u0301|\uFE0F| '],
])('in %s, a search finds the beginnings of words', (text, found, not) => {
  for (const search of found.split('|')) expect([search, isFound(text, search)]).toEqual([search, found !== ''])
  for (const search of not.split('|')) expect([search, isFound(text, search)]).toEqual([search, false])
})

it('a text of apostrophes does not become many times as long', () => {
  const text = "a'".repeat(500)
  expect(searchTextOf({ joke: text, punchline: text }).length).toBeLessThan(10 * 2_000)
})

it('a text in ASCII has the same words as within another text', () => {
  const text = fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)) })
  const property = fc.property(text, (joke) => {
    expect(searchTextOf({ joke: `${joke} 京` })).toBe(searchTextOf({ joke: `${joke} z` }).replace(/Z$/, '京'))
    const formWith = (end: string) => equalFormOf({ joke: `${joke} ${end}`, punchline: '' })
    expect(formWith('京')).toBe(formWith('z').replace(/Z$/, '京'))
  })
  fc.assert(property, { numRuns: 1_000 })
})
