/**
 * Decides what a word is: for equal jokes, for searches, and for the page, which marks what a search finds. The first half
 * decides the ids of jokes, so it must never change. The second half adds what only searches need.
 */

interface Texts {
  joke: string
  punchline?: string
}

// Frozen: which jokes are equal.

/**
 * Returns a text that is the same for equal jokes only: their words in order. Setup and punchline are one text. If it has
 * no words, as `?!`, the text itself decides.
 */
export function equalFormOf(texts: Texts): string {
  const folded = foldBoth(texts)
  const words = folded.match(WORD) ?? []
  return words.join(' ').replaceAll("'", '') || folded.replaceAll(/\s/g, '')
}

/** A class of characters, for regular expressions. `scx` includes those of several scripts, such as the Japanese `ー`. */
export const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{scx=${script}}`)
  .join('')
/** A vowel sign, as Hindi and Thai have, is part of a letter. */
const LETTER = '[\\p{L}\\p{M}\\p{N}]'
const SPACED_LETTERS = `[${LETTER}--[${UNSPACED}]]+`
const UNSPACED_LETTER = `[${LETTER}&&[${UNSPACED}]]`
/** An emoji. A flag is two letters, or an emoji with invisible tags. */
const EMOJI = '\\p{RI}{2}|\\p{Extended_Pictographic}[\\u{E0020}-\\u{E007F}]*'
/** Skin tones are modifiers, like most accents that stand alone. */
const SYMBOL = '[[\\p{S}--\\p{Sk}]#%&@*\\/\\\\\\^]'
/** An apostrophe joins words. */
const WORD = new RegExp(`${SPACED_LETTERS}(?:'${SPACED_LETTERS})*|${UNSPACED_LETTER}+|${EMOJI}|${SYMBOL}`, 'gv')

/** Matches what stands between two letters of a script without spaces, where it separates no words. */
const NO_SEPARATOR = new RegExp(
  `(?<=${UNSPACED_LETTER})(?:(?!${LETTER}|${EMOJI}|${SYMBOL}).)+(?=${UNSPACED_LETTER})`,
  'gsv',
)

function foldBoth({ joke, punchline = '' }: Texts): string {
  const folded = fold(`${joke}\n${punchline}`)
  return isAscii(folded) ? folded : folded.replaceAll(NO_SEPARATOR, '')
}

const INVISIBLE = /[[\p{Default_Ignorable_Code_Point}\u2800]--[\u{E0020}-\u{E007F}]]/gv
/** Matches what people type in place of apostrophes. */
const APOSTROPHE = /[’‘`′ʼʻ׳]/g
/** Matches accents, and the points of Hebrew and Arabic, but no Japanese voicing marks, which make other letters. */
const ACCENT = /[[\p{M}&&[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309A]]/gv

/** Removes what does not count: case, accents, width and invisible characters. All apostrophes become one. */
function fold(text: string): string {
  // The same as below, in a fraction of the time.
  if (isAscii(text)) return text.replaceAll('`', "'").toUpperCase()
  // NFKD would turn the acute accent into a space.
  const visible = text.replaceAll(INVISIBLE, '').replaceAll('´', "'")
  const bare = visible.normalize('NFKD').replaceAll(APOSTROPHE, "'").replaceAll(ACCENT, '').normalize('NFC')
  // Lower-casing first turns `ẞ` into `ß`, whose upper case is `SS`.
  const upper = bare.toLowerCase().toUpperCase()
  return upper.replaceAll('Œ', 'OE').replaceAll('Æ', 'AE')
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7F]/.test(text)
}

// Not frozen: what a search finds.

/** Returns the text in which searches look: the words of a joke, each after one space. */
export function searchTextOf(texts: Texts): string {
  return ` ${searchWordsIn(foldBoth(texts)).map(withLaterParts).join(' ')}`
}

/**
 * Returns the distinct texts that a search text must contain: words after a space, or texts of scripts without spaces,
 * which match anywhere. Symbols count only if there is nothing else.
 */
export function needlesOf(searchString: string): string[] {
  const words = searchWordsIn(fold(searchString)).map((word) => word.replaceAll(JOINER, ''))
  const named = words.filter((word) => !BARE_SYMBOL.test(word))
  const needed = named.length > 0 ? named : words
  return [...new Set(needed.map((word) => (UNSPACED_START.test(word) ? word : ` ${word}`)))]
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

const UNSPACED_START = new RegExp(`^${UNSPACED_LETTER}`, 'v')
const BARE_SYMBOL = new RegExp(`^(?!${EMOJI})${SYMBOL}`, 'v')

/** Matches what joins the parts of a word in searches: apostrophes, and hyphens too, although these separate in the first half. */
const JOINER = /['\-\u2010]/g
const SEARCH_WORD = new RegExp(
  `${SPACED_LETTERS}(?:${JOINER.source}${SPACED_LETTERS})*|${UNSPACED_LETTER}+|${EMOJI}|${SYMBOL}`,
  'gv',
)

/** Letters that people type in another way, or that another keyboard has. Unicode does not decompose them. */
const ALIKE = ['ØO', 'ŁL', 'ĐD', '\u06A9\u0643', '\u06CC\u064A', '\u0649\u064A', '\u0629\u0647']

/** Matches the same in ASCII, in a fraction of the time. Most texts are ASCII. */
const ASCII_SEARCH_WORD = /[A-Z0-9]+(?:['-][A-Z0-9]+)*|[$+<=>|~#%&@*/\\^]/g

/** Returns the words of a folded text. A joiner stands where their parts are joined. */
function searchWordsIn(folded: string): string[] {
  if (isAscii(folded)) return folded.match(ASCII_SEARCH_WORD) ?? []
  const typed = ALIKE.reduce((text, [letter = '', other = '']) => text.replaceAll(letter, other), folded)
  return typed.match(SEARCH_WORD) ?? []
}

/** Parts that are followed by all later ones. Otherwise, a text of apostrophes would become 250 times as long. */
const MAX_PARTS = 9

/** Returns a word from each of its parts on, so that `midi` and `après-midi` find `l'après-midi`. */
function withLaterParts(word: string): string {
  // Most words have one part. Splitting them would take most of the time of a load.
  if (word.search(JOINER) === -1) return word
  const parts = word.split(JOINER)
  return parts.map((part, index) => (index < MAX_PARTS ? parts.slice(index).join('') : part)).join(' ')
}
