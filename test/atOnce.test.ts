/** Work on many items at once. */
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { forEachAtOnce } from '../shared/atOnce.ts'

const items = Array.from({ length: 40 }, (_, index) => index)

it('is done once for each item, for 16 at a time', async () => {
  const done: number[] = []
  let [running, most] = [0, 0]
  await forEachAtOnce(items, async (item) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    done.push(item)
  })
  expect(done.toSorted((one, other) => one - other)).toEqual(items)
  expect(most).toBe(16)
})

it('fails with the error of an item, and begins no further one', async () => {
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    await Promise.resolve()
    if (item === 0) throw new Error('0 failed')
    await setImmediate()
  }
  await expect(forEachAtOnce(items, work)).rejects.toThrow('0 failed')
  await setImmediate()
  await setImmediate()
  expect(begun).toEqual(items.slice(0, 16))
})
