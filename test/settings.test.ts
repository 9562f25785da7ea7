import { expect, it } from 'vitest'
import { settingsOf } from '../infra/settings.ts'
import { STAGES } from '../infra/stages.ts'
import { EVERY_SETTING } from './support/templates.ts'

it.each(Object.keys(STAGES))('the settings of the stage %s are valid', (stage) => {
  expect(settingsOf(stage)).toMatchObject({ stage })
})

it('a stage has its settings, and otherwise the defaults', () => {
  const { account } = EVERY_SETTING
  const chosen = { account, domain, createRate: 20 }
  const defaults = { approval: 'off', listRate: 50, thumbsUpRate: 25, pageRate: 25, logRetentionDays: 30 }
  expect(settingsOf('prod', chosen)).toEqual({ stage: 'prod', ...defaults, ...chosen })
  expect(settingsOf('my-dev')).toEqual({ stage: 'my-dev', createRate: 2, ...defaults })
})

const { domain } = EVERY_SETTING
const stageRule = 'stage must be 1 to 20 lower-case letters, digits and hyphens, beginning with a letter'
const contactRule = 'contact must be a URL that begins with https:// or mailto:'
const urlRule = 'repository must be a URL that begins with https:// and does not end in /'

it.each([
  ['Prod', {}, `${stageRule}, not Prod.`],
  ['production', {}, 'production would be a stage without protection. Production is -c stage=prod.'],
  ['dev', { account: '123' }, 'account must be an account number of 12 digits, not "123".'],
  ['dev', { region: 'Ireland' }, 'region must be a region such as eu-west-1, not "Ireland".'],
  ['dev', { alarmEmail: 'me' }, 'alarmEmail must be an e-mail address, not "me".'],
  ['dev', { createRate: 101 }, 'createRate must be a whole number from 1 to 100, not 101.'],
  ['dev', { thumbsUpRate: 61 }, 'thumbsUpRate must be a whole number from 1 to 60, not 61.'],
  ['dev', { listRate: 0.5 }, 'listRate must be a whole number from 1 to 2500, not 0.5.'],
  ['dev', { pageRate: '20' }, 'pageRate must be a whole number from 1 to 2500, not "20".'],
  ['dev', { monthlyBudget: 50 }, 'monthlyBudget needs alarmEmail, which it notifies.'],
  ['dev', { contact: 'jokes@example.com' }, `${contactRule}, not "jokes@example.com".`],
  ['dev', { logRetentionDays: 31 }, /^logRetentionDays must be one of 1, 3, 5, 7, 14, 30, .+, not 31\.$/],
  ['dev', { repository: 'https://example.com/' }, `${urlRule}, not "https://example.com/".`],
  ['dev', { approval: 'yes' }, 'approval must be on or off, not "yes".'],
  ['dev', { domain: { ...domain, name: 'x y' } }, 'domain.name must be a domain name, not "x y".'],
  ['dev', { domain: { ...domain, certificateArn: 'a' } }, 'domain.certificateArn must be the ARN of a certificate'],
  [
    'dev',
    { domain, region: 'us-east-1' },
    'domain.certificateArn must be a certificate in the region of the stack, us-east-1.',
  ],
  ['dev', { alarmMail: 'me@example.com' }, 'alarmMail is not a setting.'],
  ['dev', { listrate: 1, createRate: 0 }, 'createRate must be a whole number from 1 to 100, not 0.\nlistrate is'],
])('the settings of %s reject %j with what is accepted', (stage, chosen, message) => {
  expect(() => settingsOf(stage, Object(chosen))).toThrow(message)
})
