import { readFileSync } from 'node:fs'
import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES, ROUTES } from '../infra/routes.ts'
import { JokeService } from '../infra/service/jokeService.ts'
import { readSettings } from '../infra/settings.ts'

function templateFor(context: Record<string, unknown>): Template {
  const app = new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } })
  return Template.fromStack(new JokeService(app, readSettings(app.node)))
}

const template = templateFor({})
const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties)

describe('the alarms', () => {
  it('watch the API, each function, and each table and index', () => {
    const tables = ['Jokes', 'Jokes-byThumbsUp', 'Jokes-byThumbsDown', 'Jokes-byDateAdded', 'Jokes-byId', 'JokeWords']
    expect(alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual(
      [
        'JokeService-Api-Fault-Rate-Critical',
        'JokeService-Api-Latency-P99-Warning',
        ...FUNCTION_NAMES.flatMap((name) => [
          `JokeService-${name}-Fault-Count-Critical`,
          `JokeService-${name}-Throttled-Count-Critical`,
        ]),
        ...['Jokes', 'JokeWords'].map((table) => `JokeService-${table}-System-Errors-Warning`),
        ...tables.flatMap((name) => [
          `JokeService-${name}-Read-Throttled-Events-Warning`,
          `JokeService-${name}-Write-Throttled-Events-Warning`,
        ]),
      ].sort(),
    )
  })

  it.each(alarms.map((alarm): [string, typeof alarm] => [alarm.AlarmName, alarm]))(
    '%s tells when it begins and ends, and has a runbook',
    (_, { AlarmActions, OKActions, AlarmDescription, TreatMissingData }) => {
      const topic = [{ Ref: expect.stringMatching(/^MonitoringAlarms/) }]
      expect({ AlarmActions, OKActions, TreatMissingData }).toEqual({
        AlarmActions: topic,
        OKActions: topic,
        TreatMissingData: 'notBreaching',
      })
      const [, file = '', section = ''] = /Runbook: (.+)#(.+)$/.exec(AlarmDescription) ?? []
      expect(sectionsOf(file)).toContain(section)
    },
  )

  it('see an error in one operation though the others have none', () => {
    const [alarm] = alarms.filter(({ AlarmName }) => AlarmName === 'JokeService-JokeWords-System-Errors-Warning')
    expect(alarm?.Metrics[0].Expression).toBe('FILL(errorsBatchWriteItem,0)+FILL(errorsQuery,0)')
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
    template.resourceCountIs('AWS::SNS::Subscription', 0)
    templateFor({ alarmEmail: 'oncall@example.com' }).hasResourceProperties('AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'oncall@example.com',
    })
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
      DefaultRouteSettings: { DetailedMetricsEnabled: true },
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

it('queries are saved for what failed, what was slow, and who calls most', () => {
  for (const name of ['What failed', 'What was slow', 'Who calls most'])
    template.hasResourceProperties('AWS::Logs::QueryDefinition', { Name: `JokeService/${name}` })
})

/** The sections of a document, as links name them. */
function sectionsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').match(/^#+ .+$/gm) ?? []
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}
