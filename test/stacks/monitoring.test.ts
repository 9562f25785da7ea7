import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES, type FunctionName, ROUTES } from '../../infra/routes.ts'
import { JOKES } from '../../shared/store/tables.ts'
import { sectionsOf, tableAfter } from '../support/markdown.ts'
import { pageTemplate, propertiesOf, readable, rightsIn, serviceTemplate } from '../support/templates.ts'

const EMAIL = 'oncall@example.com'
const REPOSITORY = 'https://example.com/jokes'

const stages = { prod: { alarmEmail: EMAIL, repository: REPOSITORY, approval: 'on' } }
const template = serviceTemplate({ stages })
const page = pageTemplate({ stages })
const alarms = [template, page].flatMap((one) => propertiesOf(one, 'AWS::CloudWatch::Alarm'))
type Properties = (typeof alarms)[number]

/** Each alarm: its severity, when it fires, the expression, and its metrics with statistic, period in seconds, and dimensions. */
const EXPECTED: Record<string, string[]> = {
  ...Object.fromEntries(
    FUNCTION_NAMES.map((name) => [
      `${name} failing`,
      ['[wake] >= 1, 2 of 3', failing('requests'), ...failuresOf('requests', name, 60)],
    ]),
  ),
  'Route failing': [
    '[wake] >= 1, 1 of 1',
    failing('create', 'list', 'thumbsup'),
    ...FUNCTION_NAMES.flatMap((name) => failuresOf(name.toLowerCase(), name, 3_600)),
  ],
  'Requests slow': ['[tomorrow] >= 2000, 2 of 3', 'AWS/ApiGateway Latency p99 300 ApiId=ApiHttpApi'],
  'Traffic high': [
    '[tomorrow] >= 1, 1 of 1',
    'IF(FILL(create,0) >= 3600 || FILL(list,0) >= 90000 || FILL(thumbsup,0) >= 45000, 1, 0)',
    ...FUNCTION_NAMES.map((name) => `${name.toLowerCase()}: ${ofRoute(name, 'Count', 3_600)}`),
  ],
  'Many jokes added': ['[wake] >= 100, 1 of 1', 'JokeService Added Sum 3600'],
  'Probe failing': ['[wake] >= 1, 2 of 3', 'AWS/Lambda Errors Sum 300 FunctionName=MonitoringProbe'],
  'Jokes waiting': ['[tomorrow] >= 1, 12 of 12', 'JokeService Waiting Minimum 3600'],
  'Page failing': [
    '[wake] >= 1, 1 of 1',
    failing('requests'),
    'requests: AWS/CloudFront Requests Sum 300 DistributionId=Distribution Region=Global',
    // CloudFront reports errors only as a percentage.
    'rate * all / 100',
    'rate: AWS/CloudFront 5xxErrorRate Average 300 DistributionId=Distribution Region=Global',
    'all: AWS/CloudFront Requests Sum 300 DistributionId=Distribution Region=Global',
  ],
  'Page traffic high': [
    '[tomorrow] >= 1, 1 of 1',
    'IF(FILL(requests,0) >= 500000 || FILL(bytes,0) >= 10000000000, 1, 0)',
    'requests: AWS/CloudFront Requests Sum 3600 DistributionId=Distribution Region=Global',
    'bytes: AWS/CloudFront BytesDownloaded Sum 3600 DistributionId=Distribution Region=Global',
  ],
}

