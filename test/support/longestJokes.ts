/** The most expensive jokes, with the most bytes or words that a joke can have. */
import { MAX_TEXT_LENGTH } from '../../shared/clientLimits.ts'
import type { Joke } from '../../shared/joke.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { jokeOf } from './numberedJoke.ts'

/** Worst-case capacity units of a request. With the throttles, they decide what the most expensive day costs. */
export const WORST_CASE_UNITS = { read: LIMITS.listing.units, createdWrites: 702, upvoteWrites: 40 }

/** For each kind, the pieces that fill a text in turn. */
const FILLINGS = {
  'one word of ASCII': ['a'],
  'most words, of ASCII': pairs('abcdefghijklmnopqrstuvwxyz0123456789').map((word) => `${word} `),
  'most words with the same two letters': charactersOf(/\p{sc=Hangul}/u, 0xac00, 0xae00).map(
    (letter) => `ab${letter} `,
  ),
  'Han, 3 bytes each': charactersOf(/\p{sc=Han}/u, 0x4e00, 0x9000),
  // A long word fills the stored words to their limit, although it has only six prefixes.
  'Han with a Georgian word of 300 letters': ['ა'.repeat(300), ...charactersOf(/\p{sc=Han}/u, 0x4e00, 0x9000)],
  'emoji, 4 bytes each': charactersOf(/\p{Extended_Pictographic}/u, 0x1f300, 0x1fb00),
} satisfies Record<string, string[]>

export type LongestKind = keyof typeof FILLINGS
export const LONGEST_KINDS = Object.keys(FILLINGS).filter((name): name is LongestKind => name in FILLINGS)

/**
 * A joke of the maximum length. Categories alternate.
 *
 * @param number each number gives another joke
 * @param words the words at its beginning
 */
export function longestJoke(kind: LongestKind, number: number, words = ''): Joke {
  const pieces = FILLINGS[kind]
  const half = Math.ceil(MAX_TEXT_LENGTH / (pieces[0]?.length ?? 1))
  const joke = fill(`${words} ${number} `.trimStart(), pieces, 0)
  return jokeOf({ joke, punchline: fill('', pieces, half) }, number)
}

/** Fills a text to the maximum length: the beginning, then the pieces in turn, starting at `index`. */
function fill(beginning: string, pieces: string[], index: number): string {
  let text = beginning
  for (;;) {
    const piece = pieces[index++ % pieces.length] ?? ''
    if (text.length + piece.length > MAX_TEXT_LENGTH) return text.trim()
    text += piece
  }
}

function pairs(letters: string): string[] {
  return [...letters].flatMap((first) => [...letters].map((second) => first + second))
}

function charactersOf(set: RegExp, from: number, to: number): string[] {
  const all = Array.from({ length: to - from }, (_, index) => String.fromCodePoint(from + index))
  return all.filter((character) => set.test(character))
}
