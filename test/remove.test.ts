import { expect, it } from 'vitest'
import { operate } from './support/process.ts'

it.each([
  [[]],
  [['x', '--since', '2026-01-01']],
  [['x', '--undo', '--erase']],
  [['--until', '2026-01-01']],
  [['--since', 'yesterday']],
  [['--since', '2026-01-01', '--undo']],
])('remove %j is refused before anything is looked up', async (options) => {
  const { code, stdout, stderr } = await operate('remove', ...options)
  expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1])
})
