/** Work on many items at once. */
import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { forEachAtOnce, Pace } from '../shared/atOnce.ts'

const items = Array.from({ length: 40 }, (_, index) => index)

/** Works once on each item. Returns on how many it worked at a time. */
async function mostAtOnce(pace: Pace): Promise<number> {
  const done: number[] = []
  let [running, most] = [0, 0]
  const work = async (item: number) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    done.push(item)
  }
  await forEachAtOnce(items, work, pace)
  expect(done.toSorted((one, other) => one - other)).toEqual(items)
  return most
}

it('is done once for each item, for half as many at a time when the pace slows down, then for more, up to 16', async () => {
  const report = vi.fn()
  const pace = new Pace(report)
  expect(report).not.toHaveBeenCalled()
  pace.slowDown()
  for (const most of [8, 11, 13, 16, 16]) expect(await mostAtOnce(pace)).toBe(most)
  pace.slowDown()
  expect(await mostAtOnce(pace)).toBe(8)
  for (let times = 0; times < 5; times++) pace.slowDown()
  expect(await mostAtOnce(pace)).toBe(1)
  expect(report).toHaveBeenCalledTimes(1)
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
