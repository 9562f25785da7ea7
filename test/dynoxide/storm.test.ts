/** The service while one call in five to the database fails. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import {
  JOKE_MAY_HAVE_BEEN_ADDED,
  LISTING_FAILED,
  UPVOTE_MAY_HAVE_COUNTED,
  UPVOTE_NOT_COUNTED,
} from '../../shared/errors.ts'
import { Joke } from '../../shared/joke.ts'
import { byClients } from '../support/byClients.ts'
import { expectUnavailable, type Fault, giveUpAfter, startBehindProxy } from '../support/faults.ts'

const faults: Fault[] = ['drop before', 'drop after', 'fail before', 'fail after', 'throttle', 'hang']
/** Faults after which an upvote may be counted without an answer. Some calls that hang are only slow. */
const losesAnswers = ['drop after', 'fail after', 'hang']

const REQUESTS = 80
const CLIENTS = 32

it.each(faults)('no joke is lost and no upvote counted twice while one call in five fails (%s)', async (fault) => {
  const { service, proxy, stop } = await startBehindProxy(fault === 'hang' ? giveUpAfter(1_500) : undefined)
  const target = await service.add(...[0, 1, 2, 3].map((number) => ({ joke: `Target ${number}`, category: 'School' })))
  const tally = new Map(target.map(({ id }) => [id, { sent: 0, acknowledged: 0 }]))
  const added: Joke[] = []
  let call = 0
  proxy.plan = () => (hash(call++) % 5 === 0 ? fault : undefined)

  const create = async (number: number) => {
    const answer = await service.create({ joke: `Storm${number} of ${fault}`, category: 'Classic' })
    if (answer.status === 201) added.push(v.parse(Joke, answer.body))
    else expectUnavailable(answer, JOKE_MAY_HAVE_BEEN_ADDED)
  }
  const upvote = async (number: number) => {
    const [id, votes] = [...tally][Math.floor(number / 2) % tally.size] ?? ['', { sent: 0, acknowledged: 0 }]
    votes.sent += 1
    const answer = await service.thumbUp(id)
    if (answer.status === 200) votes.acknowledged += 1
    else expectUnavailable(answer, fault === 'throttle' ? UPVOTE_NOT_COUNTED : UPVOTE_MAY_HAVE_COUNTED)
  }
  const list = async (number: number) => {
    const answer = await service.list(number % 2 ? { searchString: 'target' } : { numberofJokes: '5' })
    if (answer.status !== 200) expectUnavailable(answer, LISTING_FAILED)
  }
  await byClients(CLIENTS, REQUESTS, async (number) => [create, upvote, list, upvote][number % 4]?.(number))
  proxy.plan = () => undefined

  const listed = new Map((await service.pages({ numberofJokes: '250' })).flat().map((joke) => [joke.id, joke]))
  for (const joke of added) {
    expect(listed.get(joke.id)).toEqual(joke)
    const word = joke.joke.split(' ')[0] ?? ''
    expect((await service.jokes({ searchString: word })).map(({ id }) => id)).toContain(joke.id)
  }
  for (const [id, { sent, acknowledged }] of tally) {
    const counted = listed.get(id)?.thumbsUp
    expect(acknowledged).toBeGreaterThan(0)
    expect(counted).toBeGreaterThanOrEqual(acknowledged)
    expect(counted).toBeLessThanOrEqual(losesAnswers.includes(fault) ? sent : acknowledged)
  }
  expect(added.length).toBeGreaterThan(REQUESTS / 8)
  await stop()
})

/** Spreads faults over the calls, the same way in each run. */
function hash(number: number): number {
  return createHash('sha256').update(String(number)).digest().readUInt32BE()
}