describe('the alarms', () => {
  it('watch routes, traffic, probe, waiting jokes and page', () => {
    const found = alarms.map((alarm) => [alarm.AlarmName.replace(/^(JokeService|Page) /, ''), describeAlarm(alarm)])
    expect(Object.fromEntries(found)).toEqual(EXPECTED)
  })

  it('notify when they begin and end, with severity, description and runbook', () => {
    const topic = ['MonitoringAlarmsTopic']
    for (const { AlarmName, AlarmActions, OKActions, TreatMissingData, AlarmDescription } of alarms) {
      // A probe that is not called has no errors.
      const missing = AlarmName.endsWith('Probe failing') ? 'breaching' : 'notBreaching'
      expect([AlarmActions, OKActions, TreatMissingData], AlarmName).toEqual([topic, topic, missing])
      const [, base, file = '', section = ''] =
        /^\[\w+\] [A-Z].+\. What to do: (.+)\/blob\/main\/(.+)#(.+)$/.exec(AlarmDescription) ?? []
      expect(base).toBe(REPOSITORY)
      expect(sectionsOf(readFileSync(file, 'utf8'))).toContain(section)
    }
  })

  it('are all in the table of operations.md, with their severity', () => {
    const documented = tableAfter(readFileSync('docs/operations.md', 'utf8'), '## Alarms').map(
      ([names = '', , severity]) => [...names.matchAll(/\*([^*]+)\*/g)].map(([, name]) => [name, severity]),
    )
    const severities = Object.entries(EXPECTED).map(([name, [first]]) => [name, first?.replace(/^\[|\].*/g, '')])
    expect(documented.flat().toSorted()).toEqual(severities.toSorted())
  })

  // Where no jokes wait, it has neither: see stack.test.ts.
  it('tell of waiting jokes: the probe may ask for these, and no others', () => {
    const ofWaiting =
      '{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["waiting"]},"Null":{"dynamodb:LeadingKeys":"false"}}'
    const rights = rightsIn(template).MonitoringProbe?.filter((right) => right.startsWith('dynamodb'))
    expect(rights).toEqual([`dynamodb:Query Jokes.Arn/index/byState if ${ofWaiting}`])
    expect(readable(template).resources.MonitoringProbe.Properties.Environment.Variables.JOKES_TABLE).toBe('Jokes')
  })

  it('exist, as dashboard and probe, in production and where somebody gets them', () => {
    const TYPES = ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Events::Rule', 'SNS::Subscription', 'Budgets::Budget']
    const counts = (one: typeof template) => TYPES.map((type) => propertiesOf(one, `AWS::${type}`).length)
    expect(counts(template)).toEqual([9, 1, 1, 1, 1])
    expect(counts(serviceTemplate())).toEqual([8, 1, 1, 0, 0])
    expect(counts(serviceTemplate({ stage: 'dev' }))).toEqual([0, 0, 0, 0, 0])
    expect(counts(serviceTemplate({ stage: 'dev', alarmEmail: EMAIL }))).toEqual([8, 1, 1, 1, 1])
    expect(counts(pageTemplate({ stage: 'dev' }))).toEqual([0, 0, 0, 0, 0])
    expect(counts(pageTemplate({ stage: 'dev', alarmEmail: EMAIL }))).toEqual([2, 1, 0, 1, 0])
  })

  it('probe the service every five minutes, and ring once for a probe that fails once: Lambda does not repeat it', () => {
    const rule = { ScheduleExpression: 'rate(5 minutes)', State: 'ENABLED', Targets: [{ Arn: 'MonitoringProbe.Arn' }] }
    expect(propertiesOf(template, 'AWS::Events::Rule')).toMatchObject([rule])
    const config = { FunctionName: 'MonitoringProbe', MaximumRetryAttempts: 0 }
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([config])
  })

  it('may publish to their topic, those of this account only, and it sends them to the address', () => {
    const [policy] = propertiesOf(template, 'AWS::SNS::TopicPolicy')
    expect(policy.PolicyDocument.Statement[1]).toMatchObject({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': 'AWS::AccountId' } },
    })
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: EMAIL })
  })
})

it('a budget notifies at 80 and 100 %, under a name that CloudFormation chooses', () => {
  expect(propertiesOf(template, 'AWS::Budgets::Budget')[0].Budget).not.toHaveProperty('BudgetName')
  template.hasResourceProperties('AWS::Budgets::Budget', {
    Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } },
    NotificationsWithSubscribers: [80, 100].map((Threshold) => ({
      Notification: { NotificationType: 'ACTUAL', ComparisonOperator: 'GREATER_THAN', Threshold },
      Subscribers: [{ SubscriptionType: 'EMAIL', Address: EMAIL }],
    })),
  })
})

it('the dashboard shows requests, functions with their cold starts, and what tables and indexes consume and refuse', () => {
  const dashboards = [template, page].flatMap((one) => propertiesOf(one, 'AWS::CloudWatch::Dashboard'))
  expect(dashboards.map(({ DashboardName }) => DashboardName)).toEqual(['JokeService-AWS::Region', 'Page-us-east-1'])
  const ofRoutes = FUNCTION_NAMES.flatMap((name) => {
    const route = `"Method","${ROUTES[name].method}","Resource","${RegExp.escape(ROUTES[name].path)}"`
    const metrics = ['Count', '4xx', '5xx', 'Latency'].map((metric) => `"AWS/ApiGateway","${metric}",[^\\]]+${route}`)
    const coldStarts = ['SampleCount', 'p90'].map((statistic) => `"JokeService","${name}ColdStart",[^}]+"${statistic}"`)
    return [...metrics, ...coldStarts, `"AWS/Lambda","Throttles","FunctionName","${name}"`]
  })
  const ofTables = ['"TableName","Jokes"', '"TableName","JokeWords"']
  for (const index of Object.keys(JOKES.indexes)) ofTables.push(`"GlobalSecondaryIndexName","${index}"`)
  const consumed = ofTables.map((name) => `"AWS/DynamoDB","ConsumedWriteCapacityUnits",[^\\]]*${name}`)
  const others = ['"WriteThrottleEvents"', '"JokeService","Added"', '"AWS/CloudFront"', '"AWS/WAFV2"']
  const body = JSON.stringify(dashboards).replaceAll('\\', '')
  for (const pattern of [...ofRoutes, ...consumed, ...others]) expect(body).toMatch(new RegExp(pattern))
})

