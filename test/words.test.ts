/** What a word is: for the equality of jokes, and for searches. */
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
  ['with any apostrophe', ['leau', ...Array.from("'’‘ʼʻ´`′׳｀", (apostrophe) => `l${apostrophe}eau`)]],
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
  ['in Chinese', ['为什么？因为。', '为什么|因为！', '“为什么”因为']],
  ['in Japanese', ['「ガム」、ガム', 'ｶﾞﾑ！ ｶﾞﾑ', 'カ\u3099ム。ガム']],
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
  ['Why did the developer go broke?|He used up all his cache.', '4aPyoroA2qmZQ6vYOkx67i'],
  ["Don't he’s rock 'n' roll", 'qyXn5D3M4GQIj-fNn85Hnj'],
  ['Knock-knock! Who’s there?', 'RQfuA20MBOjJPMIG_5sQgN'],
  ['L’élève hésite…', 'VMaM-10ftFkSdR-v9PGQ4S'],
  ['Cœur, Ægir, smørrebrød, łódź', 'LeL-_aYCtZrp3WKzDEtVOf'],
  ['Straße GROẞ ısı İstanbul', 'fZnZa_RoTJMhjnTLPejziq'],
  ['ɤ ƛ ɽ ꟴ ẘ', 'EI3K-VUws7UEKBjooY1Dse'],
  ['?!', 'VF-UDRn63_StRW-RemhN4t'],
  ['Всё ещё… м’ята', 'dpZJiD11qMJL2396Ljxeiu'],
  ['Ο ΔΡΟΜΟΣ; οδός', '7kNJTmd5lNB9gXRHWbyVwG'],
  ['שָׁלוֹם עולם', 'X90a-1zvdM1bKNPgD9EqK2'],
  ['مَرْحَبًا، أنا؟ ٣', 'uzm-YjilFOHlFl6J_pnhYF'],
  ['क्या हुआ? हिंदी की', 'hOsiWRj1e7BCTbaUV8tN4g'],
  ['ทำไมน้ำถึงแข็ง เพราะ', 'mEQwgvLQHaICwPHSh_A6l_'],
  ['为什么？因为。', '9PcgZDsLz97FQxy4y4Ojh7'],
  ['ｶﾞﾑ、カ\u3099ム ラーメンiPhone15を買う3D', 'zuUG2QvLQpG8udvzGOwBW1'],
  ['한국, 농담', 'sYX1r2_cBuao7WNG5dZlJB'],
  ['C# C++ 50 % @home R&D a/b \\ * ^ 1+1=2', 'wBKDgkL2k4BW9N7ZE5FPG6'],
  ['👋🏽 ☎️ 👨‍👩‍👧 1️⃣ ™ ‼', 'WRPZmj__flyiUAUVuWBQzy'],
  ['🇫🇷🇬🇧 🏴 🏴\u{E0067}\u{E0062}\u{E007F} 🫪\u{1FADD}', '4LI9TJ5_OuZYOGea3dDZdd'],
  ['ﬁne ① ½ x² Ｗｉｄｅ zero\u200bwidth chick\u00ADen', 'f8iKOc58ZjZhPG_wmoxI89'],
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
  ["qu'est-c'que-tu", 'tu|quetu|cquetu|estcquetu', 'stc'],
  ["qu'aujourd'hui", "aujourd'hui|aujourdhui|hui|qu'aujourd|quaujourdhui", 'quhui|jour'],
  ['chick\u00ADen e\u200Bgg', 'chicken egg', 'en|gg'],
  ['GROẞ ǰ', 'groß|gross|j', 'gro s'],
  ['Cœur Ægir ısı ﬁne ①', 'coeur|cœur|aegir|isi|İSİ|fine 1', 'œur'],
  ['ΟΔΟΣ', 'οδός|οδοσ', 'δοσ'],
  ['שָׁלוֹם', 'שלום', 'לום'],
  ['مَرْحَبًا أنا', 'مرحبا|انا|أنا', 'رحبا'],
  ['क्या', 'क्', 'कि'],
  ['東京都に行く', '東京|京都|に行|行|東京 行', '京東|東京 北'],
  ['你好，世界', '世界|你好, 世界', '好世|界你'],
  ['كتاب مدرسة على', 'کتاب|مدرسه|علي', 'تاب'],
  ['東京-都 ラーメン', '都|ーメ|ﾗｰﾒﾝ', 'ラメン'],
  ['iPhone15を買う3D', 'iphone15|iphone15を|買う|3d|を買 iph', 'phone|d|15'],
  ['ฉันรักภาษาไทย น้ำ ຄຳ ខ្មែរ မြန်မာ', 'ภาษา|าษ|น้\u0E4D\u0E32|ຄ|មែ|န်မာ', 'ไทยภาษา'],
  ['が', 'か\u3099', 'か'],
  ['👋🏽🐔 ☎\uFE0Fa', '👋|🐔|👋🏿\uFE0F 🐔|☎ a|☎\uFE0F', '🐓'],
  ['👨‍👩‍👧', '👨|👩|👧|👧‍👨', '👦'],
  ['🇫🇷🇬🇧 🏴\u{E0067}\u{E0062}\u{E007F}', '🇫🇷|🇬🇧|🏴|🏴\u{E0067}\u{E0062}\u{E007F}', '🇷🇬|🇬🇷|🇸🇪 🏴'],
  ['™\uFE0F 1\uFE0F\u20E3', 'tm|™|1', '2'],
  ['C++, 50 %', 'c++|+|%|50%|c#|50 &', '-|#|d++'],
  [`${'가나 '.repeat(499)}끝`, '끝', '나'],
  ['!! ‼\uFE0F … ʼ \u0301', '', '!!|‼|‼\uFE0F|…|ʼ|\u0301|\uFE0F| '],
])('in %s, a search finds the beginnings of words', (text, found, not) => {
  for (const search of found.split('|')) expect([search, isFound(text, search)]).toEqual([search, found !== ''])
  for (const search of not.split('|')) expect([search, isFound(text, search)]).toEqual([search, false])
})

it('a search looks for its ten longest words, and of equal length for the first by alphabet', () => {
  const found = 'aa bb cc dd ee ff gg hh iii'
  expect(isFound(found, `j iii hh gg ff ee dd cc bb aa k`)).toBe(false)
  expect(isFound(`${found} j`, `zz ${found} j`)).toBe(false)
  expect(isFound(`${found} ab`, `zz ${found} ab i`)).toBe(true)
  expect(needlesOf('東京 a 東京 A')).toEqual(['東京', ' a'])
})

// Each would take a search a hundred times as long.
it.each(["a'", 'ﷺ', '㌖', 'a-'])('a search looks in at most 4,000 characters of a joke of %s', (unit) => {
  const text = unit.repeat(1_000).slice(0, 1_000)
  expect(searchTextOf({ joke: text, punchline: text }).length).toBeLessThanOrEqual(4_000)
})

it('hyphens make the text in which a search looks at most five times as long', () => {
  const joke = 'abcdefghi-'.repeat(40)
  expect(searchTextOf({ joke }).length).toBeLessThanOrEqual(5 * joke.length)
})
