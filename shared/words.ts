/**
 * Decides what a word is: for equal jokes, for searches, and for the page, which marks what a search finds. The first half
 * decides the ids of jokes, so it must never change. The second half adds what only searches need.
 */

interface Texts {
  joke: string
  punchline?: string
}

// Frozen: which jokes are equal.

/** Symbols, but no skin tones. `Extended_Pictographic` has also the emoji that Unicode will name, and phones have them first. */
const SYMBOL = '[[[\\p{S}\\p{Extended_Pictographic}]--\\p{Sk}]#%\\&@*\\/\\\\\\^]'
const LETTER = '[\\p{L}\\p{M}\\p{N}]'
const WORD = new RegExp(`${LETTER}+(?:'${LETTER}+)*|${SYMBOL}`, 'gv')

/**
 * Returns a text that is the same for equal jokes only: their words in order. Setup and punchline are one text. If it has
 * no words, as `?!`, the text itself decides.
 */
export function equalFormOf({ joke, punchline = '' }: Texts): string {
  const folded = fold(`${joke}\n${punchline}`)
  const words = folded.match(WORD) ?? []
  return words.join(' ').replaceAll("'", '') || folded.replaceAll(/\s/g, '')
}

/** Matches what people type in place of apostrophes. */
const APOSTROPHE = /[’‘`´′ʼʻ׳]/g
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu
/** Matches accents, and the points of Hebrew and Arabic, but no vowel signs or Japanese voicing marks, which make other letters. */
const ACCENT = /[[\p{M}&&[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309A]]/gv
const SPELLED: Record<string, string> = { ß: 'ss', ς: 'σ', œ: 'oe', æ: 'ae' }

/**
 * Removes what does not count: case, accents, width and invisible characters. It uses what rarely changes in Unicode for a
 * known character. Lower case does not, but upper case did: `ɤ` got one in 2024.
 */
function fold(text: string): string {
  // NFKD would turn `´` into a space, and it finds an apostrophe in `ŉ`.
  const typed = text.replaceAll(APOSTROPHE, "'")
  if (isAscii(typed)) return typed.toLowerCase()
  const bare = typed.replaceAll(INVISIBLE, '').normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC')
  const lower = bare.replaceAll(APOSTROPHE, "'").toLowerCase()
  return lower.replaceAll(/[ßςœæ]/g, (letter) => SPELLED[letter] ?? letter)
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7F]/.test(text)
}

// Not frozen: what a search finds.

/** Characters of scripts without spaces, for regular expressions. `scx` includes those of several scripts, such as `ー`. */
export const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('')
const UNSPACED_LETTER = `[${LETTER}&&[${UNSPACED}]]`
const SPACED_LETTERS = `[${LETTER}--[${UNSPACED}]]+`
const UNSPACED_START = new RegExp(`^${UNSPACED_LETTER}`, 'v')
/** Symbols that are neither emoji nor flags. */
const BARE_SYMBOL = new RegExp(`^[${SYMBOL}--[\\p{Extended_Pictographic}\\p{RI}]]`, 'v')

/** Matches what joins the parts of a word. In searches, hyphens do. */
const JOINER = /['\-\u2010]/g
const SEARCH_WORD = new RegExp(
  `${SPACED_LETTERS}(?:${JOINER.source}${SPACED_LETTERS})*|${UNSPACED_LETTER}+|\\p{RI}{2}|${SYMBOL}`,
  'gv',
)

/** Letters that people type in another way, or that another keyboard has. */
const ALIKE: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ک: 'ك', ی: 'ي', ى: 'ي', ة: 'ه' }
const ALIKES = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g')

/** Returns the words of a text. A joiner stands where their parts are joined. */
function searchWordsIn(text: string): string[] {
  const folded = fold(text)
  const typed = isAscii(folded) ? folded : folded.replaceAll(ALIKES, (letter) => ALIKE[letter] ?? letter)
  return typed.match(SEARCH_WORD) ?? []
}

/** Twice the longest joke. Only texts of many hyphens, or of characters that stand for several others, are longer. */
const MAX_SEARCH_TEXT = 4_000

/** Returns the text in which searches look: the words of a joke, each after one space. */
export function searchTextOf({ joke, punchline = '' }: Texts): string {
  return ` ${searchWordsIn(`${joke}\n${punchline}`).map(withLaterParts).join(' ')}`.slice(0, MAX_SEARCH_TEXT)
}

/** A search has room for 100 words, and each can take 40 µs for each joke. */
const MAX_NEEDLES = 10

/**
 * Returns the distinct texts that a search text must contain: words after a space, or texts of scripts without spaces,
 * which match anywhere. Symbols count only if there is nothing else, and of many words only the longest ones.
 */
export function needlesOf(searchString: string): string[] {
  const words = searchWordsIn(searchString).map((word) => word.replaceAll(JOINER, ''))
  const named = words.filter((word) => !BARE_SYMBOL.test(word))
  const needed = named.length > 0 ? named : words
  const longest = [...new Set(needed)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, MAX_NEEDLES)
  return longest.map((word) => (UNSPACED_START.test(word) ? word : ` ${word}`))
}

/** Whether a search text contains each needle. A search without needles finds nothing. */
export function isFoundIn(searchText: string, needles: string[]): boolean {
  return needles.length > 0 && needles.every((needle) => isIn(searchText, needle))
}

/**
 * Looks for a word without the space before it first, because a search for the space would stop at each one. A match with
 * the space cannot begin more than one character before.
 */
function isIn(searchText: string, needle: string): boolean {
  if (!needle.startsWith(' ')) return searchText.includes(needle)
  const index = searchText.indexOf(needle.slice(1))
  return index > 0 && (searchText[index - 1] === ' ' || searchText.includes(needle, index))
}

/** Parts that are followed by all later ones. With more, a text of hyphens would become many times as long. */
const MAX_PARTS = 4

/** Returns a word from each of its parts on, so that `midi` and `après-midi` find `l'après-midi`. */
function withLaterParts(word: string): string {
  // Most words have one part. Splitting them would take most of the time of a load.
  if (word.search(JOINER) === -1) return word
  const parts = word.split(JOINER)
  return parts.map((part, index) => (index < MAX_PARTS ? parts.slice(index).join('') : part)).join(' ')
}
