/** Work on many items at once. */
import { expect, it } from 'vitest'
import { forEachAtOnce } from '../shared/atOnce.ts'

it('is done once for each item, for 16 at a time', async () => {
  const items = Array.from({ length: 40 }, (_, index) => index)
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

it('fails with the error of an item', async () => {
  const work = async (item: number) => {
    if (item === 3) throw new Error('3 failed')
  }
  await expect(forEachAtOnce([1, 2, 3, 4], work)).rejects.toThrow('3 failed')
})
