/** The most expensive requests, in capacity units. */
import { expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { parseListing, SORT_FIELDS, SORT_ORDERS } from '../../shared/listing.ts'
import { listJokes } from '../../shared/store/jokes.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { load } from '../support/access.ts'
import { LONGEST_KINDS, longestJoke, WORST_CASE_UNITS } from '../support/longestJokes.ts'
import { meter } from '../support/meter.ts'
import { startMetered } from '../support/metered.ts'
import { jokeOf } from '../support/numberedJoke.ts'
import { createStore, idsOf } from '../support/service.ts'

it.each(LONGEST_KINDS)('a joke of %s stays within the worst-case units', async (kind) => {
  const metered = await startMetered()
  const longest = longestJoke(kind, 0)
  expect((await metered.create(longest)).written).toBeLessThanOrEqual(WORST_CASE_UNITS.createdWrites)
  expect((await metered.create(longest, 409)).read).toBeLessThanOrEqual(1.5)
  expect((await metered.upvote(longest.id)).written).toBeLessThanOrEqual(WORST_CASE_UNITS.upvoteWrites)
  await metered.stop()
})

it('listings of the largest jokes stay within units, calls and page size', async () => {
  const store = await createStore({ attemptMs: 60_000, operationMs: 60_000 })
  const used = meter(store.database)
  // All jokes contain these words.
  const searchString = Array.from({ length: 8 }, (_, index) => `common${index}`).join(' ')
  const older = CATEGORIES.length * 30
  const jokes = Array.from({ length: older + 250 }, (_, number) => {
    const joke = longestJoke('Han, 3 bytes each', number, searchString)
    if (number >= older) joke.category = 'Classic'
    return joke
  })
  await load(store, jokes, ({ prefix }) => /^[c#]/.test(prefix))
  const { listing, partition } = LIMITS
  const orders = SORT_FIELDS.flatMap((sortBy) => SORT_ORDERS.map((sortOrder) => ({ sortBy, sortOrder })))
  const category = 'Classic'
  const sets = [{}, { category }, { categories: 'Classic,School' }, { searchString }, { searchString, category }]
  const listings = [{ sortBy: 'random' }, ...orders].flatMap((order) =>
    sets.map((set) => ({ ...order, ...set, numberofJokes: '250' })),
  )
  for (const query of [{ id: idsOf(jokes.slice(0, 25)).join() }, ...listings]) {
    const listed = await listJokes(store, parseListing(query))
    const { read, calls } = used()
    // A listing of one category reads only one partition.
    const most =
      'category' in query && !('searchString' in query) && query.sortBy !== 'random' ? partition.units : listing.units
    const isSmall = Buffer.byteLength(JSON.stringify(listed.jokes)) <= LIMITS.pageBytes
    const isLimited = read > 20 && read <= most && calls <= listing.calls
    expect([query, isLimited, isSmall]).toEqual([query, true, true])
  }
})

it('a search of the largest index entries finds all jokes within its budget', async () => {
  const store = await createStore({ attemptMs: 60_000, operationMs: 60_000 })
  const used = meter(store.database)
  // Letters of 4 bytes form eight prefixes, each of four words.
  const letter = (number: number) => String.fromCodePoint(0x10428 + number)
  const beginnings = Array.from({ length: 8 }, (_, number) => letter(number).repeat(6))
  const words = beginnings.flatMap((beginning) => [8, 9, 10, 11].map((number) => beginning + letter(number)))
  const jokes = Array.from({ length: 300 }, (_, number) => {
    const text = { joke: `${words.join(' ')} ${number}`, punchline: '' }
    return { ...jokeOf(text, number), category: 'French humour' }
  })
  await load(store, jokes, ({ prefix }) => beginnings.includes(prefix) || prefix.startsWith('#'))
  const query = { searchString: beginnings.join(' '), categories: 'French humour', numberofJokes: '250' }
  const listing = parseListing(query)
  const found: string[] = []
  let pages = 0
  for (let next: string | undefined, isFirst = true; isFirst || next; isFirst = false) {
    const page = await listJokes(store, next ? { ...listing, cursor: next } : listing)
    found.push(...page.jokes.map(({ id }) => id))
    next = page.next
    const { read, calls } = used()
    expect([++pages < 9, read <= LIMITS.listing.units, calls <= LIMITS.listing.calls]).toEqual([true, true, true])
  }
  expect(found.toSorted()).toEqual(jokes.map(({ id }) => id).toSorted())
})
