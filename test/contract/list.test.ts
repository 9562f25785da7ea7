/** Listings, their parameters, pages and random orders. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { SORT_FIELDS } from '../../shared/listing.ts'
import sampleJokes from '../sample-jokes.json' with { type: 'json' }
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const samples = await service.add(...sampleJokes)
const some = samples.slice(-25)
const ofSchool = samples.filter(({ category }) => category === 'School')
const [oldest, middle, newest] = [some[0], some[12], some[24]]
afterAll(service.stop)

it('a listing returns the 25 newest jokes, the newest first', async () => {
  const { status, headers, body } = await service.list()
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const dates = v.parse(v.array(Joke), body).map(({ dateAdded }) => dateAdded)
  expect([dates.length, dates]).toEqual([25, dates.toSorted().toReversed()])
  expect(body).toEqual(some.toReversed())
})

it.each<[query: Record<string, string>, total: string | null]>([
  [{ numberofJokes: '2' }, `${samples.length}`],
  [{ cursor: await service.cursor({ numberofJokes: '2' }) }, `${samples.length}`],
  [{ category: 'School', sortBy: 'random' }, `${ofSchool.length}`],
  [{ searchString: 'nowhere' }, '0'],
  [{ searchString: '', id: 'x' }, null],
])('X-Total-Count of a listing with %j counts the jokes of all pages', async (query, total) => {
  const { headers } = await service.list(query)
  expect(headers.get('x-total-count')).toBe(total)
})

it.each([
  ['categories=School , Classic', 'categories=School,Classic'],
  ['categories=School&categories=Classic', 'categories=School,Classic'],
  ['categories=School&categories=', 'categories=School'],
  ['numberofJokes=3&category=School&sortBy=&cursor=', 'category=School&numberofJokes=3'],
  ['numberofJokes=007', 'numberofJokes=7'],
  ['searchString=%20%09', ''],
  ['searchString=school?go', 'searchString=school go'],
  ['category=School%20&numberofJokes=%095&id=%20', 'category=School&numberofJokes=5'],
])('a listing with %s is that with %s', async (sent, meant) => {
  const found = await service.jokes(Object.fromEntries(new URLSearchParams(meant)))
  expect(found).not.toEqual([])
  expect(await service.request(`/joke?${sent}`)).toMatchObject({ status: 200, body: found })
})

it('a listing by ids has the newest first, whatever else was sent', async () => {
  const { body } = await service.request(`/joke?id=${oldest?.id},x,${newest?.id}&id=${middle?.id},${oldest?.id}`)
  expect(body).toEqual([newest, middle, oldest])
  expect(await service.jokes({ id: ',' })).toEqual([])
})

it.each(SORT_FIELDS)('a listing, by ids or of a search, is sorted by %s', async (sortBy) => {
  for (const { id } of some.slice(10, 15)) await service.thumbUp(id)
  for (const query of [{ id: idsOf(some).join() }, { numberofJokes: '250' }]) {
    const sorted = await service.jokes({ ...query, sortBy, sortOrder: 'asc' })
    // No operation changes `thumbsDown`, so that the date decides.
    const values = sorted.map((joke) => (sortBy === 'thumbsUp' ? joke.thumbsUp : joke.dateAdded))
    expect(values).toEqual(values.toSorted())
    expect(idsOf(sorted)).toEqual(expect.arrayContaining(idsOf(some)))
  }
})

it('the loop that interface.md shows gets each joke once', async () => {
  const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync('docs/interface.md', 'utf8')) ?? []
  const loop = code.replace('http://localhost:3000', service.url)
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', loop])
  expect(stdout.match(/(?<=\bid"?: ?['"])[^'"]+/g)?.toSorted()).toEqual(idsOf(ofSchool))
})

// find.test.ts tests that pages of any size have the same order, and that each joke is as likely to be first.
it.each([
  [{ id: idsOf(some).join() }, some],
  [{ numberofJokes: '24' }, samples],
])('a random order of %j depends only on the seed, and has each joke once', async (query, jokes) => {
  const draw = async (seed: object) => {
    const shown = (await service.pages({ ...query, sortBy: 'random', ...seed })).flat()
    expect(idsOf(shown)).toEqual(idsOf(jokes))
    return shown.map(({ id }) => id).join()
  }
  const drawn = [await draw({ seed: '0' }), await draw({ seed: '1' }), await draw({}), await draw({})]
  expect(new Set(drawn).size).toBe(4)
  expect(await draw({ seed: '0' })).toBe(drawn[0])
})
