/** Any number of different jokes. */
import { CATEGORIES, identify, type Joke } from '../../shared/joke.ts'

const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')

/** The joke with a number, of usual length. Categories alternate, and each joke is a minute newer than the one before. */
export function numberedJoke(number: number): Joke {
  const joke = `Why did a chicken cross road no. ${number}?`
  const punchline = `So as to be at no. ${number} by tea time; it is in no hurry to go home, ever.`
  return { ...jokeOf({ joke, punchline }, number), thumbsUp: number % 7 }
}

/** The joke with a text and a number, which is also the number of its upvotes. */
export function jokeOf(text: { joke: string; punchline: string }, number: number): Joke {
  const category = CATEGORIES[number % CATEGORIES.length] ?? 'Classic'
  const dateAdded = new Date(FIRST_DAY + number * 60_000).toISOString()
  return { id: identify(text), ...text, category, thumbsUp: number, thumbsDown: 0, dateAdded }
}

/** The jokes from number 0 on. */
export function numberedJokes(count: number): Joke[] {
  return Array.from({ length: count }, (_, number) => numberedJoke(number))
}
