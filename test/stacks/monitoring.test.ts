/** Alarms and the budget. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { settingsOf } from '../../infra/settings.ts'
import { sectionsOf } from '../support/markdown.ts'
import { EVERY_SETTING, propertiesOf, stackOf } from '../support/templates.ts'

const { alarmEmail } = EVERY_SETTING
const { template } = stackOf(settingsOf('staging', { ...EVERY_SETTING, paused: undefined, approval: 'off' }))
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')

it.each([
  ['Requests failing', [0.1, 4, 6], 'At least 0.1% of the requests of a minute got a 5xx, in 4 of 6 minutes.'],
  ['Requests slow', [2_000, 2, 3], '1% of at least 100 requests in 5 minutes took 2 seconds or longer, in 2 of 3 such'],
  ['Traffic high', [90_000, undefined, 1], 'An hour had at least 90,000 requests, half of what listRate accepts.'],
  ['Many jokes added', [100, undefined, 1], 'At least 100 jokes were added in an hour'],
  ['Listings leave jokes out', [1, 1, 6], 'At least 1 function had no memory for all jokes in the last 6 hours'],
])('the alarm "%s" e-mails its numbers when it fires, and when it is over', (name, numbers, text) => {
  const alarm = alarms.find(({ AlarmName }) => AlarmName === `JokeService-staging ${name}`)
  const { Threshold, DatapointsToAlarm, EvaluationPeriods, AlarmDescription, ...others } = alarm
  expect([Threshold, DatapointsToAlarm, EvaluationPeriods]).toEqual(numbers)
  expect(AlarmDescription).toContain(text)
  const topic = ['MonitoringAlarms']
  expect(others).toMatchObject({ AlarmActions: topic, OKActions: topic })
  const [, file = '', section = ''] = /What to do: (\S+)#(\S+)$/.exec(AlarmDescription) ?? []
  expect(sectionsOf(readFileSync(file, 'utf8'))).toContain(section)
})

it('only a stage with an alarmEmail has alarms', () => {
  expect(alarms).toHaveLength(5)
  template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: alarmEmail })
  for (const type of ['CloudWatch::Alarm', 'SNS::Topic', 'Budgets::Budget'])
    expect(propertiesOf(stackOf().template, `AWS::${type}`)).toEqual([])
})

it.each([
  ['paused is set', { paused: 'writes' }, 'Requests failing'],
  ['approval is on', { approval: 'on' }, 'Many jokes added'],
] as const)('if %s, only the alarm that this causes is silent', (_, setting, name) => {
  const { template } = stackOf(settingsOf('prod', { alarmEmail, ...setting }))
  const silent = propertiesOf(template, 'AWS::CloudWatch::Alarm').filter((alarm) => alarm.ActionsEnabled === false)
  expect(silent.map(({ AlarmName }) => AlarmName)).toEqual([`JokeService ${name}`])
})

it('the filters read fields that the functions of the stage log', () => {
  // log.test.ts and jokeCache.test.ts show that the functions log these fields. Lambda writes them in `message`.
  const MetricTransformations = [{ MetricNamespace: 'JokeService-staging' }]
  expect(propertiesOf(template, 'AWS::Logs::MetricFilter')).toMatchObject([
    { MetricTransformations, LogGroupName: 'CreateLog', FilterPattern: '{ $.message.added = "*" }' },
    { MetricTransformations, LogGroupName: 'ListLog', FilterPattern: '{ $.message.isTruncated IS TRUE }' },
  ])
})

it('the budget has no fixed name, because a new address replaces it', () => {
  const [{ Budget }] = propertiesOf(template, 'AWS::Budgets::Budget')
  expect(Budget).toEqual({ BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } })
})