it('filters of the logs count added and waiting jokes, and cold starts', () => {
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter').map((filter) => {
    const [{ MetricName, MetricValue }] = filter.MetricTransformations
    return [MetricName, filter.LogGroupName, filter.FilterPattern, MetricValue]
  })
  const ofDev = propertiesOf(serviceTemplate({ stage: 'dev', alarmEmail: EMAIL }), 'AWS::Logs::MetricFilter')
  expect(JSON.stringify(ofDev)).not.toContain('"JokeService"')
  const duration = '$.record.metrics.initDurationMs'
  expect(filters.toSorted()).toEqual([
    ['Added', 'ApiAccessLog', '{ ($.routeKey = "POST /joke") && ($.status = "201") }', '1'],
    ...FUNCTION_NAMES.map((name) => [`${name}ColdStart`, `${name}Log`, `{ ${duration} > 0 }`, duration]),
    ['Waiting', 'MonitoringProbeLog', '{ $.message.waiting >= 0 }', '$.message.waiting'],
  ])
})

it('the saved queries are explained in operations.md, and read these logs and statuses', () => {
  const guide = readFileSync('docs/operations.md', 'utf8')
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition').map(({ Name, LogGroupNames, QueryString }) => {
    const [, filter] = /filter (.+?)(?= \||\n|$)/.exec(QueryString) ?? []
    expect(Name).toMatch(/^JokeService\//)
    expect(QueryString).toMatch(/sort (@timestamp|\w+) desc/)
    return [Name.replace('JokeService/', ''), LogGroupNames.join(), filter]
  })
  for (const [name] of queries) expect(guide).toContain(`*${name}*`)
  const logs = 'ApiAccessLog,CreateLog,ListLog,ThumbsUpLog'
  const isFailure = 'status >= 500 or level = "ERROR" or record.status in ["timeout", "error", "failure"]'
  expect(queries).toEqual([
    ['What failed', logs, isFailure],
    ['What was slow', logs, 'ispresent(message.costly) or ispresent(responseLatency)'],
    ['What was costly', 'CreateLog,ListLog,ThumbsUpLog', 'ispresent(message.costly)'],
    ['Who receives most', 'ApiAccessLog', undefined],
    ['Who calls most', 'ApiAccessLog', undefined],
    ['What was refused', 'ApiAccessLog', 'status = 429'],
    ['Which joke is upvoted most', 'ApiAccessLog', 'routeKey = "POST /thumbsUp/{id}"'],
    ['Who adds most', 'CreateLog', 'ispresent(message.added)'],
    ['Who added what', 'CreateLog', 'ispresent(message.added)'],
  ])
  const [failed, slow] = propertiesOf(template, 'AWS::Logs::QueryDefinition')
  // The access log has text, which would sort as text.
  expect(slow.QueryString).toContain('responseLatency * 1) as milliseconds')
  expect(failed.QueryString).toContain(String.raw`parse @logStream /\[(?<version>[^\]]+)\]/`)
  // One request has the same value in the access log and in the function's log.
  expect(failed.QueryString).toContain('coalesce(functionRequestId, record.requestId, requestId) as invocation')
  expect(failed.QueryString).toContain('message.error.cause.database.requestId as')
})

/** An alarm in the form of {@link EXPECTED}. */
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

function ofRoute(name: FunctionName, metric: string, seconds: number): string {
  const { method, path } = ROUTES[name]
  return `AWS/ApiGateway ${metric} Sum ${seconds} ApiId=ApiHttpApi Method=${method} Resource=${path} Stage=$default`
}

function failuresOf(variable: string, name: FunctionName, seconds: number): string[] {
  return [`${variable}: ${ofRoute(name, 'Count', seconds)}`, `${variable}Failed: ${ofRoute(name, '5xx', seconds)}`]
}

/** One without a value must not leave the expression without one. */
function failing(...variables: string[]): string {
  const conditions = variables.map(
    (name) => `(FILL(${name}Failed,0) >= 3 && FILL(${name}Failed,0) >= 0.01 * FILL(${name},0))`,
  )
  return `IF(${conditions.join(' || ')}, 1, 0)`
}
