import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES, ROUTES } from '../../infra/routes.ts'
import { JOKES } from '../../shared/store/tables.ts'
import { sectionsOf } from '../support/markdown.ts'
import { propertiesOf, serviceTemplate } from '../support/templates.ts'

const EMAIL = 'oncall@example.com'
const REPOSITORY = 'https://example.com/jokes'

const template = serviceTemplate({ stages: { prod: { alarmEmail: EMAIL, repository: REPOSITORY } } })
const quiet = serviceTemplate()
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')

describe('the alarms', () => {
  it('watch each route, the API, the functions and the tables', () => {
    expect(alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      [
        ...FUNCTION_NAMES.flatMap((name) => [`${name} failing`, `${name} failing for an hour`]),
        'Requests slow',
        'Requests refused',
        'Function crashed',
        'Function throttled',
        'Database failing',
        'Database throttled',
        'Database bounded',
      ]
        .map((name) => `JokeService ${name}`)
        .sort(),
    )
  })

  it.each(alarms.map((alarm): [string, typeof alarm] => [alarm.AlarmName, alarm]))(
    '%s notifies when it begins and ends, with a description and its runbook',
    (_, { AlarmActions, OKActions, AlarmDescription, TreatMissingData }) => {
      const topic = [{ Ref: expect.stringMatching(/^MonitoringAlarms/) }]
      expect({ AlarmActions, OKActions, TreatMissingData }).toEqual({
        AlarmActions: topic,
        OKActions: topic,
        TreatMissingData: 'notBreaching',
      })
      const [, base, file = '', section = ''] =
        /^[A-Z].+\. What to do: (.+)\/blob\/main\/(.+)#(.+)$/.exec(AlarmDescription) ?? []
      expect(base).toBe(REPOSITORY)
      expect(sectionsOf(readFileSync(file, 'utf8'))).toContain(section)
    },
  )

  it.each([
    ['few failures among few requests', 3, 3, true],
    ['all requests failing in a quiet hour', 4, 4, true],
    ['two failures', 2, 2, false],
    ['1 % of many', 10, 1_000, true],
    ['less than 1 % of many', 9, 1_000, false],
    ['three among very many', 3, 100_000, false],
  ])('of a route on %s (%i of %i): %s', (_, failed, requests, rings) => {
    for (const name of FUNCTION_NAMES)
      for (const when of ['', ' for an hour']) {
        const { Threshold, Metrics } = alarmNamed(`${name} failing${when}`)
        expect(evaluate(Metrics[0].Expression, { failed, requests }) >= Threshold).toBe(rings)
      }
  })

  it('of a route watch a minute and an hour', () => {
    const period = (name: string) => alarmNamed(name).Metrics.at(-1).MetricStat.Period
    expect([period('List failing'), period('List failing for an hour')]).toEqual([60, 3_600])
  })

  it('detect an error in one operation or function while others have none', () => {
    const summing = [
      'Function crashed',
      'Function throttled',
      'Database failing',
      'Database throttled',
      'Database bounded',
    ]
    for (const name of summing) {
      const [sum, ...metrics] = alarmNamed(name).Metrics
      expect(sum.Expression.split('+')).toEqual(metrics.map(({ Id }: { Id: string }) => `FILL(${Id},0)`))
    }
  })

  it('distinguish throttling by our own limits from that of DynamoDB, in each table and index', () => {
    const ours = (kind: string) =>
      metricsOf('Database bounded')
        .filter(([name]) => name === `${kind}MaxOnDemandThroughputThrottleEvents`)
        .map(([, where]) => where)
    expect(ours('Read')).toEqual(['Jokes', ...Object.keys(JOKES.indexes), 'JokeWords'])
    // Those that an upvote or a new joke writes to most.
    expect(ours('Write')).toEqual(['Jokes', 'byThumbsUp', 'byDateAdded', 'JokeWords'])
    expect(new Set(metricsOf('Database throttled').map(([name]) => name))).toEqual(new Set(['ThrottledRequests']))
  })

  it('have at most 10 metrics each, and are at most 20', () => {
    for (const { Metrics = [] } of alarms)
      expect(Metrics.filter((metric: { MetricStat?: object }) => metric.MetricStat).length).toBeLessThanOrEqual(10)
    // The page's stack has two more.
    expect(alarms.length).toBeLessThanOrEqual(18)
  })

  it('detect refused requests in the access log, or by request counts near the throttle', () => {
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.status = "429" }',
      LogGroupName: { Ref: Match.stringLikeRegexp('^ApiAccessLog') },
      MetricTransformations: [{ MetricName: 'Refused', MetricValue: '1' }],
    })
    const { Expression } = alarmNamed('Requests refused').Metrics[0]
    const none = { refused: undefined, create: undefined, list: undefined, thumbsup: undefined }
    const rings = (counts: object) => evaluate(Expression, { ...none, ...counts })
    for (const few of [{}, { refused: 49 }, { create: 2_699 }, { list: 100_000 }]) expect(rings(few)).toBe(0)
    for (const many of [{ refused: 50 }, { create: 2_700 }, { list: 135_000 }, { thumbsup: 54_000 }])
      expect(rings(many)).toBe(1)
  })

  it('may publish to their topic', () => {
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
          }),
        ]),
      },
    })
  })

  it('go to an address only if one is set', () => {
    quiet.resourceCountIs('AWS::SNS::Subscription', 0)
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: EMAIL })
  })
})

