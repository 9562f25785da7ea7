/** A text in which the words that a search finds are marked. */
import type { ComponentChildren } from 'preact'
import { goesOn, isFoundIn, needlesOf, searchTextOf } from '../shared/searchText.ts'

export function Highlight({ text, search }: { text: string; search: string }) {
  const needles = needlesOf(search)
  if (needles.length === 0) return text
  return text.split(/(\s+)/).map((run) => {
    const found = needles.filter((needle) => isFoundIn(searchTextOf({ joke: run }), [needle]))
    return found.length === 0 ? run : marked(charactersOf(run), found)
  })
}

/** Marks the places where a run of characters without white space matches. */
function marked(characters: string[], needles: string[]): ComponentChildren {
  const places = needles.flatMap((needle) => firstPlaceOf(needle, characters) ?? [])
  const [first] = places.toSorted((a, b) => a.start - b.start || b.end - a.end)
  if (!first) return characters.join('')
  const { start, end } = first
  return [
    characters.slice(0, start).join(''),
    <mark>{characters.slice(start, end).join('')}</mark>,
    marked(characters.slice(end), needles),
  ]
}

/** Returns the first place of a needle, up to the end of the word: the shortest beginning that matches, then its end. */
function firstPlaceOf(needle: string, characters: string[]): { start: number; end: number } | undefined {
  const isFound = (start: number, end: number) =>
    isFoundIn(searchTextOf({ joke: characters.slice(start, end).join('') }), [needle])
  let end = characters.findIndex((_, index) => isFound(0, index + 1)) + 1
  if (end === 0) return undefined
  let start = end - 1
  while (!isFound(start, end)) start -= 1
  while (goesOn(characters[end - 1], characters[end])) end += 1
  return { start, end }
}

/** Splits a text into what users see as characters, so that an emoji keeps its skin tone, and a letter its accents. */
function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}
