/** The headers of all responses. */
import { afterAll, expect, it } from 'vitest'
import { openService } from '../support/service.ts'

const service = await openService()
const { word } = service
const texts = ['The first', 'The second', 'The third'].map((text) => ({ joke: `${text} ${word}`, category: 'Classic' }))
const [first, second] = await service.add(...texts)
afterAll(service.stop)

const headersOf = async (path: string, init?: RequestInit) => {
  const { headers } = await service.request(path, init)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  return { cacheControl: headers.get('cache-control'), vary: headers.get('vary') }
}
const text = { headers: { accept: 'text/plain' } }
const secondPage = `/joke?numberofJokes=1&cursor=${await service.cursor({ numberofJokes: '1' })}`

it.each([
  ['a listing', '/joke'],
  ['a listing as text', '/joke', text],
  ['the second page of a listing', secondPage],
  ['a search that finds nothing', `/joke?searchString=un${word}`],
  ['a random order with a seed', '/joke?sortBy=random&seed=a'],
])('%s may be cached for 5 seconds, per format and origin', async (_, path, init?) => {
  const expected = { cacheControl: 'max-age=0, s-maxage=5', vary: 'Accept, Origin' }
  expect(await headersOf(path, init)).toEqual(expected)
})

it.each([
  ['a random order without a seed', '/joke?sortBy=random'],
  ['a random order as text', '/joke?sortBy=random', text],
  ['a joke by its id', `/joke?id=${first?.id}`],
  ['jokes by their ids in the order of a seed', `/joke?id=${first?.id}&sortBy=random&seed=a`],
  ['an error', '/joke?numberofJokes=0'],
  [
    'a new joke',
    '/joke',
    { method: 'POST', body: JSON.stringify({ joke: `A new joke ${word}`, category: 'Classic' }) },
  ],
  ['a refused joke', '/joke', { method: 'POST', body: '{}' }],
  ['an upvote', `/thumbsUp/${second?.id}`, { method: 'POST' }],
  ['an upvote of an unknown id', '/thumbsUp/x', { method: 'POST' }],
])('%s may not be cached', async (_, path, init?) => {
  expect((await headersOf(path, init)).cacheControl).toBe('no-store')
})
