import { App } from 'aws-cdk-lib'
import { describe, expect, it } from 'vitest'
import { readSettings, type Settings } from '../infra/settings.ts'

function settingsFor(context: Record<string, unknown>): Settings {
  return readSettings(new App({ context }).node)
}

describe('the settings', () => {
  it('have defaults', () => {
    expect(settingsFor({})).toEqual({
      stage: 'prod',
      shards: 1,
      throttleRate: 500,
      throttleBurst: 1_000,
      logRetentionDays: 30,
    })
  })

  it.each(['4', 4])('take the number %j, from the command line or from a file', (shards) => {
    expect(settingsFor({ shards })).toMatchObject({ shards: 4 })
  })

  it.each([
    [{ stage: 'Prod' }, 'stage must be 1 to 20 lower-case letters, digits and hyphens, a letter first, not "Prod".'],
    [{ stage: '' }, 'stage must be 1 to 20 lower-case letters, digits and hyphens, a letter first, not "".'],
    [{ shards: '21' }, 'shards must be a whole number from 1 to 20, not 21.'],
    [{ shards: '0' }, 'shards must be a whole number from 1 to 20, not 0.'],
    [{ shards: '' }, 'shards must be a whole number from 1 to 20, not "".'],
    [{ shards: true }, 'shards must be a whole number from 1 to 20, not true.'],
    [{ throttleRate: 0.5 }, 'throttleRate must be a whole number from 1 to 100000, not 0.5.'],
    [{ throttleBurst: 'many' }, 'throttleBurst must be a whole number from 1 to 100000, not "many".'],
    [{ alarmEmail: 'me' }, 'alarmEmail must be an e-mail address, not "me".'],
    [{ logRetentionDays: 31 }, /^logRetentionDays must be one of 1, 3, 5, 7, 14, 30, .+, not 31\.$/],
    [{ stage: 'dev', databaseEndpoint: 'here' }, 'databaseEndpoint must be a URL, not "here".'],
    [{ databaseEndpoint: 'http://localhost:8000' }, 'databaseEndpoint is for other stages than prod.'],
    [{ stag: 'dev' }, /^stag is not a setting; these are: stage, shards, .+\.$/],
    [{ stag: 'dev', shards: 0 }, /^stag is not a setting.+\nshards must be .+$/],
  ])('refuse %j, and say what is accepted', (context, message) => {
    expect(() => settingsFor(context)).toThrow(message)
  })

  it('leave alone what CDK keeps in the context', () => {
    expect(settingsFor({ '@aws-cdk/core:flag': true, 'acknowledged-issue-numbers': [1] })).toEqual(settingsFor({}))
  })
})
