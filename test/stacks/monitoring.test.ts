import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sectionsOf } from '../support/markdown.ts'
import { propertiesOf, readable, rightsIn, serviceTemplate } from '../support/templates.ts'

const EMAIL = 'oncall@example.com'
const REPOSITORY = 'https://example.com/jokes'

const stages = { prod: { alarmEmail: EMAIL, repository: REPOSITORY, approval: 'on', monthlyBudget: 50 } }
const template = serviceTemplate({ stages })
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')
type Properties = (typeof alarms)[number]

/** For each alarm: severity, threshold, expression, and metrics with statistic, period in seconds and dimensions. */
const EXPECTED: Record<string, string[]> = {
  // With late metrics, an alarm of 1 of 1 could be stuck in OK.
  'Requests failing': [
    '[wake] >= 1, 2 of 4',
    'IF(FILL(failed,0) >= 3 && FILL(failed,0) >= 0.001 * FILL(requests,0), 1, 0)',
    'failed: AWS/ApiGateway 5xx Sum 300 ApiId=ApiHttpApi',
    'requests: AWS/ApiGateway Count Sum 300 ApiId=ApiHttpApi',
  ],
  'Requests slow': ['[tomorrow] >= 2000, 2 of 3', 'AWS/ApiGateway Latency p99 300 ApiId=ApiHttpApi'],
  'Traffic high': ['[tomorrow] >= 90000, 1 of 1', 'AWS/ApiGateway Count Sum 3600 ApiId=ApiHttpApi'],
  'Many jokes added': ['[wake] >= 100, 1 of 1', 'JokeService Added Sum 3600'],
  'Jokes left out': ['[wake] >= 1, 1 of 1', 'JokeService CacheTruncated Maximum 300'],
  'Many jokes': ['[tomorrow] >= 50000, 1 of 1', 'JokeService Jokes Maximum 3600'],
  'Probe failing': ['[wake] >= 1, 2 of 3', 'AWS/Lambda Errors Sum 300 FunctionName=MonitoringProbe'],
  'Jokes waiting': ['[tomorrow] >= 1, 12 of 12', 'JokeService Waiting Minimum 3600'],
}

describe('the alarms', () => {
  it('the alarms watch the expected metrics', () => {
    const found = alarms.map((alarm) => [alarm.AlarmName.replace(/^JokeService /, ''), describeAlarm(alarm)])
    expect(Object.fromEntries(found)).toEqual(EXPECTED)
  })

  it('an alarm names its runbook when it notifies', () => {
    for (const { AlarmName, AlarmActions, OKActions, TreatMissingData, AlarmDescription } of alarms) {
      const topic = [/^\[wake\]/.test(AlarmDescription) ? 'MonitoringAlarmsWake' : 'MonitoringAlarmsTomorrow']
      // A probe that is not called reports no errors, so missing data must fire the alarm.
      const missing = AlarmName.endsWith('Probe failing') ? 'breaching' : 'notBreaching'
      expect([AlarmActions, OKActions, TreatMissingData], AlarmName).toEqual([topic, topic, missing])
      const [, base, file = '', section = ''] =
        /^\[\w+\] [A-Z].+\. What to do: (.+)\/blob\/main\/(.+)#(.+)$/.exec(AlarmDescription) ?? []
      expect(base).toBe(REPOSITORY)
      expect(sectionsOf(readFileSync(file, 'utf8'))).toContain(section)
    }
  })

  // Without approval, the probe has neither right nor variable: see stack.test.ts.
  it('the probe may read only jokes that wait', () => {
    const ofWaiting =
      '{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["waiting"]},"Null":{"dynamodb:LeadingKeys":"false"}}'
    const rights = rightsIn(template).MonitoringProbe?.filter((right) => right.startsWith('dynamodb'))
    expect(rights).toEqual([`dynamodb:Query Jokes.Arn/index/byChange if ${ofWaiting}`])
    expect(readable(template).resources.MonitoringProbe.Properties.Environment.Variables.JOKES_TABLE).toBe('Jokes')
  })

  it('only production and stages with an alarmEmail have alarms', () => {
    const TYPES = ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Events::Rule', 'SNS::Subscription', 'Budgets::Budget']
    const counts = (stack: typeof template) => TYPES.map((type) => propertiesOf(stack, `AWS::${type}`).length)
    expect(counts(template)).toEqual([8, 1, 1, 2, 1])
    expect(counts(serviceTemplate())).toEqual([7, 1, 1, 0, 0])
    expect(counts(serviceTemplate({ stage: 'dev' }))).toEqual([0, 0, 0, 0, 0])
    expect(counts(serviceTemplate({ stage: 'dev', alarmEmail: EMAIL }))).toEqual([7, 1, 1, 2, 0])
  })

  it('the probe runs every five minutes without retries', () => {
    const rule = { ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED', Targets: [{ Arn: 'MonitoringProbe.Arn' }] }
    expect(propertiesOf(template, 'AWS::Events::Rule')).toMatchObject([rule])
    const config = { FunctionName: 'MonitoringProbe', MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 300 }
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([config])
  })

  it('only alarms of this account may publish to the topics of emails', () => {
    const policies = propertiesOf(template, 'AWS::SNS::TopicPolicy')
    expect(policies).toHaveLength(2)
    for (const policy of policies)
      expect(policy.PolicyDocument.Statement[1]).toMatchObject({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': 'AWS::AccountId' } },
      })
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: EMAIL })
  })
})

