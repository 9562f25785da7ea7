/** Alarms, filters of logs and saved queries. */
import { readFileSync } from 'node:fs'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { expect, it, vi } from 'vitest'
import { settingsOf } from '../../infra/settings.ts'
import { ProblemError } from '../../shared/errors.ts'
import { logError, logLoad, logNotRefreshed } from '../../shared/log.ts'
import { CACHE } from '../../shared/store/limits.ts'
import { sectionsOf } from '../support/markdown.ts'
import { EVERY_SETTING, propertiesOf, stackOf } from '../support/templates.ts'

const { alarmEmail, repository } = EVERY_SETTING
const { template, resources } = stackOf(settingsOf('prod', EVERY_SETTING))
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm')
const filters = propertiesOf(template, 'AWS::Logs::MetricFilter')
const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition')

it('an alarm names its runbook when it notifies', () => {
  for (const { AlarmName, AlarmActions, OKActions, AlarmDescription } of alarms) {
    const topic = [/^\[wake\]/.test(AlarmDescription) ? 'MonitoringAlarmsWake' : 'MonitoringAlarmsTomorrow']
    expect([AlarmActions, OKActions], AlarmName).toEqual([topic, topic])
    const [, base, file = '', section = ''] =
      /^\[\w+\] [A-Z].+\. What to do: (.+)\/blob\/main\/(.+)#(.+)$/.exec(AlarmDescription) ?? []
    expect(base).toBe(repository)
    expect(sectionsOf(readFileSync(file, 'utf8'))).toContain(section)
  }
})

it('only production and stages with an alarmEmail have alarms, of their own metrics', () => {
  const TYPES = ['CloudWatch::Alarm', 'CloudWatch::Dashboard', 'SNS::Subscription']
  const has = (stack: typeof template) => TYPES.map((type) => propertiesOf(stack, `AWS::${type}`).length > 0)
  const watched = stackOf(settingsOf('dev', { alarmEmail })).template
  for (const stack of [template, watched]) expect(has(stack)).toEqual([true, true, true])
  expect(has(stackOf(settingsOf('dev', {})).template)).toEqual([false, false, false])
  // Names of dashboards are unique in an account, over all regions.
  const DashboardName = { 'Fn::Join': ['', ['JokeService-dev-', { Ref: 'AWS::Region' }]] }
  watched.hasResourceProperties('AWS::CloudWatch::Dashboard', { DashboardName })
  expect(JSON.stringify(propertiesOf(watched, 'AWS::Logs::MetricFilter'))).not.toContain('"JokeService"')
})

it('only alarms of this account may publish to the topics of emails', () => {
  const policies = propertiesOf(template, 'AWS::SNS::TopicPolicy').map(({ PolicyDocument }) => PolicyDocument.Statement)
  const publish = {
    Action: 'sns:Publish',
    Principal: { Service: 'cloudwatch.amazonaws.com' },
    Condition: { StringEquals: { 'aws:SourceAccount': EVERY_SETTING.account } },
  }
  expect(policies).toMatchObject([
    [{ Effect: 'Deny' }, publish],
    [{ Effect: 'Deny' }, publish],
  ])
  template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: alarmEmail })
})

it('the budget has no fixed name, because a new address replaces it', () => {
  const [{ Budget }] = propertiesOf(template, 'AWS::Budgets::Budget')
  expect(Budget).toEqual({ BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 50, Unit: 'USD' } })
})

it('the alarm of many jokes fires at half of their memory', () => {
  const { FilterPattern } = filters.find((filter) => filter.MetricTransformations[0].MetricName === 'ManyJokes')
  expect(FilterPattern).toContain(`($.message.bytes >= ${CACHE.bytes / 2})`)
})

it('filters and saved queries read fields that the logs have', () => {
  const names = queries.map(({ Name }) => Name)
  expect(names).toEqual(['JokeService/What failed', 'JokeService/Who calls most', 'JokeService/What is slow'])
  const read = [...filters.map(({ FilterPattern }) => FilterPattern), ...queries.map(({ QueryString }) => QueryString)]
    .join('\n')
    .matchAll(
      /\b(?:message\.[\w.$]+|routeKey|status|sourceIp|response\w+|functionRequestId|apiRequestId|integrationError)\b/g,
    )
  const logged = loggedFields()
  expect(Array.from(read, ([field]) => field).filter((field) => !logged.includes(field))).toEqual([])
})

/** Returns the fields of the lines that API Gateway and the functions log, as Lambda nests them. */
function loggedFields(): string[] {
  const methods = (['info', 'warn', 'error'] as const).map((method) => vi.spyOn(console, method).mockReturnValue())
  vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '1')
  const cause = Object.assign(new Error('slow'), { code: 'ETIMEDOUT', $metadata: { requestId: 'id' } })
  const event: APIGatewayProxyEventV2 = Object({ routeKey: 'GET /joke', rawQueryString: '', requestContext: {} })
  logLoad({ jokes: 1, bytes: 2, isTruncated: true, milliseconds: 3 })
  logError(new ProblemError('unavailable', {}, { cause }), event)
  logNotRefreshed(cause)
  const lines = methods.flatMap(({ mock }) => mock.calls.flat())
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  const ofApi = JSON.parse(resources.ApiStage.Properties.AccessLogSettings.Format)
  return [ofApi, ...lines.map((message) => ({ message: asLambdaLogs(message) }))].flatMap((line) => fieldsOf(line))
}

/** Returns the object that Lambda's runtime writes as JSON. */
function asLambdaLogs(message: unknown): unknown {
  const replace = (_: string, value: unknown) =>
    value instanceof Error
      ? { errorType: value.constructor.name, errorMessage: value.message, stackTrace: value.stack, ...value }
      : value
  return JSON.parse(JSON.stringify(message, replace))
}

function fieldsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, path ? `${path}.${name}` : name))
}
