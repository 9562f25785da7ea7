/** A model of the service as a plain list in memory. It is slow, simple and independent of the service's code. */
import type { Joke } from '../../shared/joke.ts'

/** Compares texts without case and accents. */
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

/** Whether jokes are in the order of a query. Sorting by `thumbsDown` gives date order, because no operation changes it. */
export function inOrder(jokes: Joke[], { sortBy = 'dateAdded', sortOrder = 'desc' }: Query): boolean {
  const field = sortBy === 'thumbsUp' ? sortBy : 'dateAdded'
  return jokes.every((joke, index) => {
    const before = jokes[index - 1]
    if (before === undefined || sortBy === 'random' || before[field] === joke[field]) return true
    return before[field] < joke[field] === (sortOrder === 'asc')
  })
}

function begins(word: string, beginning: string): boolean {
  return collator.compare(word.slice(0, beginning.length), beginning) === 0
}

/** The words of a text, including the apostrophes and hyphens within them. Other characters separate words. */
function chains(text: string): string[] {
  const texts = text.split(/[^a-zа-яё0-9àâçéèêëîïôœùûß'-]+/i)
  return texts.map((chain) => chain.replace(/^['-]+|['-]+$/g, '')).filter((chain) => chain !== '')
}

function joined(chain: string): string {
  return chain.replaceAll(/['-]/g, '')
}
