/** The behaviour of the service as a plain list in memory: slow, simple, and independent of the service's code. */
import type { Joke } from '../../shared/joke.ts'

/** Ignores case and accents. */
const collator = new Intl.Collator('en', { sensitivity: 'base' })

export interface Query {
  searchString?: string
  category?: string
  categories?: string
  sortBy?: 'thumbsUp' | 'thumbsDown' | 'dateAdded' | 'random'
  sortOrder?: 'asc' | 'desc'
  seed?: string
}

/** The jokes that a listing must show, in any order. */
export function expected(jokes: Joke[], { searchString = '', category, categories = category }: Query): Joke[] {
  const beginnings = chains(searchString).map(joined)
  return jokes.filter((joke) => {
    const words = chains(`${joke.joke} ${joke.punchline}`).flatMap((chain) => [
      ...chain.split(/['-]/),
      ...chain.split("'").map((_, index, parts) => joined(parts.slice(index).join(''))),
    ])
    const isFound = beginnings.every((beginning) => words.some((word) => begins(word, beginning)))
    return isFound && (categories === undefined || categories.split(',').includes(joke.category))
  })
}

/** Whether jokes are in the order of a query. */
export function inOrder(jokes: Joke[], { sortBy = 'dateAdded', sortOrder = 'desc' }: Query): boolean {
  return jokes.every((joke, index) => {
    const before = jokes[index - 1]
    if (before === undefined || sortBy === 'random' || before[sortBy] === joke[sortBy]) return true
    return before[sortBy] < joke[sortBy] === (sortOrder === 'asc')
  })
}

function begins(word: string, beginning: string): boolean {
  return collator.compare(word.slice(0, beginning.length), beginning) === 0
}

/** The words of a text, with the apostrophes or hyphens that join their parts. Any other character separates words. */
function chains(text: string): string[] {
  const texts = text.split(/[^a-zа-яё0-9àâçéèêëîïôœùûß'-]+/i)
  return texts.map((chain) => chain.replace(/^['-]+|['-]+$/g, '')).filter((chain) => chain !== '')
}

function joined(chain: string): string {
  return chain.replaceAll(/['-]/g, '')
}
