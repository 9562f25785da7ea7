/** The words of a text as search compares them: without case and accents. */

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** An apostrophe or a hyphen within a word: `don't`, `e-mail`. */
const JOINER = /['’‘ʼ＇\-\u2010\u2011]/u

const JOINERS = new RegExp(JOINER.source, 'gu')

const LETTERS = /[\p{L}\p{M}\p{N}]+/u
const ENDS_IN_LETTER = /[\p{L}\p{M}\p{N}]$/u
const STARTS_AS_LETTER = /^[\p{L}\p{N}]/u

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu

/** An emoji, or letters and digits, perhaps with joiners in between. */
const TOKEN = new RegExp(
  `\\p{RI}{2}|\\p{Extended_Pictographic}|${LETTERS.source}(?:${JOINER.source}${LETTERS.source})*`,
  'gu',
)

/** A plain character that a selector or a keycap makes an emoji: ‼️, #️⃣. Without one, it is punctuation, letter or digit. */
const SELECTED_EMOJI = /([\p{Emoji}--\p{Emoji_Modifier}]\uFE0F?\u20E3|[\p{Emoji}--[0-9\p{Emoji_Modifier}]]\uFE0F)/v

/** Letters of the longest beginning of a word for which there is a list. */
const MAX_BEGINNING = 6

/**
 * Each beginning of a joke's words costs a row in the database. Natural texts of 2,000 characters have about 600; only a
 * text in several languages, or made to be expensive, has more. Its further words cannot be searched for.
 */
const MAX_BEGINNINGS = 670

/**
 * The distinct words by which a text can be found, as many as have {@link MAX_BEGINNINGS} beginnings: what stands between
 * punctuation, white space and symbols, what `Intl.Segmenter` considers a word in scripts written without spaces, and
 * emoji. Words joined by an apostrophe or a hyphen count as their parts and as one word.
 */
export function wordsOf(text: string): string[] {
  const beginnings = new Set<string>()
  const found: string[] = []
  for (const word of allWordsOf(text)) {
    for (const beginning of beginningsOf(word)) beginnings.add(beginning)
    if (beginnings.size > MAX_BEGINNINGS) break
    found.push(word)
  }
  return found
}

/** Like {@link wordsOf}, but all words. */
export function allWordsOf(text: string): string[] {
  const words: string[] = []
  for (const token of tokensOf(text)) {
    const parts = token.split(JOINER)
    words.push(...parts.flatMap(segments))
    if (parts.length > 1) words.push(parts.join(''))
  }
  return distinct(words)
}

/** The beginnings of a word, of one to {@link MAX_BEGINNING} letters. */
export function beginningsOf(word: string): string[] {
  const letters = [...word].slice(0, MAX_BEGINNING)
  return letters.map((_, index) => letters.slice(0, index + 1).join(''))
}

/** The longest beginning of a word. */
export function longestBeginningOf(word: string): string {
  return firstLetters(word, MAX_BEGINNING)
}

/** Whether a beginning is as long as any, so that longer words may differ after it. */
export function isLongestBeginning(beginning: string): boolean {
  return [...beginning].length === MAX_BEGINNING
}

/** The first letters of a word. A letter may be two UTF-16 code units. */
export function firstLetters(word: string, count: number): string {
  return [...word].slice(0, count).join('')
}

/** The distinct words of a search string; words joined by an apostrophe or a hyphen count as one word. */
export function searchWordsOf(searchString: string): string[] {
  return distinct(
    tokensOf(searchString).flatMap((token) => (JOINER.test(token) ? [token.replaceAll(JOINERS, '')] : segments(token))),
  )
}

/**
 * Whether each search word is the start of a word of a text. For most texts a hundred times as fast as {@link matches} with
 * {@link wordsOf}: it splits only those where the folded text does not decide. Words beyond the limit of beginnings count.
 */
export function matchesText(searchWords: string[], text: string): boolean {
  const visible = text.replaceAll(IGNORABLE, '').normalize('NFKC')
  const folded = fold(visible)
  const joined = fold(visible.replaceAll(JOINERS, ''))
  if (!searchWords.every((word) => folded.includes(word) || joined.includes(word))) return false
  return searchWords.every((word) => beginsWord(folded, word)) || matches(searchWords, wordsOf(text))
}

/** Whether a word certainly stands at the start of a word of a folded text. */
function beginsWord(folded: string, word: string): boolean {
  if (UNSPACED.test(word) || !STARTS_AS_LETTER.test(word)) return false
  for (let start = folded.indexOf(word); start >= 0; start = folded.indexOf(word, start + 1))
    if (!ENDS_IN_LETTER.test(folded.slice(Math.max(0, start - 2), start))) return true
  return false
}

/** Whether each search word is the start of one of the words. */
export function matches(searchWords: string[], words: string[]): boolean {
  return searchWords.every((searchWord) => words.some((word) => word.startsWith(searchWord)))
}

/** The longest words, as they are the most selective. */
export function longest(words: string[], count: number): string[] {
  return words.toSorted((one, other) => other.length - one.length).slice(0, count)
}

/** The emoji, and runs of letters and digits, in the order of the text. */
function tokensOf(text: string): string[] {
  // Splitting by a group returns what it matched as well, in every second place.
  return text.split(SELECTED_EMOJI).flatMap((part, index) => {
    const visible = part.replaceAll(IGNORABLE, '')
    return index % 2 === 1 ? [visible] : (visible.normalize('NFKC').match(TOKEN) ?? [])
  })
}

/** The distinct words, folded: all at once, which is five times as fast as one after the other. */
function distinct(words: string[]): string[] {
  return [...new Set(fold(words.join('\n')).split('\n'))].filter((word) => word !== '')
}

/**
 * Combining marks of no particular script, and the points of Hebrew and Arabic. The two Japanese voicing marks make other
 * letters, so they stay.
 */
const ACCENT = /[[\p{sc=Inherited}--[\u3099\u309A]][\p{Mn}&&[\p{sc=Hebrew}\p{sc=Arabic}]]]/gv

/** Letters that people also write as others, which Unicode does not decompose. */
const LETTERS_ALIKE: Record<string, string> = { ß: 'ss', œ: 'oe', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', ς: 'σ' }
const LETTER_ALIKE = new RegExp(`[${Object.keys(LETTERS_ALIKE).join('')}]`, 'g')

/** Upper-casing first equates letters that differ only in lower case. */
function fold(text: string): string {
  const bare = text.normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC').toUpperCase().toLowerCase()
  return bare.replaceAll(LETTER_ALIKE, (letter) => LETTERS_ALIKE[letter] ?? letter)
}

let segmenter: Intl.Segmenter | undefined

function segments(run: string): string[] {
  if (!UNSPACED.test(run)) return [run]
  // Created when first needed: it takes ICU 13 ms, which most cold starts can save.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
  return Array.from(segmenter.segment(run), ({ segment }) => segment)
}
