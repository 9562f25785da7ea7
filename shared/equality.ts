/** Decides which jokes are equal. Separate from `words.ts`, because the page does not need it. */
import { foldText, INVISIBLE, LETTERS, REGION_FLAG, withoutAccents } from './words.ts'

/**
 * Returns a text that is the same for equal jokes only (interface.md, “POST /joke”). It reads setup and punchline as
 * one text, and keeps symbols and runs of letters and digits, folded as in a search. If none are left, as in `?!`, it
 * keeps the whole folded text.
 */
export function equalFormOf({ joke, punchline }: { joke: string; punchline: string }): string {
  const folded = foldText(`${joke}\n${punchline}`)
  return withoutAccents(folded).match(EQUAL_PART)?.join(' ') ?? folded
}

/** Whether a text has a visible letter, digit, symbol or punctuation mark. */
export function hasVisibleCharacter(text: string): boolean {
  return VISIBLE_CHARACTER.test(text)
}

/** Matches the parts that equal jokes share: runs of letters and digits, symbols, emoji. */
const EQUAL_PART = new RegExp(
  `${REGION_FLAG.source}|${LETTERS.source}|\\p{Extended_Pictographic}|[\\p{S}--\\p{Sk}]|[#%&@*\\/\\\\]`,
  'gv',
)

const VISIBLE_CHARACTER = new RegExp(`(?!${INVISIBLE.source})[\\p{L}\\p{N}\\p{P}\\p{S}]`, 'u')
