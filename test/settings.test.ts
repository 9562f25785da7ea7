import { expect, it, vi } from 'vitest'
import { settingsOf } from '../infra/settings.ts'
import { EVERY_SETTING } from './support/templates.ts'

it('a stage has its settings, and otherwise the defaults', () => {
  const defaults = { createRate: 2, listRate: 50, thumbsUpRate: 25, pageRate: 25 }
  expect(settingsOf('prod', { createRate: 20 })).toEqual({ stage: 'prod', ...defaults, createRate: 20 })
  expect(settingsOf('prod', EVERY_SETTING)).toEqual({ stage: 'prod', ...EVERY_SETTING })
})

it.each([
  [{ alarmMail: 'me@example.com' }, /but received "alarmMail"/],
  [{ paused: 'write' }, /Expected \("writes" \| "everything"\) but received "write"\n.+paused/],
  [{ account: '123' }, /received "123"\n.+account/],
  [{ listRate: 0.5 }, /received 0\.5\n.+listRate/],
  [{ monthlyBudget: 50 }, /monthlyBudget needs alarmEmail/],
])('the settings %j are refused', (chosen, message) => {
  expect(() => settingsOf('dev', Object(chosen))).toThrow(message)
})

it('a stage that infra/stages.ts does not name is refused, because it would be another, unprotected service', () => {
  expect(() => settingsOf('production')).toThrow('Add it there, or choose dev, staging, prod.')
})

it('approval is on in a function whose environment says so', async () => {
  vi.stubEnv('JOKES_TABLE', 'Jokes')
  vi.stubEnv('APPROVAL', 'on')
  vi.resetModules()
  const { storeOfEnvironment } = await import('../shared/store/store.ts')
  expect(storeOfEnvironment().approval).toBe(true)
  vi.unstubAllEnvs()
})
