import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { byClients } from '../support/byClients.ts'
import { idsOf, startService } from '../support/service.ts'

// Others may keep the machine busy.
const service = await startService({ attemptMs: 9_000, operationMs: 9_000 })
afterAll(service.stop)

it('adds one of two equal jokes posted at once in two categories, and finds it only in its own', async () => {
  const categories = ['Classic', 'KnockKnock']
  await byClients(8, 30, async (number) => {
    const answers = await Promise.all(
      categories.map((category) => service.create({ joke: `Pair pair${number}`, category })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const added = v.parse(Joke, answers.find(({ status }) => status === 201)?.body)
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ id: added.id })
    const found = await Promise.all(
      ['', ...categories].map((category) => service.jokes({ searchString: `pair${number} `, category })),
    )
    // A search for pair1 finds pair10 as well.
    const [all, ...each] = found.map((jokes) => jokes.filter(({ joke }) => joke === `Pair pair${number}`))
    expect(all).toEqual([added])
    expect(each).toEqual(categories.map((other) => (other === added.category ? [added] : [])))
  })
})

it('lists no joke twice on a page, and each once by date, while others write', async () => {
  const category = 'School'
  const jokes = await service.add(...[...Array(40).keys()].map((number) => ({ joke: `Restless ${number}`, category })))
  const queries: Record<string, string>[] = [
    { sortBy: 'thumbsUp', sortOrder: 'asc', numberofJokes: '40' },
    { sortBy: 'thumbsUp', searchString: 're', numberofJokes: '40' },
    { sortBy: 'thumbsUp', searchString: 'restless' },
    { sortBy: 'random' },
    {},
  ]
  const writing = byClients(16, 150, async (number) => {
    if (number % 3 === 0) {
      await service.add({ joke: `Restless newcomer ${number}`, category: 'Classic' })
    } else if (number % 3 === 1) {
      expect((await service.thumbUp(`${jokes[number % 40]?.id}`)).status).toBe(200)
    } else {
      const ids = idsOf(await service.jokes(queries[number % queries.length]))
      expect(new Set(ids).size).toBe(ids.length)
    }
  })
  const pages = await service.pages({ category, numberofJokes: '4' })
  await writing
  expect(pages.flat().map(({ id }) => id)).toEqual(jokes.map(({ id }) => id).toReversed())
})
