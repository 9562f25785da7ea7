import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES, ROUTES } from '../../infra/routes.ts'
import { JOKES } from '../../shared/store/tables.ts'
import { sectionsOf } from '../support/markdown.ts'
import { serviceTemplate } from '../support/templates.ts'

const EMAIL = 'oncall@example.com'
const REPOSITORY = 'https://example.com/jokes'

const template = serviceTemplate({ stages: { prod: { alarmEmail: EMAIL, repository: REPOSITORY } } })
const quiet = serviceTemplate()
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties)

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
    '%s tells when it begins and ends, what is the matter, and where its runbook is',
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
  ])('of a route see %s: %i of %i', (_, failed, requests, rings) => {
    for (const name of FUNCTION_NAMES)
      for (const when of ['', ' for an hour']) {
        const { Threshold, Metrics } = alarmNamed(`${name} failing${when}`)
        const value = runInNewContext(`const IF = (is, a, b) => is ? a : b; ${Metrics[0].Expression}`, {
          failed,
          requests,
        })
        expect(value >= Threshold).toBe(rings)
      }
  })

  it('of a route see what fails within minutes, and what fails within an hour', () => {
    const period = (name: string) => alarmNamed(name).Metrics.at(-1).MetricStat.Period
    expect([period('List failing'), period('List failing for an hour')]).toEqual([60, 3_600])
  })

  it('see an error in one operation or function though the others have none', () => {
    for (const name of [
      'Function crashed',
      'Function throttled',
      'Database failing',
      'Database throttled',
      'Database bounded',
    ]) {
      const { Metrics } = alarmNamed(name)
      expect(Metrics[0].Expression.split('+')).toEqual(
        Metrics.slice(1).map(({ Id }: { Id: string }) => `FILL(${Id},0)`),
      )
    }
  })

  it('tell the bounds of DynamoDB from our own, in each table and index', () => {
    const ours = metricsOf('Database bounded')
    expect(
      ours.filter(([name]) => name === 'ReadMaxOnDemandThroughputThrottleEvents').map(([, where]) => where),
    ).toEqual(['Jokes', ...Object.keys(JOKES.indexes), 'JokeWords'])
    expect(new Set(metricsOf('Database throttled').map(([name]) => name))).toEqual(new Set(['ThrottledRequests']))
  })

  it('take no more metrics than CloudWatch allows, for no more than 20 alarms', () => {
    for (const { Metrics = [] } of alarms)
      expect(Metrics.filter((metric: { MetricStat?: object }) => metric.MetricStat).length).toBeLessThanOrEqual(10)
    // The page's stack brings two of its own.
    expect(alarms.length).toBeLessThanOrEqual(18)
  })

  it('hear of refused requests from the access log, and where that may be silent, near the throttle', () => {
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ $.status = "429" }',
      LogGroupName: { Ref: Match.stringLikeRegexp('^ApiAccessLog') },
      MetricTransformations: [{ MetricName: 'Refused', MetricValue: '1' }],
    })
    const { Expression } = alarmNamed('Requests refused').Metrics[0]
    const rings = (counts: object) =>
      runInNewContext(`const IF = (is, a, b) => is ? a : b, FILL = (value, other) => value ?? other; ${Expression}`, {
        refused: undefined,
        create: undefined,
        list: undefined,
        thumbsup: undefined,
        ...counts,
      })
    expect([{}, { refused: 49 }, { create: 2_699 }, { list: 100_000 }].map(rings)).toEqual([0, 0, 0, 0])
    expect([{ refused: 50 }, { create: 2_700 }, { list: 135_000 }, { thumbsup: 54_000 }].map(rings)).toEqual([
      1, 1, 1, 1,
    ])
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

  it('go to an address only where one is set', () => {
    quiet.resourceCountIs('AWS::SNS::Subscription', 0)
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: EMAIL })
  })
})

it('the bill is told at 80 and 100 % of a budget, where there is an address', () => {
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
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'))
  const body = JSON.stringify(dashboard?.Properties.DashboardBody).replaceAll('\\', '')

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

  it.each(FUNCTION_NAMES)('shows the cold starts of %s, which its log tells', (name) => {
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
  const queries = Object.values(template.findResources('AWS::Logs::QueryDefinition')).map(
    ({ Properties }) => Properties,
  )

  it('are those that the guide explains', () => {
    const guide = readFileSync('docs/operations.md', 'utf8')
    expect(queries).toHaveLength(7)
    for (const { Name } of queries) expect(guide).toContain(`*${Name.replace('JokeService/', '')}*`)
  })

  it('join what the access log and a function tell of one request', () => {
    const [failed] = queries.filter(({ Name }) => Name === 'JokeService/What failed')
    expect(failed?.QueryString).toContain('coalesce(functionRequestId, record.requestId, requestId) as invocation')
    expect(failed?.LogGroupNames).toHaveLength(4)
  })
})

function alarmNamed(name: string) {
  const [alarm] = alarms.filter(({ AlarmName }) => AlarmName === `JokeService ${name}`)
  return Object(alarm)
}

/** The metrics that an alarm adds up: the name of each, and the table or index that it is of. */
function metricsOf(alarm: string): [string, string][] {
  return alarmNamed(alarm)
    .Metrics.slice(1)
    .map(({ MetricStat: { Metric } }: { MetricStat: { Metric: { MetricName: string; Dimensions: Dimension[] } } }) => {
      const { Value } = Metric.Dimensions[0] ?? {}
      return [Metric.MetricName, typeof Value === 'string' ? Value : Value?.Ref.replace(/[0-9A-F]{8}$/, '')]
    })
}
interface Dimension {
  Name: string
  Value: string | { Ref: string }
}
