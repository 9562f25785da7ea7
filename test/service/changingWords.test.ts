/** Searches whose word becomes common or rare between two pages, so the next page is read in another way. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { CATEGORIES, type Joke } from '../../shared/joke.ts'
import { removeJoke } from '../../shared/store/removal.ts'
import { emptyTables, load, writeOrphans } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const limits = { listRows: 60, firstRows: 5, sortedJokes: 20, walkRows: 15 }

const service = await startService(limits)
const { store } = service
beforeEach(() => emptyTables(store))
afterAll(service.stop)

/** Jokes that contain a word. Many have equal votes and dates; their order is up to the database. */
function holders(word: string, first: number, count: number): Joke[] {
  return Array.from({ length: count }, (_, index) => ({
    ...numberedJoke(first + index),
    joke: `${word} no. ${first + index}`,
    category: CATEGORIES[index % CATEGORIES.length] ?? 'Classic',
    thumbsUp: index % 3,
    dateAdded: new Date(Date.UTC(2026, 0, 1) + (index % 3)).toISOString(),
  }))
}

const ofWord = ({ prefix }: { prefix: string }) => prefix === 'fashio'

describe.each(['asc', 'desc'])('a search, %s,', (sortOrder) => {
  it.each(
    ['common', 'rare'].flatMap((becomes) => ['thumbsUp', 'dateAdded', 'thumbsDown'].map((sortBy) => [becomes, sortBy])),
  )('whose word becomes %s after the first page, shows each joke once by %s', async (becomes, sortBy = '') => {
    const jokes = holders('fashionable', 0, 18)
    const others = holders('fashionable', 500, becomes === 'rare' ? 6 : 4)
    await load(store, [...jokes, ...holders('other', 1_000, 20), ...(becomes === 'rare' ? others : [])], ofWord)
    // Removing them finds their rows only by those that `load` does not write.
    if (becomes === 'rare') await writeOrphans(store, ...others)
    const change = async () => {
      if (becomes === 'common') return load(store, others, ofWord)
      for (const { id } of others) await removeJoke(store, id)
    }
    const shown: Joke[] = []
    let pages = 0
    const query = { searchString: 'fashionable', sortBy, sortOrder, numberofJokes: '4' }
    for await (const page of service.follow(query)) {
      shown.push(...page)
      if (pages++ === 0) await change()
    }
    const changed = new Set(idsOf(others))
    expect(idsOf(shown.filter(({ id }) => !changed.has(id)))).toEqual(idsOf(jokes))
  })
})
