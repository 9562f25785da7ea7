import { once } from 'node:events'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { start, temporaryFolder } from '../support/process.ts'

it('npm start keeps every acknowledged joke and upvote over three crashes', async () => {
  const folder = temporaryFolder()
  const added: { joke: Joke; sent: number; acknowledged: number }[] = []
  let next = 0

  for (let crash = 0; crash < 3; crash++) {
    const { child, service } = await start(folder)
    const exit = once(child, 'exit')
    // Number of answers until the kill. Each run ends at another moment.
    let left = 35 + 7 * crash
    const client = async () => {
      while (left > 0) {
        const number = next++
        const target = added[number % 5]
        const isUpvote = number % 2 === 1 && target !== undefined
        if (isUpvote) target.sent += 1
        const joke = { joke: `Crash${1_000 + number} test`, category: 'Classic' }
        const request = isUpvote ? service.thumbUp(target.joke.id) : service.create(joke)
        const answer = await request.catch((error) => {
          // If the connection fails, the error of fetch has a cause.
          if (!(error instanceof TypeError && error.cause)) throw error
        })
        if (answer === undefined) return
        if (answer.status === 201) added.push({ joke: v.parse(Joke, answer.body), sent: 0, acknowledged: 0 })
        if (isUpvote && answer.status === 200) target.acknowledged += 1
        if (--left === 0) child.kill('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 8 }, client))
    expect(await exit).toEqual([null, 'SIGKILL'])
  }
  // Half of 126 answers are jokes, half are upvotes.
  expect(added.length).toBeGreaterThan(30)
  expect(added.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(30)

  const { service } = await start(folder)
  const listed = (await service.pages({ numberofJokes: '250' })).flat()
  const counts = new Map(listed.map(({ id, thumbsUp }) => [id, thumbsUp]))
  expect(counts.size).toBe(listed.length)
  for (const { joke, sent, acknowledged } of added) {
    expect(counts.get(joke.id)).toBeGreaterThanOrEqual(acknowledged)
    expect(counts.get(joke.id)).toBeLessThanOrEqual(sent)
  }
})