it('a budget notifies at 80 and 100 %, if an address is set', () => {
  quiet.resourceCountIs('AWS::Budgets::Budget', 0)
  template.hasResourceProperties('AWS::Budgets::Budget', {
    Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } },
    NotificationsWithSubscribers: [80, 100].map((Threshold) => ({
      Notification: Match.objectLike({ NotificationType: 'ACTUAL', Threshold }),
      Subscribers: [{ SubscriptionType: 'EMAIL', Address: EMAIL }],
    })),
  })
})

describe('the dashboard', () => {
  const [dashboard] = propertiesOf(template, 'AWS::CloudWatch::Dashboard')
  const body = JSON.stringify(dashboard?.DashboardBody).replaceAll('\\', '')

  it.each(FUNCTION_NAMES)('shows traffic, errors and latency of the route of %s', (name) => {
    const { method, path } = ROUTES[name]
    for (const metric of ['Count', '4xx', '5xx', 'Latency']) {
      expect(body).toMatch(
        new RegExp(`"AWS/ApiGateway","${metric}",[^\\]]+"Method","${method}","Resource","${RegExp.escape(path)}"`),
      )
    }
    for (const percentile of ['p50', 'p90', 'p99']) expect(body).toContain(`"stat":"${percentile}"`)
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      RouteSettings: { [`${method} ${path}`]: { DetailedMetricsEnabled: true } },
    })
  })

  it.each(['Duration', 'Errors', 'Throttles', 'ConcurrentExecutions'])('shows the %s of functions', (metric) => {
    expect(body).toContain(`"AWS/Lambda","${metric}","FunctionName"`)
  })

  it.each(FUNCTION_NAMES)('shows the cold starts of %s from its log', (name) => {
    expect(body).toContain(`"JokeService","${name}ColdStart"`)
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.record.metrics.initDurationMs > 0 }',
      LogGroupName: { Ref: Match.stringLikeRegexp(`^${name}Log`) },
      MetricTransformations: [{ MetricName: `${name}ColdStart`, MetricValue: '$.record.metrics.initDurationMs' }],
    })
  })

  it.each(['byThumbsUp', 'byThumbsDown', 'byDateAdded', 'byId'])('shows what %s consumes and refuses', (index) => {
    for (const metric of ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'WriteThrottleEvents'])
      expect(body).toMatch(new RegExp(`"AWS/DynamoDB","${metric}","GlobalSecondaryIndexName","${index}"`))
  })
})

describe('the saved queries', () => {
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition')

  it('are explained in operations.md', () => {
    const guide = readFileSync('docs/operations.md', 'utf8')
    expect(queries).toHaveLength(7)
    for (const { Name } of queries) expect(guide).toContain(`*${Name.replace('JokeService/', '')}*`)
  })

  it('join the access log and the log of the function for each request', () => {
    const [failed] = queries.filter(({ Name }) => Name === 'JokeService/What failed')
    expect(failed?.QueryString).toContain('coalesce(functionRequestId, record.requestId, requestId) as invocation')
    expect(failed?.LogGroupNames).toHaveLength(4)
  })
})

function alarmNamed(name: string) {
  return alarms.find(({ AlarmName }) => AlarmName === `JokeService ${name}`) ?? {}
}

/** The metrics that an alarm adds up: name, and table or index. */
function metricsOf(alarm: string): [string, string][] {
  const found: [string, string][] = []
  for (const { MetricStat } of alarmNamed(alarm).Metrics.slice(1)) {
    const { MetricName, Dimensions } = MetricStat.Metric
    const [{ Value }] = Dimensions
    found.push([MetricName, typeof Value === 'string' ? Value : Value.Ref.replace(/[0-9A-F]{8}$/, '')])
  }
  return found
}

/** The value of an alarm's expression. */
function evaluate(expression: string, metrics: object): number {
  const functions = 'const IF = (is, a, b) => is ? a : b, FILL = (value, other) => value ?? other'
  return runInNewContext(`${functions}; ${expression}`, metrics)
}
