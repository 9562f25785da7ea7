/** Folds texts for comparison, and splits them into the words by which searches find them. */

/** Matches the flag of a region, such as England's: a black flag, and characters that are invisible elsewhere. */
export const REGION_FLAG = /\u{1F3F4}[\u{E0020}-\u{E007F}]+/u

/** Matches invisible characters: zero-width ones, variation selectors, fillers and the empty Braille pattern. */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/u
const FLAG_OR_INVISIBLE = new RegExp(`(${REGION_FLAG.source})|${INVISIBLE.source}`, 'gu')

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

const APOSTROPHE = /['’‘ʼ]/gu
/** An apostrophe or a hyphen within a word: `don't`, `e-mail`. */
const JOINER = /['’‘ʼ\-\u2010]/u
const JOINERS = new RegExp(JOINER.source, 'gu')

/** Matches a run of letters and digits, without ʼ: an apostrophe that Unicode counts as a letter. */
export const LETTERS = /[[\p{L}\p{M}\p{N}]--ʼ]+/v

/** Matches an emoji, or letters and digits with joiners between them. */
const TOKEN = new RegExp(
  `${REGION_FLAG.source}|\\p{RI}{2}|\\p{Extended_Pictographic}|${LETTERS.source}(?:${JOINER.source}${LETTERS.source})*`,
  'gv',
)

/** Letters of the longest prefixes that have an index list. */
const MAX_PREFIX_LETTERS = 6

/**
 * Yields the words by which searches find a text. Punctuation, white space and symbols separate words. `Intl.Segmenter`
 * splits scripts without spaces. Each emoji is a word. Words joined by an apostrophe or a hyphen count as their parts
 * and as one word. The text after an apostrophe is a further word: `après-midi` in `l'après-midi`.
 */
export function* wordsOf(text: string): Generator<string> {
  for (const token of tokensOf(text)) {
    yield* token.split(JOINER).flatMap(splitUnspaced)
    if (!JOINER.test(token)) continue
    yield joined(token)
    for (const { index } of token.matchAll(APOSTROPHE)) yield joined(token.slice(index + 1))
  }
}

/** Returns the distinct words of a search. Words joined by an apostrophe or a hyphen count as one word. */
export function searchWordsOf(searchString: string): string[] {
  const words = tokensOf(searchString).flatMap((token) => (JOINER.test(token) ? [joined(token)] : splitUnspaced(token)))
  return [...new Set(words)]
}

/** Whether each search word is a prefix of one of the words. */
export function matches(searchWords: string[], words: string[]): boolean {
  return searchWords.every((searchWord) => words.some((word) => word.startsWith(searchWord)))
}

/** Returns the prefixes of a word that have index lists, of one to {@link MAX_PREFIX_LETTERS} letters. */
export function prefixesOf(word: string): string[] {
  const letters = [...word].slice(0, MAX_PREFIX_LETTERS)
  return letters.map((_, index) => letters.slice(0, index + 1).join(''))
}

export function longestPrefixOf(word: string): string {
  return firstLetters(word, MAX_PREFIX_LETTERS)
}

/** Whether a prefix has the maximum length, so that words may differ after it. */
export function isLongestPrefix(prefix: string): boolean {
  return [...prefix].length === MAX_PREFIX_LETTERS
}

/** Returns the first letters of a word. A letter may be two UTF-16 code units. */
export function firstLetters(word: string, count: number): string {
  return [...word].slice(0, count).join('')
}

/** Returns the longest words, which are the most selective. */
export function longest(words: string[], count: number): string[] {
  return words.toSorted((a, b) => b.length - a.length).slice(0, count)
}

function tokensOf(text: string): string[] {
  return withoutAccents(foldText(text)).match(TOKEN) ?? []
}

/** Removes invisible characters, and makes letters lower-case and spaces single. */
export function foldText(text: string): string {
  // An invisible character between a letter and its accent would keep NFKC from joining them. Lower-casing can separate
  // them again, as in Greek.
  const folded = text.replaceAll(FLAG_OR_INVISIBLE, '$1').normalize('NFKC').toLowerCase().normalize('NFKC')
  return folded.replaceAll(/\s+/g, ' ').trim()
}

function joined(token: string): string {
  return token.replaceAll(JOINERS, '')
}

/**
 * Matches combining marks of no particular script, the points of Hebrew and Arabic, and Armenian punctuation within
 * words. It excludes the two Japanese voicing marks, because they make other letters.
 */
const ACCENT = /[[\p{sc=Inherited}--[\u3099\u309A]][\p{Mn}&&[\p{sc=Hebrew}\p{sc=Arabic}]]\u055B\u055C\u055E]/gv

/**
 * Letters that people also write in another way, although Unicode does not decompose them. The last two are the vowels
 * am of Thai and Lao: NFKC takes them apart, and the segmenter would split between the parts.
 */
const LETTERS_ALIKE: Record<string, string> = {
  ...{ œ: 'oe', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', ς: 'σ', װ: 'וו', ױ: 'וי', ײ: 'יי' },
  ...{ '\u0E4D\u0E32': '\u0E33', '\u0ECD\u0EB2': '\u0EB3' },
}
const LETTER_ALIKE = new RegExp(Object.keys(LETTERS_ALIKE).join('|'), 'g')

/** Removes accents. Upper-casing first equates letters that differ only in lower case, and turns ß into `ss`. */
export function withoutAccents(folded: string): string {
  const bare = folded.normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC').toUpperCase().toLowerCase()
  return bare.replaceAll(LETTER_ALIKE, (letter) => LETTERS_ALIKE[letter] ?? letter)
}

function splitUnspaced(run: string): string[] {
  return UNSPACED.test(run) ? segmentsOf(run) : [run]
}

let segmenter: Intl.Segmenter | undefined

/** Splits a text at the borders of its words, in any script. */
export function segmentsOf(run: string): string[] {
  // Created when first needed, because it takes 13 ms, which most cold starts can save.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
