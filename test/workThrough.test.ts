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

it('work that is done says what was done', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  async function* pages(): AsyncGenerator<ScannedPage> {
    yield { items: 2, changed: 1, lastId: 'A' }
    yield { items: 1, changed: 0 }
  }
  await workThrough(pages(), 'restored')
  expect(log.mock.calls).toEqual([['3 jokes read, 1 restored.']])
})
