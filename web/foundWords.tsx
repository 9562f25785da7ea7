/** A text in which the words that a search finds are marked. */
import { wordsOf } from '../shared/words.ts'

/** Letters and digits, also where apostrophes and hyphens join them; or an emoji. */
const WORD = /([\p{L}\p{M}\p{N}]+(?:['’‐\-][\p{L}\p{M}\p{N}]+)*|\p{RGI_Emoji}|\p{Extended_Pictographic})/v

/** Takes apart what is written without spaces. */
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' })

export function FoundWords({ text, search }: { text: string; search: string }) {
  const beginnings = wordsOf(search)
  if (beginnings.length === 0) return text
  const isFound = (piece: string) =>
    wordsOf(piece).some((word) => beginnings.some((beginning) => word.startsWith(beginning)))
  return text.split(WORD).map((run, index) => {
    // The pieces between the words.
    if (index % 2 === 0 || !isFound(run)) return run
    const parts = Array.from(SEGMENTER.segment(run), ({ segment }) => segment)
    // No part alone is what a joined word is found by: `email` finds `e-mail`.
    if (!parts.some(isFound)) return <mark>{run}</mark>
    return parts.map((part) => (isFound(part) ? <mark>{part}</mark> : part))
  })
}
