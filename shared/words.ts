/** The words of a text, as search compares them: without case and accents. */

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** An emoji, or runs of letters and digits that apostrophes or hyphens join: `don't`, `e-mail`. */
const TOKEN = /\p{RI}{2}|\p{Extended_Pictographic}|[\p{L}\p{M}\p{N}]+(?:['’‘ʼ＇\-\u2010\u2011][\p{L}\p{M}\p{N}]+)*/gu

const JOINER = /['’‘ʼ＇\-\u2010\u2011]/u

/**
 * Each word of a joke costs a row in the database. No text of `MAX_TEXT_LENGTH` in a script with spaces has so
 * many distinct words, unless it was made to be expensive.
 */
const MAX_WORDS = 600

/**
 * The distinct words of a text that a search can find: what stands between punctuation, white space and symbols, what
 * `Intl.Segmenter` takes for a word in scripts written without spaces, and emoji. Words joined by an apostrophe or a
 * hyphen count as their parts and as one word. At most the first 600.
 */
export function wordsOf(text: string): string[] {
  const words = tokensOf(text).flatMap((token) => {
    const parts = token.split(JOINER)
    return [...parts.flatMap(segments), ...(parts.length > 1 ? [parts.join('')] : [])]
  })
  return distinct(words).slice(0, MAX_WORDS)
}

/** The distinct words of a search string; words joined by an apostrophe or a hyphen count as one word. */
export function searchWordsOf(searchString: string): string[] {
  return distinct(tokensOf(searchString).flatMap((token) => segments(token.split(JOINER).join(''))))
}

/** Whether each of the search words is the beginning of one of the words. */
export function matches(searchWords: string[], words: string[]): boolean {
  return searchWords.every((searchWord) => words.some((word) => word.startsWith(searchWord)))
}

/**
 * The number of letters of a word that name its place in an index: two, or one where a single character tells as much,
 * in scripts written without spaces and of emoji.
 */
export function prefixLength(word: string): number {
  return /^[\p{RI}\p{Extended_Pictographic}]/u.test(word) || UNSPACED.test([...word][0] ?? '') ? 1 : 2
}

function tokensOf(text: string): string[] {
  const visible = text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC')
  return visible.match(TOKEN) ?? []
}

function distinct(words: string[]): string[] {
  return [...new Set(words.map(fold))].filter((word) => word !== '')
}

/** Accents: marks that go with any script. The two Japanese voicing marks make other letters, so they stay. */
const ACCENT = /[\p{sc=Inherited}--[\u3099\u309A]]/gv

/** Upper-casing first makes equal what differs only in lower case, such as ß and ss, or the two small sigmas. */
function fold(word: string): string {
  const bare = word.normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC')
  return bare.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

let segmenter: Intl.Segmenter | undefined

function segments(run: string): string[] {
  if (!UNSPACED.test(run)) return [run]
  // Made when first needed: ICU takes 13 ms to set one up, which most cold starts can do without.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
