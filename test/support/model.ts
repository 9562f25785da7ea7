/** A model of the service as a plain list in memory. It is slow, simple and independent of the service's code. */
import type { StoredJoke } from '../../shared/joke.ts'

/** Compares texts without case and accents. */
const collator = new Intl.Collator('en', { sensitivity: 'base' })

/** The jokes that a listing must show, in any order. */
export function expected<Known extends StoredJoke>(
  jokes: Known[],
  { searchString = '', categories }: { searchString?: string; categories?: string },
): Known[] {
  const beginnings = chains(searchString).flatMap((chain) => parts(chain.replaceAll(/['-]/g, '')))
  return jokes.filter((joke) => {
    const words = chains(`${joke.joke} ${joke.punchline}`).flatMap((chain) => [
      ...parts(chain),
      ...chain.split("'").flatMap((_, index, rest) => parts(rest.slice(index).join('').replaceAll('-', ''))),
    ])
    const isFound = beginnings.every((beginning) => words.some((word) => begins(word, beginning)))
    return isFound && (categories === undefined || categories.split(',').includes(joke.category))
  })
}

/** Whether a word begins with a text. Chinese texts match anywhere. */
function begins(word: string, text: string): boolean {
  return /[一-龥]/.test(text) ? word.includes(text) : collator.compare(word.slice(0, text.length), text) === 0
}

/** The words of a text, including the apostrophes and hyphens within them. */
function chains(text: string): string[] {
  return text.replaceAll('’', "'").split(/[^a-zа-яё0-9٧一-龥àâçéèêëîïôœùûß🐔'-]+|['-]{2,}/iu)
}

/** The parts of a chain. Each emoji and each Chinese text is one. */
function parts(chain: string): string[] {
  return chain.split(/(🐔|[一-龥]+)|['-]/u).filter((part) => part)
}
