/** A text in which the words that a search finds are marked. */
import type { ComponentChildren } from 'preact'
import { isFoundIn, needlesOf, searchTextOf, UNSPACED } from '../shared/words.ts'

export function Highlight({ text, search }: { text: string; search: string }) {
  const needles = needlesOf(search)
  if (needles.length === 0) return text
  return text.split(/(\s+)/).map((run) => (run.length > MAX_RUN ? run : marked(run.match(UNIT) ?? [], needles)))
}

/** Longer runs without whitespace stay unmarked: a page of them could need thousands of marks. */
const MAX_RUN = 200

/** Matches an emoji, a word, or any other character with its accents. Scripts without spaces have no longer words. */
const UNIT = new RegExp(`\\p{RGI_Emoji}|[[\\p{L}\\p{M}\\p{N}]--[${UNSPACED}]]+|.[\\p{M}\uFF9E\uFF9F]*`, 'gsv')

function marked(units: string[], needles: string[]): ComponentChildren[] {
  const words = units.map((unit) => searchTextOf({ joke: unit }))
  const parts: ComponentChildren[] = []
  for (let start = 0; start < units.length; ) {
    const end = Math.max(...needles.map((needle) => endOf(needle, units, words, start)))
    const found = units.slice(start, end).join('')
    parts.push(found === '' ? units[start] : <mark>{found}</mark>)
    start = Math.max(end, start + 1)
  }
  return parts
}

/** Returns where a needle ends that begins with a unit, or `start` if none does. Between the parts of a word are joiners. */
function endOf(needle: string, units: string[], words: string[], start: number): number {
  if (isFoundIn(`${words[start]}`, [needle])) return start + 1
  let rest = needle.trim()
  for (let end = start; end < units.length; end++) {
    const word = `${words[end]}`.trim()
    // A unit such as `-` has no words, so nothing begins with it.
    if (end === start && word === '') return start
    if (word.startsWith(rest)) {
      const isFound = isFoundIn(searchTextOf({ joke: units.slice(start, end + 1).join('') }), [needle])
      return isFound ? end + 1 : start
    }
    if (!rest.startsWith(word)) return start
    rest = rest.slice(word.length)
  }
  return start
}
