/** A text in which the words that a search finds are marked. */
import { searchWordsOf, wordsOf } from '../shared/words.ts'

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' })

export function Highlight({ text, search }: { text: string; search: string }) {
  const searchWords = searchWordsOf(search)
  if (searchWords.length === 0) return text
  const isFound = (piece: string) =>
    [...wordsOf(piece)].some((word) => searchWords.some((searchWord) => word.startsWith(searchWord)))
  return text.split(/(\s+)/).map((run) => {
    if (!isFound(run)) return run
    const parts = Array.from(SEGMENTER.segment(run), ({ segment }) => segment)
    // A search may match only the joined word: `email` finds `e-mail`.
    if (!parts.some(isFound)) return <mark>{run}</mark>
    return parts.map((part) => (isFound(part) ? <mark>{part}</mark> : part))
  })
}
