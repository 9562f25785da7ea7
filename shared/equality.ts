/** Decides which jokes are equal. It is independent of searching, because the ids of jokes must never change. */

/**
 * Returns a text that is the same for equal jokes only (interface.md, “POST /joke”). It reads setup and punchline as
 * one text, and keeps symbols, emoji, and groups of letters, accents and digits. If none are left, as in `?!`, it keeps
 * the folded text without white space.
 */
export function equalFormOf({ joke, punchline }: { joke: string; punchline: string }): string {
  const folded = fold(`${joke}\n${punchline}`)
  return folded.match(EQUAL_PART)?.join(' ') ?? folded.replaceAll(/\s/g, '')
}

/** Whether a text has a visible letter, digit, symbol or punctuation mark. */
export function hasVisibleCharacter(text: string): boolean {
  return VISIBLE_CHARACTER.test(text)
}

/** Matches the flag of a region, such as England's: a black flag, and characters that are invisible elsewhere. */
const REGION_FLAG = '\\u{1F3F4}[\\u{E0020}-\\u{E007F}]+'

/** Matches zero-width characters, variation selectors, fillers and the empty Braille pattern. */
const INVISIBLE = '[\\p{Default_Ignorable_Code_Point}\\u2800]'

const FLAG_OR_INVISIBLE = new RegExp(`(${REGION_FLAG})|${INVISIBLE}`, 'gv')
const VISIBLE_CHARACTER = new RegExp(`(?!${INVISIBLE})[\\p{L}\\p{N}\\p{P}\\p{S}]`, 'v')

/** Matches the parts that equal jokes share. A group begins with a letter or digit, because a lone accent is no letter. */
const EQUAL_PART = new RegExp(
  `${REGION_FLAG}|[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}]*|\\p{Extended_Pictographic}|[\\p{S}--\\p{Sk}]|[#%&@*\\/\\\\]`,
  'gv',
)

function fold(text: string): string {
  // An invisible character between a letter and its accent would keep NFKC from joining them.
  const visible = text.replaceAll(FLAG_OR_INVISIBLE, '$1').replaceAll(/['’‘ʼʻ´`′׳]/g, "'")
  // Lower-casing first turns `ẞ` into `ß`, which has the upper case `SS`.
  const lowered = visible.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  // Upper-casing separates some letters from their accents. The form of a small sigma depends on what follows.
  return lowered.normalize('NFC').replaceAll('ς', 'σ')
}
