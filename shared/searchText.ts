/** Decides what a search finds, for the service and for the page (interface.md, “Search”). */

/** Returns the text in which searches look: the folded words of a joke, each after one space. */
export function searchTextOf({ joke, punchline = '' }: { joke: string; punchline?: string }): string {
  const folded = fold(`${joke}\n${punchline}`)
  const wholes = folded.match(JOINED_WORDS)?.flatMap(wholesOf) ?? []
  return ` ${wordsOf([folded, ...wholes].join(' ')).join(' ')}`
}

/**
 * Returns the distinct texts that a search text must contain: words after a space, or texts of scripts without spaces,
 * which match anywhere. Words joined by an apostrophe or a hyphen count as one word.
 */
export function needlesOf(searchString: string): string[] {
  const words = wordsOf(fold(searchString).replaceAll(JOINED_WORDS, withoutJoiners))
  return [...new Set(words.map((found) => (UNSPACED_START.test(found) ? found : ` ${found}`)))]
}

/** Whether a search text contains each needle. A search without needles finds nothing. */
export function isFoundIn(searchText: string, needles: string[]): boolean {
  return needles.length > 0 && needles.every((needle) => isIn(searchText, needle))
}

/** Looks for a word without its space first, because looking for the space too stops at each space of the text. */
function isIn(searchText: string, needle: string): boolean {
  if (!needle.startsWith(' ')) return searchText.includes(needle)
  const index = searchText.indexOf(needle.slice(1))
  return index > 0 && (searchText[index - 1] === ' ' || searchText.includes(needle, index))
}

const SCRIPTS_WITHOUT_SPACES = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
/** A class of characters, for regular expressions. `scx` includes those of several scripts, such as the Japanese `ー`. */
export const UNSPACED = SCRIPTS_WITHOUT_SPACES.map((script) => `\\p{scx=${script}}`).join('')
const LETTER = '[\\p{L}\\p{M}\\p{N}]'
const UNSPACED_START = new RegExp(`^[${LETTER}&&[${UNSPACED}]]`, 'v')

/** Matches the flag of a region, such as England's: a black flag, and characters that are invisible elsewhere. */
const REGION_FLAG = '\\u{1F3F4}[\\u{E0020}-\\u{E007F}]+'
const EMOJI = `${REGION_FLAG}|\\p{RI}{2}|\\p{Extended_Pictographic}`

/** The lookahead skips spaces quickly. */
const WORD = new RegExp(`(?! )(?:[${LETTER}--[${UNSPACED}]]+|[${LETTER}&&[${UNSPACED}]]+|${EMOJI})`, 'gv')

/** Matches the same in ASCII, in a fifth of the time. Most texts are ASCII once they are folded. */
const ASCII_WORD = /[a-z0-9]+/g

/**
 * Matches words joined by apostrophes or hyphens, such as `don't` and `e-mail`. Other punctuation that it matches
 * separates words again later.
 */
const JOINED_WORDS = /(?<![^\s'-])[^\s'-]+(?:['-][^\s'-]+)+/g

function wordsOf(folded: string): string[] {
  return folded.match(isAscii(folded) ? ASCII_WORD : WORD) ?? []
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7F]/.test(text)
}

function withoutJoiners(joinedWords: string): string {
  return joinedWords.replaceAll(/['-]/g, '')
}

/** More than the words of any language have. A text of apostrophes would otherwise become 250 times as long. */
const MAX_APOSTROPHES = 8

/** Returns joined words as one word, and what follows each apostrophe as another: `après-midi` in `l'après-midi`. */
function wholesOf(joinedWords: string): string[] {
  const parts = joinedWords.split("'")
  const starts = parts.slice(0, MAX_APOSTROPHES + 1)
  return starts.map((_, index) => withoutJoiners(parts.slice(index).join('')))
}

const FLAG_OR_INVISIBLE = new RegExp(`(${REGION_FLAG})|[\\p{Default_Ignorable_Code_Point}\\u2800]`, 'gv')

/**
 * Matches combining marks of no particular script, the points of Hebrew and Arabic, and Armenian punctuation within
 * words. It excludes the two Japanese voicing marks, because they make other letters.
 */
const ACCENT = /[[\p{sc=Inherited}--[\u3099\u309A]][\p{Mn}&&[\p{sc=Hebrew}\p{sc=Arabic}]]\u055B\u055C\u055E]/gv

/** Characters that people write in another way, or that another keyboard has. Unicode does not decompose them. */
const ALIKE: Record<string, string> = {
  ...{ ß: 'ss', œ: 'oe', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', ς: 'σ', װ: 'וו', ױ: 'וי', ײ: 'יי' },
  ...{ '\u06A9': '\u0643', '\u06CC': '\u064A', '\u0649': '\u064A', '\u0629': '\u0647', '\u0640': '' },
  ...{ '’': "'", '‘': "'", ʼ: "'", ʻ: "'", '`': "'", '′': "'", '׳': "'", '\u2010': '-' },
}
const PUNCTUATION = '[\\p{P}--[\\0-\\x7F\\p{Extended_Pictographic}]]'
const REPLACED = new RegExp(`[${Object.keys(ALIKE).join('')}[\\p{Nd}--[0-9]]${PUNCTUATION}]`, 'gv')

/** Removes what a search ignores: case, accents, width, invisible characters, keyboards, and the script of digits. */
function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase().replaceAll('`', "'")
  // NFKD would turn the acute accent into a space.
  const visible = text.replaceAll(FLAG_OR_INVISIBLE, '$1').replaceAll('´', "'")
  const bare = visible.normalize('NFKD').replaceAll(ACCENT, '').normalize('NFC')
  // Upper-casing equates letters that differ only in lower case, and turns `ß` into `SS`.
  const lowered = bare.toUpperCase().toLowerCase()
  return lowered.replaceAll(REPLACED, (found) => ALIKE[found] ?? asciiDigitOf(found) ?? ' ')
}

/** Returns `undefined` if the character is no digit. The digits of each script stand in a row that begins with zero. */
function asciiDigitOf(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0
  let next = code
  while (/\p{Nd}/u.test(String.fromCodePoint(next))) next -= 1
  return next === code ? undefined : String((code - next - 1) % 10)
}
