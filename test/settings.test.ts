import { describe, expect, it } from 'vitest'
import { settingsOf } from './support/app.ts'

describe('the settings', () => {
  it('settings come from the stage in cdk.json, overridden by -c outside production', () => {
    const stages = { prod: { alarmEmail: 'oncall@example.com', createRate: 20 }, dev: { createRate: 1, listRate: 7 } }
    expect(settingsOf({ stages })).toMatchObject({ stage: 'dev', createRate: 1 })
    const production = { stage: 'prod', alarmEmail: 'oncall@example.com', createRate: 20 }
    expect(settingsOf({ stages, stage: 'prod' })).toMatchObject(production)
    expect(settingsOf({ stages, stage: 'other' })).toMatchObject({ stage: 'other', createRate: 2 })
    expect(settingsOf({ stages, stage: 'dev', createRate: '4' })).toMatchObject({ createRate: 4, listRate: 7 })
  })

  it('settings of production cannot be overridden by -c', () => {
    const message =
      '-c cannot change the settings of prod: the next deploy would change them back. ' +
      'Write them in cdk.json, in "context": { "stages": { "prod": { … } } }: alarmEmail, createRate.'
    expect(() => settingsOf({ stage: 'prod', alarmEmail: 'me@example.com', createRate: '5' })).toThrow(message)
  })

  it("the CDK's own values in the context are no settings", () => {
    // `npx cdk cli-telemetry --disable` and `npx cdk acknowledge ID` write them into cdk.context.json.
    const ofCdk = { 'cli-telemetry': false, 'acknowledged-issue-numbers': [34892], '@aws-cdk/core:flag': true }
    expect(settingsOf({ stage: 'prod', ...ofCdk })).toEqual(settingsOf({ stage: 'prod' }))
  })

  it('a contact becomes a link', () => {
    const https = 'https://example.com/report'
    expect(settingsOf({ stage: 'dev', contact: 'jokes@example.com' }).contact).toBe('mailto:jokes@example.com')
    expect(settingsOf({ stage: 'dev', contact: https }).contact).toBe(https)
  })

  const stageRule = 'stage must be 1 to 20 lower-case letters, digits and hyphens, beginning with a letter'
  const contactRule = 'contact must be an e-mail address, or a URL that begins with https://'
  const urlRule = 'repository must be a URL that begins with https:// and does not end in /'
  const stagesRule = 'stages must hold the settings of each stage under its name.'
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/a'
  const database = { databaseEndpoint: 'http://localhost:8000' }

  it.each([
    [{ stage: 'Prod' }, `${stageRule}, not "Prod".`],
    [{ stage: 'production' }, 'production would be a stage without protection. Production is -c stage=prod.'],
    [{ account: '123' }, 'account must be an account number of 12 digits, not "123".'],
    [{ region: 'Ireland' }, 'region must be a region such as eu-west-1, not "Ireland".'],
    [{ createRate: '2501' }, 'createRate must be a whole number from 1 to 2500, not 2501.'],
    [{ createRate: '' }, 'createRate must be a whole number from 1 to 2500, not "".'],
    [{ monthlyBudget: 50 }, 'monthlyBudget needs alarmEmail, which it notifies.'],
    [{ monthlyBudget: 'much' }, 'monthlyBudget must be a whole number from 1 to 1000000, not "much".'],
    [{ contact: 'http://example.com/' }, `${contactRule}, not "http://example.com/".`],
    [{ logRetentionDays: 31 }, /^logRetentionDays must be one of 1, 3, 5, 7, 14, 30, .+, not 31\.$/],
    [{ certificateArn: 'mine' }, 'certificateArn must be the ARN of a certificate, not "mine".'],
    [{ repository: 'https://example.com/' }, urlRule],
    [
      { domainName: 'jokes.example.com', certificateArn, region: 'eu-west-1' },
      'certificateArn must be a certificate in the region of the stack, eu-west-1.',
    ],
    [{ approval: 'yes' }, 'approval must be on or off'],
    [{ domainName: 'x y' }, 'domainName must be a domain name'],
    [{ domainName: 'jokes.example.com' }, 'domainName and certificateArn must be set together.'],
    [{ databaseEndpoint: 'here' }, 'databaseEndpoint must be a URL, not "here".'],
    [{ stag: 'dev' }, /^stag is not a setting\. The settings are stage, account, .+\.$/],
    [{ stag: 'dev', createRate: 0 }, /^stag is not a setting.+\ncreateRate must be .+$/],
    [{ stage: 'prod', stages: { prod: database } }, 'databaseEndpoint cannot be set for prod.'],
    [{ stages: { prod: 1 } }, stagesRule],
  ])('settings reject %j with a list of what is accepted', (context, message) => {
    expect(() => settingsOf({ stage: 'dev', ...context })).toThrow(message)
  })
})
