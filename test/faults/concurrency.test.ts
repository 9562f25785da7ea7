import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { byClients } from '../support/byClients.ts'
import { startService } from '../support/service.ts'

// Others may keep the machine busy.
const service = await startService({ attemptMs: 9_000, operationMs: 9_000 })
afterAll(service.stop)

it('adds one of two equal jokes posted at once in two categories, and finds it only in its own', async () => {
  const categories = ['Classic', 'KnockKnock']
  await byClients(8, 30, async (number) => {
    const joke = `Pair pair${number}`
    const answers = await Promise.all(categories.map((category) => service.create({ joke, category })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const added = v.parse(Joke, answers.find(({ status }) => status === 201)?.body)
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ id: added.id })
    const found = await Promise.all(
      ['', ...categories].map((category) => service.jokes({ searchString: `pair${number} `, category })),
    )
    // A search for pair1 finds pair10 as well.
    const [all, ...each] = found.map((jokes) => jokes.filter((each) => each.joke === joke))
    expect(all).toEqual([added])
    expect(each).toEqual(categories.map((other) => (other === added.category ? [added] : [])))
  })
})
