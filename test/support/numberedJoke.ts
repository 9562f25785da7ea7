/** As many different jokes as one likes, with words of known frequency. */
import { CATEGORIES, identify, type Joke } from '../../shared/joke.ts'

const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')

/**
 * The joke with a number: of the categories in turn, each a minute after the one before, and as long as jokes usually
 * are. Four in five hold `chicken`, one in a hundred `middling`, only the first ones `three`, `thirty` or `hundreds`.
 *
 * @param words that it holds besides
 */
export function numberedJoke(number: number, words: string[] = []): Joke {
  const extra = [
    ...(number < 3 ? ['three'] : []),
    ...(number < 30 ? ['thirty'] : []),
    ...(number < 300 ? ['hundreds'] : []),
    ...(isOneIn(100, number) ? ['middling'] : []),
    ...words,
  ]
  const text = {
    joke: `Why did ${isOneIn(5, number) ? 'a duck' : 'a chicken'} cross road no. ${number}?`,
    // In place of others, so that they make the joke no longer.
    punchline: `So as to be at no. ${number} by tea time; ${extra.join(' ') || 'it is in no hurry to go home, ever'}.`,
  }
  return {
    id: identify(text),
    ...text,
    category: CATEGORIES[number % CATEGORIES.length] ?? 'Classic',
    thumbsUp: number % 7,
    thumbsDown: 0,
    dateAdded: new Date(FIRST_DAY + number * 60_000).toISOString(),
  }
}

/**
 * Whether a number is one in so many: one of each run of so many numbers, further back in each, so that every category
 * gets its share. With another stride it is another one.
 */
export function isOneIn(many: number, number: number, stride = 1): boolean {
  return number % many === (stride * Math.floor(number / many)) % many
}
