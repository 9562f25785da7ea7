/** A text in which the words that a search finds are marked. */
import type { ComponentChildren } from 'preact'
import { isFoundIn, needlesOf, searchTextOf, UNSPACED } from '../shared/words.ts'

export function Highlight({ text, search }: { text: string; search: string }) {
  const needles = needlesOf(search)
  if (needles.length === 0) return text
  return text.split(/(\s+)/).map((run) => {
    const found = needles.filter((needle) => areFound([run], needle))
    return found.length === 0 ? run : marked(run.match(WORD) ?? [], found)
  })
}

/** Matches an emoji, a word, or any other character with its accents. Scripts without spaces have no longer words. */
const WORD = new RegExp(`\\p{RGI_Emoji}|[[\\p{L}\\p{M}\\p{N}]--[${UNSPACED}]]+|.\\p{M}*`, 'gsv')

/** Marks the places where words without white space between them match. */
function marked(words: string[], needles: string[]): ComponentChildren {
  const places = needles.flatMap((needle) => firstPlaceOf(needle, words) ?? [])
  const [first] = places.toSorted((a, b) => a.start - b.start || b.end - a.end)
  if (!first) return words.join('')
  const { start, end } = first
  const found = <mark>{words.slice(start, end).join('')}</mark>
  return [words.slice(0, start).join(''), found, marked(words.slice(end), needles)]
}

/** Returns the first place of a needle: the shortest beginning that matches, then its end. */
function firstPlaceOf(needle: string, words: string[]): { start: number; end: number } | undefined {
  const end = words.findIndex((_, index) => areFound(words.slice(0, index + 1), needle)) + 1
  const start = words.findLastIndex((_, index) => areFound(words.slice(index, end), needle))
  return end === 0 ? undefined : { start, end }
}

function areFound(words: string[], needle: string): boolean {
  return isFoundIn(searchTextOf({ joke: words.join('') }), [needle])
}
