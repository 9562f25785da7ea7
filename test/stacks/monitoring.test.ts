/** Alarms and the budget. */
import { readFileSync } from 'node:fs'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { settingsOf } from '../../infra/settings.ts'
import { sectionsOf } from '../support/markdown.ts'
import { EVERY_SETTING, propertiesOf, stackOf } from '../support/templates.ts'

const { alarmEmail } = EVERY_SETTING
const unset = { paused: undefined, approval: undefined }
const { template, resources } = stackOf(settingsOf('staging', { ...EVERY_SETTING, ...unset }))
const alarms = alarmsOf(template)
const { template: pausedWrites } = stackOf(settingsOf('prod', { alarmEmail, paused: 'writes', approval: 'on' }))

it.each([
  ['Requests failing', [0.1, 4, 6], 'At least 0.1% of the requests of a minute got a 5xx, in 4 of 6 minutes.'],
  ['Failures an hour', [5, undefined, 1, 3_600], 'At least 5 requests of an hour got a 5xx.'],
  ['Requests slow', [2_000, 2, 3], '1% of at least 100 requests in 5 minutes took 2 seconds or longer, in 2 of 3 such'],
  ['Traffic high', [90_000, undefined, 1, 3_600], 'had at least 90,000 requests, half of what listRate accepts.'],
  ['Requests refused', [100, undefined, 1, 300], 'At least 100 requests to add or upvote jokes got a 429'],
  ['Many jokes added', [100, undefined, 1, 3_600], 'At least 100 jokes were added in an hour.'],
  ['Jokes wait', [1, undefined, 1, 3_600], 'At least 1 joke was added in an hour.'],
  ['Listings leave jokes out', [1, 1, 6, 3_600], 'At least 1 function had no memory for all jokes in the last 6 hours'],
])('the alarm "%s" mails its number and its section of the runbook', (name, numbers, text) => {
  const alarm = alarms[name] ?? alarmsOf(pausedWrites)[name]
  const { Threshold, DatapointsToAlarm, EvaluationPeriods, Period, AlarmDescription } = alarm
  expect([Threshold, DatapointsToAlarm, EvaluationPeriods, ...(Period ? [Period] : [])]).toEqual(numbers)
  expect(AlarmDescription).toContain(text)
  const section = name.toLowerCase().replaceAll(' ', '-')
  expect(AlarmDescription).toContain(` What to do: docs/runbook.md#${section}`)
  expect(sectionsOf(readFileSync('docs/runbook.md', 'utf8'))).toContain(section)
  // The second mail says that it is over.
  const topic = ['MonitoringAlarms']
  expect(alarm).toMatchObject({ ActionsEnabled: true, AlarmActions: topic, OKActions: topic })
})

it('only a stage with an alarmEmail has alarms', () => {
  template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: alarmEmail })
  for (const type of ['CloudWatch::Alarm', 'SNS::Topic', 'Budgets::Budget'])
    expect(propertiesOf(stackOf().template, `AWS::${type}`)).toEqual([])
})

it('while new jokes wait for approval, one of them is enough', () => {
  expect(alarms).not.toHaveProperty(['Jokes wait'])
  expect(alarmsOf(pausedWrites)).not.toHaveProperty(['Many jokes added'])
})

it('while writes are paused, only failing reads ring', () => {
  const { 'Requests failing': failing, 'Failures an hour': hourly } = alarmsOf(pausedWrites)
  expect(metricsIn(failing, hourly)).toEqual(['FailedReads', 'Reads', 'FailedReads'])
  expect(failing.AlarmDescription).toContain('0.1% of the GET requests of a minute')
  expect(metricsIn(alarms['Requests failing'], alarms['Failures an hour'])).toEqual(['5xx', 'Count', '5xx'])
})

it('while everything is paused, nothing rings', () => {
  const { template } = stackOf(settingsOf('prod', { alarmEmail, paused: 'everything' }))
  template.allResourcesProperties('AWS::CloudWatch::Alarm', { ActionsEnabled: false })
})

it('the filters read fields that the functions and the API log', () => {
  // log.test.ts and jokeCache.test.ts show that the functions log these fields. Lambda writes them in `message`.
  expect(filtersOf(template)).toEqual({
    Refused: 'ApiAccessLog { ($.routeKey = "POST *") && ($.status = "429") }',
    Added: 'CreateLog { $.message.added = "*" }',
    LeftOut: 'ListLog { $.message.isTruncated IS TRUE }',
  })
  expect(filtersOf(pausedWrites)).toMatchObject({
    Reads: 'ApiAccessLog { ($.routeKey = "GET *") && ($.status = "*") }',
    FailedReads: 'ApiAccessLog { ($.routeKey = "GET *") && ($.status = "5*") }',
  })
  const counting = ['Requests refused', 'Many jokes added', 'Listings leave jokes out'].map((name) => alarms[name])
  expect(metricsIn(...counting)).toEqual(Object.keys(filtersOf(template)))
  for (const { Namespace } of counting) expect(Namespace).toBe('JokeService-staging')
  // Between quotation marks, a number is a text, so the filters compare it as a text.
  const { Format } = resources.ApiStage.Properties.AccessLogSettings
  expect(JSON.parse(Format)).toMatchObject({ routeKey: '$context.routeKey', status: '$context.status' })
})

it('the budget has no fixed name, because a new address replaces it', () => {
  const [{ Budget }] = propertiesOf(template, 'AWS::Budgets::Budget')
  expect(Budget).toEqual({ BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } })
})

/** The alarms of a stack by their names, without the name of the stack. */
function alarmsOf(template: Template) {
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')
  return Object.fromEntries(alarms.map((alarm) => [alarm.AlarmName.replace(/^\S+ /, ''), alarm]))
}

function metricsIn(...alarms: object[]) {
  return JSON.stringify(alarms).match(/(?<="MetricName":")\w+/g)
}

/** The patterns of the filters, by their metrics. */
function filtersOf(template: Template) {
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
  const patterns = filters.map(({ FilterPattern, LogGroupName, MetricTransformations: [metric] }) => {
    expect(metric.MetricNamespace).toMatch(/^JokeService/)
    return [metric.MetricName, `${LogGroupName} ${FilterPattern}`]
  })
  return Object.fromEntries(patterns)
}
