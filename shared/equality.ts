/** Which jokes are equal. Apart from `words.ts`, because the page has no use for it. */
import { foldText, INVISIBLE, LETTERS, REGION_FLAG, withoutAccents } from './words.ts'

/**
 * What equal jokes have in common (interface.md, “POST /joke”): of lead-in and punchline as one text, the runs of letters
 * and digits, compared as searches compare them, and the symbols. If there are none, as in `?!`, it is the folded text.
 */
export function equalFormOf({ joke, punchline }: { joke: string; punchline: string }): string {
  const folded = foldText(`${joke}\n${punchline}`)
  return withoutAccents(folded).match(EQUAL_PART)?.join(' ') ?? folded
}

/** Whether a text has a letter, a digit, a symbol or a punctuation mark that shows. */
export function hasVisibleCharacter(text: string): boolean {
  return VISIBLE_CHARACTER.test(text)
}

/** What is compared: runs of letters and digits, symbols, emoji. */
const EQUAL_PART = new RegExp(
  `${REGION_FLAG.source}|${LETTERS.source}|\\p{Extended_Pictographic}|[\\p{S}--\\p{Sk}]|[#%&@*\\/\\\\]`,
  'gv',
)

const VISIBLE_CHARACTER = new RegExp(`(?!${INVISIBLE.source})[\\p{L}\\p{N}\\p{P}\\p{S}]`, 'u')
