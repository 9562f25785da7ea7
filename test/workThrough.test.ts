import { afterEach, expect, it, vi } from 'vitest'
import type { ScannedPage } from '../shared/store/upkeep.ts'
import { workThrough } from '../tools/workThrough.ts'

afterEach(() => vi.restoreAllMocks())

it('work that fails says where it can continue', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  async function* pages(): AsyncGenerator<ScannedPage> {
    yield { items: 2, changed: 1, lastId: 'A' }
    throw new Error('no table')
  }
  await expect(workThrough(pages(), 'restored')).rejects.toThrow('no table')
  expect(error.mock.calls).toEqual([['Stopped before the end. Continue with --after=A.']])
})

it('work does not begin at something that is not an id', async () => {
  const pages = vi.fn()
  await expect(workThrough({ [Symbol.asyncIterator]: pages }, 'restored', 'a')).rejects.toThrow(
    'a is not the id of a joke.',
  )
  expect(pages).not.toHaveBeenCalled()
})

it('work that is done says what was done', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  async function* pages(): AsyncGenerator<ScannedPage> {
    yield { items: 1, changed: 1 }
  }
  await workThrough(pages(), 'restored')
  expect(log.mock.calls).toEqual([['1 joke read, 1 restored.']])
})
