/** The words of a text, as search compares them. */

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** No writing puts more than 30 marks on a letter (UAX #15, 13), and to normalize more takes the square of their number. */
const LONG_MARKS = /(\p{M}{30})\p{M}+/gu

/**
 * The distinct words of a text, without case and accents: what stands between punctuation, white space and symbols,
 * and in languages written without spaces what `Intl.Segmenter` takes for a word.
 */
export function wordsOf(text: string): string[] {
  const runs =
    text
      .replaceAll(LONG_MARKS, '$1')
      .normalize('NFKC')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const words = runs.flatMap((run) => (UNSPACED.test(run) ? segments(run) : [run])).map(fold)
  return [...new Set(words)].filter((word) => word !== '')
}

/** Words as one string, each with a space before it, so that ` ca` is in it when one of them begins with `ca`. */
export function searchable(words: string[]): string {
  return words.map((word) => ` ${word}`).join('')
}

/** Whether each of some beginnings begins one of the words that {@link searchable} has made a string of. */
export function matches(beginnings: string[], words: string): boolean {
  return beginnings.every((beginning) => words.includes(` ${beginning}`))
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
  // Made when first needed: ICU takes 13 ms to set one up, which most cold starts can do without.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
