/** Calls and capacity units of usual requests among 1,000 and 3,000 jokes. */
import { afterAll, expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { load } from '../support/access.ts'
import { startMetered } from '../support/metered.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { idsOf } from '../support/service.ts'

/** The prefixes of the lists searched. Loading other lists would only take time. */
const SEARCHED = /^(three|thirty|hundre|chicke|middli|#School)$/

async function start(size: number) {
  const metered = await startMetered()
  afterAll(metered.stop)
  await load(metered.store, numberedJokes(size), ({ prefix }) => SEARCHED.test(prefix))
  return metered
}

/** A listing reads half a unit in each category. */
const LISTING = { calls: CATEGORIES.length, read: CATEGORIES.length / 2 }

/** The jokes of each category among 3,000 that contain `middling`. */
const MIDDLING = Math.round(30 / CATEGORIES.length)

const few = await start(1_000)
const many = await start(3_000)

const ids = (count: number) => ({ id: idsOf(numberedJokes(count)).join() })

it.each<[title: string, query: Record<string, string>, found: number, calls: number, read: number]>([
  ['a listing', {}, 25, LISTING.calls, LISTING.read],
  ['a listing by thumbsUp', { sortBy: 'thumbsUp' }, 25, LISTING.calls, LISTING.read],
  ['a listing by thumbsDown', { sortBy: 'thumbsDown' }, 25, LISTING.calls, LISTING.read],
  ['a listing of three ids', ids(3), 3, 1, 3],
  ['a search that finds nothing', { searchString: 'nothing' }, 0, 1, 0.5],
  ['a search for a rare word', { searchString: 'three' }, 3, 2, 2],
  ['a search for a word of old jokes', { searchString: 'hundreds' }, 25, 2, 13],
  ['a search for a word of most jokes', { searchString: 'chicken' }, 25, 2, 13],
])('%s costs the same in a collection of any size', async (_, query, found, calls, read) => {
  expect(await many.list(query)).toEqual({ found, calls, read, written: 0 })
  expect(await few.list(query)).toEqual({ found, calls, read, written: 0 })
})

it.each<[title: string, query: Record<string, string>, found: number, calls: number, read: number]>([
  ['a listing of one category', { category: 'School' }, 25, 1, 1],
  ['a listing of 25 ids', ids(25), 25, 1, 25],
  ['a listing of two categories', { categories: 'School,Classic' }, 25, 2, 2],
  ['a search for 250 jokes', { searchString: 'chicken', numberofJokes: '250' }, 153, 13, 79],
  ['a search for one in a hundred', { searchString: 'middling' }, 25, 2, 13],
  ['a search for a word of most, in a category', { searchString: 'chicken', category: 'School' }, 25, 4, 14.5],
  [
    'a search for one in a hundred, in a category',
    { searchString: 'middling', category: 'School' },
    MIDDLING,
    3,
    1 + MIDDLING / 2,
  ],
  ['a search for a rare and a common word', { searchString: 'middling chicken' }, 24, 6, 24],
  ['a search for few jokes, by votes', { searchString: 'thirty', sortBy: 'thumbsUp' }, 25, 2, 15.5],
  [
    'a search for most jokes, by votes',
    { searchString: 'chicken', sortBy: 'thumbsUp' },
    25,
    LISTING.calls + 2,
    LISTING.read + 1.5,
  ],
])('%s costs a bounded number of calls and units', async (_, query, found, calls, read) => {
  const { read: units, ...others } = await many.list(query)
  expect(others).toEqual({ found, calls, written: 0 })
  // Rows contain the names of categories, so half a unit depends on how long those are.
  expect(Math.abs(units - read)).toBeLessThanOrEqual(0.5)
})

it('two pages of a listing cost twice as much as one', async () => {
  const usage = await many.list({ cursor: await many.cursor() })
  expect(usage).toEqual({ found: 25, calls: 2 * LISTING.calls, read: 2 * LISTING.read, written: 0 })
})

it.each<[title: string, query: Record<string, string>, found: number, calls: number, read: number]>([
  ['a random listing', {}, 25, 3, 15.5],
  ['a random listing of two categories', { categories: 'School,Classic' }, 25, 4, 16],
  ['one random joke', { numberofJokes: '1' }, 1, 3, 3],
  ['a random listing of a category', { categories: 'School' }, 25, 6, 20],
  ['a random search for a word of most', { searchString: 'chicken' }, 25, 6, 20],
  ['a random search for one in a hundred', { searchString: 'middling' }, 25, 6, 20],
])('%s stays within its cost limit at every seed', async (_, query, found, calls, read) => {
  // With some of these seeds, the first window wraps around the last joke.
  for (const seed of 'abcdefgh') {
    const used = await many.list({ sortBy: 'random', seed, ...query })
    expect([seed, used.found, used.calls <= calls, used.read <= read]).toEqual([seed, found, true, true])
  }
})

it('adding a joke costs one unit per index entry, item and secondary index', async () => {
  // The 16 prefixes: a, j jo jok joke, o of, s so som some, w wo wor word words
  const usage = await many.create({ joke: 'A joke of some words', punchline: '', category: 'Classic' })
  expect(usage).toEqual({ calls: 3, read: 0.5, written: 16 + 2 + 3 })
  expect((await many.create(numberedJoke(5_000))).written).toBeLessThanOrEqual(64)
})

it('adding an existing joke writes nothing', async () => {
  expect(await many.create(numberedJoke(2_000), 409)).toEqual({ calls: 1, read: 0.5, written: 0 })
})

it('an upvote costs four units, for the joke and two secondary indexes', async () => {
  expect(await many.upvote(numberedJoke(2_000).id)).toEqual({ calls: 1, read: 0, written: 4 })
})
