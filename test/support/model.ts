/** A model of the service as a plain list in memory. It is slow, simple and independent of the service's code. */
import type { StoredJoke } from '../../shared/joke.ts'

/** Compares texts without case and accents. */
const collator = new Intl.Collator('en', { sensitivity: 'base' })

/** The jokes that a listing must show, in any order. */
export function expected<Known extends StoredJoke>(
  jokes: Known[],
  { searchString = '', categories }: { searchString?: string; categories?: string },
): Known[] {
  const searched = wordsOf(searchString).map((parts) => parts.join(''))
  return jokes.filter((joke) => {
    const words = wordsOf(withoutSeparators(`${joke.joke} ${joke.punchline}`)).flatMap((parts) =>
      parts.map((_, index) => parts.slice(index).join('')),
    )
    const isFound = searched.every((beginning) => words.some((word) => begins(word, beginning)))
    return isFound && (categories === undefined || categories.split(',').includes(joke.category))
  })
}

/** Whether a word begins with a text. Chinese texts match anywhere. */
function begins(word: string, text: string): boolean {
  return /[一-龥]/.test(text) ? word.includes(text) : collator.compare(word.slice(0, text.length), text) === 0
}

/** Removes what stands between two Chinese characters, except emoji. */
function withoutSeparators(text: string): string {
  return text.replaceAll(/(?<=[一-龥])[^a-zа-яё0-9一-龥àâçéèêëîïôœùûß🐔]+(?=[一-龥])/giu, '')
}

/** The words of a text, in the parts that apostrophes and hyphens join. Each emoji and each Chinese text is a word. */
function wordsOf(text: string): string[][] {
  const words = text.replaceAll('’', "'").split(/(🐔|[一-龥]+)|[^a-zа-яё0-9一-龥àâçéèêëîïôœùûß🐔'-]+|['-]{2,}/iu)
  return words.map((word = '') => word.split(/['-]/).filter(Boolean)).filter((parts) => parts.length > 0)
}
