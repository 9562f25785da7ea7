import { once } from 'node:events'
import { join } from 'node:path'
import { Level } from 'level'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { SORT_FIELDS } from '../../shared/listing.ts'
import { end, start, temporaryFolder } from '../support/process.ts'
import type { Answer } from '../support/service.ts'

const CRASHES = 3
const CLIENTS = 8

it('keeps and finds every acknowledged joke and upvote over three kill -9 during writes', async () => {
  const folder = temporaryFolder()
  const added: Joke[] = []
  // Votes, by the id of their joke.
  const sent = new Map<string, number>()
  const acknowledged = new Map<string, number>()
  const addOne = (votes: Map<string, number>, id: string) => votes.set(id, (votes.get(id) ?? 0) + 1)
  let next = 0

  for (let crash = 0; crash < CRASHES; crash++) {
    const { child, service } = await start(folder)
    const exit = once(child, 'exit')
    // Answers until the kill: each run ends at another moment.
    let left = 30 + 7 * crash
    const ask = async (request: Promise<Answer>) => {
      const answer = await request.catch((error) => {
        // What fetch throws without a connection has a cause.
        if (error instanceof TypeError && error.cause) return undefined
        throw error
      })
      if (answer && --left === 0) child.kill('SIGKILL')
      return answer
    }
    const client = async () => {
      while (child.exitCode === null && child.signalCode === null && left > 0) {
        const number = next++
        const target = added[number % 5]
        if (number % 2 === 0 || target === undefined) {
          const joke = { joke: `Crash${String(number).padStart(4, '0')} test`, category: 'Classic' }
          const answer = await ask(service.create(joke))
          if (answer?.status === 201) added.push(v.parse(Joke, answer.body))
        } else {
          addOne(sent, target.id)
          const answer = await ask(service.thumbUp(target.id))
          if (answer?.status === 200) addOne(acknowledged, target.id)
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    expect(await exit).toEqual([null, 'SIGKILL'])
  }
  // 285 answers, at least, about half of each kind.
  expect(added.length).toBeGreaterThan(10 * CRASHES)
  expect(acknowledged.values().reduce((sum, votes) => sum + votes, 0)).toBeGreaterThan(10 * CRASHES)

  const { service } = await start(folder)
  for (const sortBy of SORT_FIELDS) {
    const listed = (await service.pages({ sortBy, numberofJokes: '250' })).flat()
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length)
    const counts = new Map(listed.map(({ id, thumbsUp }) => [id, thumbsUp]))
    for (const { id } of added) {
      expect(counts.get(id)).toBeGreaterThanOrEqual(acknowledged.get(id) ?? 0)
      expect(counts.get(id)).toBeLessThanOrEqual(sent.get(id) ?? 0)
    }
  }
  for (const { id, joke } of added) {
    expect((await service.jokes({ searchString: joke })).map((found) => found.id)).toEqual([id])
  }
})

it('repairs the indexes after a crash between an item and its index entries', async () => {
  const folder = temporaryFolder()
  const first = await start(folder)
  const [lost, twice] = await first.service.add(
    { joke: 'Lost from an index', category: 'Classic' },
    { joke: 'Twice in an index', category: 'Classic' },
  )
  await first.service.thumbUp(`${twice?.id}`)
  await end(first.child, 'SIGKILL')

  const level = new Level<string, { id: { S: string } }>(join(folder, 'data'), { valueEncoding: 'json' })
  const index = 'index-global~Jokes~byThumbsUp~'
  const entries = await level.iterator({ gte: index, lt: `${index}~` }).all()
  for (const [key, item] of entries) {
    if (item.id.S === lost?.id) await level.del(key)
    else await level.put(`${key}~`, item)
  }
  await level.close()
  expect(entries).toHaveLength(2)

  const second = await start(folder)
  const listed = await second.service.jokes({ sortBy: 'thumbsUp' })
  expect(listed.map(({ id, thumbsUp }) => [id, thumbsUp])).toEqual([
    [twice?.id, 1],
    [lost?.id, 0],
  ])
})
