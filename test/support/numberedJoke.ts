/** As many different jokes as one likes, with words of known frequency. */
import { CATEGORIES, identify, type Joke } from '../../shared/joke.ts'

const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')

/**
 * The joke with a number: of the categories in turn, each a minute after the one before, and as long as jokes usually
 * are. Four in five hold `chicken`, one in a hundred `middling`, only the first ones `three`, `thirty` or `hundreds`.
 */
export function numberedJoke(number: number): Joke {
  const extra = [
    number < 3 && 'three',
    number < 30 && 'thirty',
    number < 300 && 'hundreds',
    number % 100 === 0 && 'middling',
  ].filter(Boolean)
  const text = {
    joke: `Why did ${number % 5 === 0 ? 'a duck' : 'a chicken'} cross road no. ${number}? ${extra.join(' ')}`.trim(),
    punchline: `So as to be at no. ${number} by tea time; it is in no hurry to go home, ever.`,
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
