/** A text in which the words that a search finds are marked. */
import { searchWordsOf, segmentsOf, wordsOf } from '../shared/words.ts'

export function Highlight({ text, search }: { text: string; search: string }) {
  const searchWords = searchWordsOf(search)
  if (searchWords.length === 0) return text
  const isFound = (piece: string) =>
    [...wordsOf(piece)].some((word) => searchWords.some((searchWord) => word.startsWith(searchWord)))
  return text.split(/(\s+)/).map((run) => {
    if (!isFound(run)) return run
    const parts = segmentsOf(run)
    // A search may match only the joined word: `email` finds `e-mail`.
    if (!parts.some(isFound)) return <mark>{run}</mark>
    return parts.map((part) => (isFound(part) ? <mark>{part}</mark> : part))
  })
}