it('the budget notifies before it is exceeded', () => {
  const [{ Budget, NotificationsWithSubscribers }] = propertiesOf(template, 'AWS::Budgets::Budget')
  expect(Budget).toEqual({ BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } })
  const notified = NotificationsWithSubscribers.map(({ Notification, Subscribers }: Properties) => {
    return [Notification.NotificationType, Notification.Threshold, Subscribers[0].Address].join(' ')
  })
  expect(notified).toEqual([`FORECASTED 100 ${EMAIL}`, `ACTUAL 80 ${EMAIL}`, `ACTUAL 100 ${EMAIL}`])
})

it('the dashboard has a different name in each region', () => {
  template.hasResourceProperties('AWS::CloudWatch::Dashboard', {
    DashboardName: { 'Fn::Join': ['', ['JokeService-', { Ref: 'AWS::Region' }]] },
  })
})

it('log filters count jokes that were added, wait or are in memory', () => {
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter').map((filter) => {
    const [{ MetricName, MetricValue }] = filter.MetricTransformations
    return [MetricName, filter.LogGroupName, filter.FilterPattern, MetricValue]
  })
  const ofDev = propertiesOf(serviceTemplate({ stage: 'dev', alarmEmail: EMAIL }), 'AWS::Logs::MetricFilter')
  expect(JSON.stringify(ofDev)).not.toContain('"JokeService"')
  expect(filters.toSorted()).toEqual([
    ['Added', 'ApiAccessLog', '{ ($.routeKey = "POST /joke") && ($.status = "201") }', '1'],
    ['CacheTruncated', 'ListLog', '{ $.message.isTruncated IS TRUE }', '1'],
    ['Jokes', 'ListLog', '{ $.message.jokes = "*" }', '$.message.jokes'],
    ['LoadMilliseconds', 'ListLog', '{ $.message.milliseconds = "*" }', '$.message.milliseconds'],
    ['Waiting', 'MonitoringProbeLog', '{ $.message.waiting >= 0 }', '$.message.waiting'],
  ])
})

it('the saved queries are those that documents name', () => {
  const names = propertiesOf(template, 'AWS::Logs::QueryDefinition').map(({ Name }) => Name)
  expect(names).toEqual(['JokeService/What failed', 'JokeService/Who calls most', 'JokeService/What is slow'])
})

/** Describes an alarm as {@link EXPECTED} does. */
function describeAlarm(alarm: Properties): string[] {
  const { ComparisonOperator, Threshold, EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm
  const operator = ComparisonOperator === 'GreaterThanOrEqualToThreshold' ? '>=' : ComparisonOperator
  const metric = ({ Namespace, MetricName, Dimensions = [] }: Properties, statistic: string, period: number) =>
    [Namespace, MetricName, statistic, period, ...Dimensions.map(dimension)].join(' ')
  const dimension = ({ Name, Value }: Record<string, string>) => `${Name}=${Value}`
  const metrics = alarm.Metrics?.map(({ Id, Expression, MetricStat }: Properties) =>
    MetricStat ? `${Id}: ${metric(MetricStat.Metric, MetricStat.Stat, MetricStat.Period)}` : Expression,
  )
  const [severity] = /^\S+/.exec(alarm.AlarmDescription) ?? []
  return [
    `${severity} ${operator} ${Threshold}, ${DatapointsToAlarm} of ${EvaluationPeriods}`,
    ...(metrics ?? [metric(alarm, alarm.Statistic ?? alarm.ExtendedStatistic, alarm.Period)]),
  ]
}
