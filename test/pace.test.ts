/** Work of commands on many jokes at once, while the database throttles. */
import { setImmediate } from 'node:timers/promises'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { writeItems } from '../shared/store/connection/batches.ts'
import { PATIENT } from '../shared/store/limits.ts'
import { forEachAtOnce, Pace } from '../shared/store/operators/pace.ts'
import { openStore } from '../shared/store/store.ts'

// Retries wait for a random time.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const items = Array.from({ length: 400 }, (_, index) => index)
const GET = new GetCommand({ TableName: 'Jokes', Key: { id: 'x' } })

/** Makes a store for commands whose database gives `answer`. Returns it with its reports. */
function patientStore(answer: () => object) {
  const report = vi.fn()
  const config = { region: 'none', credentials: { accessKeyId: 'none', secretAccessKey: 'none' } }
  const store = openStore({ jokesTable: 'Jokes', wordsTable: 'JokeWords' }, config, PATIENT, new Pace(report))
  const middleware = () => async () => ({ output: { $metadata: {}, ...answer() }, response: {} })
  store.database.middlewareStack.add(middleware, { step: 'finalizeRequest', priority: 'low' })
  return { store, report }
}

it('work slows down after throttling', async () => {
  let left = 3
  const { store, report } = patientStore(() => {
    if (left-- > 0) throw Object.assign(new Error(), { name: 'ThrottlingException' })
    return {}
  })
  const done: number[] = []
  const atOnce: number[] = []
  let running = 0
  let throttled: Promise<unknown> | undefined
  await forEachAtOnce(store, items, async (item) => {
    atOnce[item] = ++running
    // The running items wait for the throttled call, so that most items begin after it.
    if (item === 20) throttled = store.database.send(GET)
    await (item < 36 && throttled ? throttled : setImmediate())
    running -= 1
    done.push(item)
  })
  expect(done.toSorted((a, b) => a - b)).toEqual(items)
  const most = (from: number, to: number) => Math.max(...atOnce.slice(from, to))
  expect([most(0, 20), most(350, 400)]).toEqual([16, 16])
  // The items that waited end together, before the number at once falls.
  expect(most(40, 50)).toBeLessThan(8)
  expect(report).toHaveBeenCalledTimes(1)
})

it('an unprocessed batch counts as throttled', async () => {
  const request = { PutRequest: { Item: { prefix: 'a', entry: 'b' } } }
  const unprocessed = { PutRequest: { Item: { prefix: { S: 'a' }, entry: { S: 'b' } } } }
  const answers = [{ UnprocessedItems: { JokeWords: [unprocessed] } }, {}]
  const { store, report } = patientStore(() => answers.shift() ?? {})
  await writeItems(store, 'JokeWords', [request], AbortSignal.timeout(60_000))
  expect([answers, report.mock.calls.length]).toEqual([[], 1])
})

it('a call has ten attempts, not counting throttled ones', async () => {
  const names = [...Array(20).fill('ThrottlingException'), ...Array(9).fill('TimeoutError')]
  const { store } = patientStore(() => {
    if (names.length > 0) throw Object.assign(new Error(), { name: names.shift() })
    return {}
  })
  await store.database.send(GET)
  expect(names).toEqual([])
})

it('work ends with the first error of an item', async () => {
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    await Promise.resolve()
    if (item === 0) throw new Error('0 failed')
    await setImmediate()
  }
  await expect(forEachAtOnce({}, items, work)).rejects.toThrow('0 failed')
  await setImmediate()
  await setImmediate()
  expect(begun).toEqual(items.slice(0, 16))
})
