/** Texts as they are matched, and the words by which a search finds them. */

/** A black flag and the characters, invisible elsewhere, that make it the flag of a region, such as England's. */
export const REGION_FLAG = /\u{1F3F4}[\u{E0020}-\u{E007F}]+/u

/** Characters that show nothing: zero-width ones, variation selectors, fillers and the Braille pattern without dots. */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/u
const FLAG_OR_INVISIBLE = new RegExp(`(${REGION_FLAG.source})|${INVISIBLE.source}`, 'gu')

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

const APOSTROPHE = /['’‘ʼ]/gu
/** An apostrophe or a hyphen within a word: `don't`, `e-mail`. */
const JOINER = /['’‘ʼ\-\u2010]/u
const JOINERS = new RegExp(JOINER.source, 'gu')

/** Unicode takes one of the apostrophes, ʼ, for a letter. */
export const LETTERS = /[[\p{L}\p{M}\p{N}]--ʼ]+/v

/** An emoji, or letters and digits, perhaps with joiners in between. */
const TOKEN = new RegExp(
  `${REGION_FLAG.source}|\\p{RI}{2}|\\p{Extended_Pictographic}|${LETTERS.source}(?:${JOINER.source}${LETTERS.source})*`,
  'gv',
)

/** Letters of the longest beginning of a word for which there is a word list. */
const MAX_PREFIX_LETTERS = 6

/**
 * The words by which a text can be found: what stands between punctuation, white space and symbols, what `Intl.Segmenter`
 * considers a word in scripts written without spaces, and emoji. Words joined by an apostrophe or a hyphen count as their
 * parts and as one word, and so does what follows an apostrophe: `l'après-midi` as `après-midi`.
 */
export function* wordsOf(text: string): Generator<string> {
  for (const token of tokensOf(text)) {
    yield* token.split(JOINER).flatMap(segments)
    if (!JOINER.test(token)) continue
    yield joined(token)
    for (const { index } of token.matchAll(APOSTROPHE)) yield joined(token.slice(index + 1))
  }
}

/** The distinct words of a search string; words joined by an apostrophe or a hyphen count as one word. */
export function searchWordsOf(searchString: string): string[] {
  const words = tokensOf(searchString).flatMap((token) => (JOINER.test(token) ? [joined(token)] : segments(token)))
  return [...new Set(words)]
}

/** Whether each search word is the beginning of one of the words. */
export function matches(searchWords: string[], words: string[]): boolean {
  return searchWords.every((searchWord) => words.some((word) => word.startsWith(searchWord)))
}

/** The prefixes of a word, of one to {@link MAX_PREFIX_LETTERS} letters. */
export function prefixesOf(word: string): string[] {
  const letters = [...word].slice(0, MAX_PREFIX_LETTERS)
  return letters.map((_, index) => letters.slice(0, index + 1).join(''))
}

/** The longest beginning of a word. */
export function longestPrefixOf(word: string): string {
  return firstLetters(word, MAX_PREFIX_LETTERS)
}

/** Whether a beginning is as long as any, so that longer words may differ after it. */
export function isLongestPrefix(prefix: string): boolean {
  return [...prefix].length === MAX_PREFIX_LETTERS
}

/** The first letters of a word. A letter may be two UTF-16 code units. */
export function firstLetters(word: string, count: number): string {
  return [...word].slice(0, count).join('')
}

/** The longest words, as they are the most selective. */
export function longest(words: string[], count: number): string[] {
  return words.toSorted((a, b) => b.length - a.length).slice(0, count)
}

/** The emoji, and runs of letters and digits, in the order of the text, as search compares them. */
function tokensOf(text: string): string[] {
  return withoutAccents(foldText(text)).match(TOKEN) ?? []
}

/** Without invisible characters, in lower case, and with single spaces. */
export function foldText(text: string): string {
  // Invisible characters go first: one between a letter and its accent would keep NFKC from joining them. Lower-casing can
  // take apart what NFKC has joined, as in Greek.
  const folded = text.replaceAll(FLAG_OR_INVISIBLE, '$1').normalize('NFKC').toLowerCase().normalize('NFKC')
  return folded.replaceAll(/\s+/g, ' ').trim()
}

function joined(token: string): string {
  return token.replaceAll(JOINERS, '')
}

/**
 * Combining marks of no particular script, the points of Hebrew and Arabic, and Armenian punctuation, which stands within
 * words. The two Japanese voicing marks make other letters, so they stay.
 */
const ACCENT = /[[\p{sc=Inherited}--[\u3099\u309A]][\p{Mn}&&[\p{sc=Hebrew}\p{sc=Arabic}]]\u055B\u055C\u055E]/gv

/**
 * Letters that people also write as others, which Unicode does not decompose; and the vowels am of Thai and Lao, which NFKC
 * takes apart, so that the segmenter would split between the two.
 */
const LETTERS_ALIKE: Record<string, string> = {
  ...{ œ: 'oe', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', ς: 'σ', װ: 'וו', ױ: 'וי', ײ: 'יי' },
  ...{ '\u0E4D\u0E32': '\u0E33', '\u0ECD\u0EB2': '\u0EB3' },
}
const LETTER_ALIKE = new RegExp(Object.keys(LETTERS_ALIKE).join('|'), 'g')

/** Upper-casing first equates letters that differ only in lower case, and makes two of ß. */
export function withoutAccents(folded: string): string {
  const bare = folded.normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC').toUpperCase().toLowerCase()
  return bare.replaceAll(LETTER_ALIKE, (letter) => LETTERS_ALIKE[letter] ?? letter)
}

let segmenter: Intl.Segmenter | undefined

function segments(run: string): string[] {
  if (!UNSPACED.test(run)) return [run]
  // Created when first needed: it takes ICU 13 ms, which most cold starts can save.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
