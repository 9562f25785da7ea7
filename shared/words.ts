/** The words of a text as search compares them: without case and accents. */

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** An apostrophe or a hyphen within a word: `don't`, `e-mail`. */
const JOINER = /['’‘ʼ＇\-\u2010\u2011]/u

const LETTERS = /[\p{L}\p{M}\p{N}]+/u

/** An emoji, or letters and digits, perhaps with joiners in between. */
const TOKEN = new RegExp(
  `\\p{RI}{2}|\\p{Extended_Pictographic}|${LETTERS.source}(?:${JOINER.source}${LETTERS.source})*`,
  'gu',
)

/**
 * Each word of a joke costs a row in the database. In a script with spaces, only a text made to be expensive has more
 * distinct words.
 */
const MAX_WORDS = 600

/**
 * The distinct words by which a text can be found, at most {@link MAX_WORDS}: what stands between punctuation, white
 * space and symbols, what `Intl.Segmenter` considers a word in scripts written without spaces, and emoji. Words joined
 * by an apostrophe or a hyphen count as their parts and as one word.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = []
  for (const token of tokensOf(text)) {
    const parts = token.split(JOINER)
    words.push(...parts.flatMap(segments))
    if (parts.length > 1) words.push(parts.join(''))
  }
  return distinct(words).slice(0, MAX_WORDS)
}

/** The distinct words of a search string; words joined by an apostrophe or a hyphen count as one word. */
export function searchWordsOf(searchString: string): string[] {
  return distinct(tokensOf(searchString).flatMap((token) => segments(token.split(JOINER).join(''))))
}

/** Whether each search word is the start of one of the words. */
export function matches(searchWords: string[], words: string[]): boolean {
  return searchWords.every((searchWord) => words.some((word) => word.startsWith(searchWord)))
}

/** The longest words, as they are the most selective. */
export function longest(words: string[], count: number): string[] {
  return words.toSorted((one, other) => other.length - one.length).slice(0, count)
}

/**
 * How many characters of a word are its partition key in the word index: two, or one in emoji and scripts written
 * without spaces, where one is as selective.
 */
export function prefixLength(word: string): number {
  return SINGLE_PREFIX.test(word) ? 1 : 2
}

const SINGLE_PREFIX = new RegExp(`^(?:[\\p{RI}\\p{Extended_Pictographic}]|${UNSPACED.source})`, 'u')

function tokensOf(text: string): string[] {
  const visible = text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC')
  return visible.match(TOKEN) ?? []
}

/** The distinct words, folded: all at once, which is five times as fast as one after the other. */
function distinct(words: string[]): string[] {
  return [...new Set(fold(words.join('\n')).split('\n'))].filter((word) => word !== '')
}

/** Combining marks of no particular script. The two Japanese voicing marks make other letters, so they stay. */
const ACCENT = /[\p{sc=Inherited}--[\u3099\u309A]]/gv

/**
 * Upper-casing first equates letters that differ only in lower case, such as ß and ss. Lower-casing makes ς of a Σ that
 * ends a word, so ς becomes σ.
 */
function fold(text: string): string {
  const bare = text.normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC')
  return bare.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

let segmenter: Intl.Segmenter | undefined

function segments(run: string): string[] {
  if (!UNSPACED.test(run)) return [run]
  // Created when first needed: it takes ICU 13 ms, which most cold starts can save.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
