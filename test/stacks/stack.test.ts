/** The service's stack. Its alarms and dashboard are in monitoring.test.ts. */
import { Match } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { CORS, FUNCTION_LIMITS, FUNCTION_NAMES, ROUTE_NAMES, ROUTES, routeKeyOf } from '../../infra/routes.ts'
import { samSettings, settingsOf } from '../../infra/settings.ts'
import { CACHE, LIMITS } from '../../shared/store/limits.ts'
import { EVERY_SETTING, propertiesOf, rightsIn, stackOf } from '../support/templates.ts'

const production = stackOf()
const { template, resources, outputs } = production
const complete = stackOf(settingsOf('prod', EVERY_SETTING))
const sam = stackOf(samSettings('http://host.docker.internal:8000'))

it('the table has the schema of the design, and keeps its logical id', () => {
  // With another id or key, a deploy would make a new, empty table.
  expect(Object.keys(template.findResources('AWS::DynamoDB::Table'))).toEqual(['Jokes69A11653'])
  template.allResourcesProperties('AWS::DynamoDB::Table', {
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    // A deployed index cannot be changed. Add another one (CONTRIBUTING.md, “An index”).
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byChange',
        KeySchema: [
          { AttributeName: 'feed', KeyType: 'HASH' },
          { AttributeName: 'changedAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  })
})

it('each function runs the tested Node.js, logs JSON, and has time left after its last call', () => {
  template.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: `nodejs${process.versions.node.split('.')[0]}.x`,
    LoggingConfig: Match.objectLike({ LogFormat: 'JSON' }),
  })
  for (const { timeoutMs } of Object.values(FUNCTION_LIMITS))
    expect(timeoutMs).toBeGreaterThanOrEqual(2 * LIMITS.operationMs)
  expect(FUNCTION_LIMITS.List.timeoutMs).toBeGreaterThan(CACHE.loadMs + 5_000)
})

// bundles.test.ts compares the permissions of the routes' functions on tables with their calls.
it('the functions have no permissions beyond their tasks', () => {
  const writeLog = (id: string) => [`logs:CreateLogStream ${id}Log.Arn`, `logs:PutLogEvents ${id}Log.Arn`]
  expect(JSON.stringify(resources.ListRole.Properties)).toContain('"lambda.amazonaws.com"')
  const all = rightsIn(complete.template)
  const others = (name: string) => all[name]?.filter((right) => !(name in ROUTES && /^dynamodb:\S+ \S+$/.test(right)))
  expect(Object.fromEntries(Object.keys(all).map((name) => [name, others(name)]))).toEqual(
    Object.fromEntries(FUNCTION_NAMES.map((name) => [name, writeLog(name)])),
  )
})

it('a synthesis of production warns of missing settings', () => {
  expect(production.warnings).toEqual([expect.stringMatching(/^Set account, region, alarmEmail, repository of prod\./)])
  expect(complete.warnings).toEqual([])
})

it('each route of the HTTP API may call its function, and has a throttle and CORS', () => {
  const routes = propertiesOf(template, 'AWS::ApiGatewayV2::Route')
  const called = routes.map(({ RouteKey, Target }) => {
    const { IntegrationUri, PayloadFormatVersion } = resources[Target.replace('integrations/', '')].Properties
    return `${RouteKey} ${IntegrationUri} ${PayloadFormatVersion}`
  })
  expect(called).toEqual(ROUTE_NAMES.map((name) => `${routeKeyOf(name)} ${ROUTES[name].target}.Arn 2.0`))
  const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
    ({ Principal }) => Principal === 'apigateway.amazonaws.com',
  )
  expect(permissions.map(({ FunctionName }) => FunctionName)).toEqual(FUNCTION_NAMES.map((name) => `${name}.Arn`))
  for (const { SourceArn } of permissions) expect(SourceArn).toMatch(/:ApiHttpApi\/\*\/\*\/\*$/)
  expect(resources.ApiHttpApi.Properties.CorsConfiguration).toMatchObject({ ExposeHeaders: CORS.exposeHeaders })
  const { Properties, DependsOn } = resources.ApiStage
  expect(Object.keys(Properties.RouteSettings)).toEqual(ROUTE_NAMES.map(routeKeyOf))
  // API Gateway rejects a stage with settings for a route that does not exist yet.
  expect(DependsOn).toEqual(expect.arrayContaining(Object.keys(template.findResources('AWS::ApiGatewayV2::Route'))))
})

it('the access log has no fields whose length clients choose', () => {
  expect(JSON.parse(resources.ApiStage.Properties.AccessLogSettings.Format)).toEqual({
    apiRequestId: '$context.requestId',
    functionRequestId: '$context.integration.requestId',
    time: '$context.requestTime',
    sourceIp: '$context.identity.sourceIp',
    routeKey: '$context.routeKey',
    status: '$context.status',
    responseLength: '$context.responseLength',
    responseLatency: '$context.responseLatency',
    integrationLatency: '$context.integrationLatency',
    integrationError: '$context.integrationErrorMessage',
  })
})

it('the stack outputs what commands need', () => {
  // In a variable of a function, the commit would make a new version at each deploy.
  expect(JSON.stringify(resources)).not.toContain('a1b2c3d')
  const values = Object.entries<{ Value: unknown }>(outputs).map(([name, { Value }]) => [name, Value])
  expect(Object.fromEntries(values)).toEqual({
    ApiUrl: 'ApiHttpApi.ApiEndpoint/',
    ApiId: 'ApiHttpApi',
    JokesTable: 'Jokes',
    AccessLog: 'ApiAccessLog',
    WakeTopic: 'MonitoringAlarmsWake',
    TomorrowTopic: 'MonitoringAlarmsTomorrow',
    Commit: 'a1b2c3d',
    ...Object.fromEntries(FUNCTION_NAMES.map((name) => [`${name}Function`, name])),
    ...Object.fromEntries(FUNCTION_NAMES.map((name) => [`${name}LogGroup`, `${name}Log`])),
  })
})

it('a domain is that of page and outputs', () => {
  const { resources, outputs } = complete
  const name = EVERY_SETTING.domain?.name
  expect(resources.Page.Properties.Environment.Variables.DOMAIN_NAME).toBe(name)
  const [url, target] = [`https://${name}/`, 'ApiDomain.RegionalDomainName']
  expect([outputs.ApiUrl.Value, outputs.DomainTarget.Value]).toEqual([url, target])
})

it.each([
  ['production', production, 'JokeService', true],
  ['any other stage', sam, 'JokeService-sam', false],
])('the stack of %s has its policy of deletion', (_, { stack, template }, stackName, isKept) => {
  expect(stack).toMatchObject({ stackName, terminationProtection: isKept })
  // Logs that a failed first deploy left would be in the way of the next deploy.
  template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: isKept ? 'RetainExceptOnCreate' : 'Delete' })
  template.allResources('AWS::DynamoDB::Table', {
    DeletionPolicy: isKept ? 'Retain' : 'Delete',
    UpdateReplacePolicy: isKept ? 'Retain' : 'Delete',
    Properties: { DeletionProtectionEnabled: isKept },
  })
})

it('the stack follows its settings', () => {
  const { stack, template, resources } = complete
  expect(stack).toMatchObject({ account: EVERY_SETTING.account, region: EVERY_SETTING.region })
  const { RouteSettings } = resources.ApiStage.Properties
  const routes = ['POST /joke', 'GET /joke', 'POST /thumbsUp/{id}', 'GET /']
  expect(routes.map((route) => RouteSettings[route].ThrottlingRateLimit)).toEqual([5, 2_500, 3, 4])
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 })
  for (const name of FUNCTION_NAMES) expect(resources[name].Properties.ReservedConcurrentExecutions).toBe(20)
  expect(resources.Create.Properties.Environment.Variables.APPROVAL).toBe('on')
  const { Architectures, Environment } = sam.resources.List.Properties
  // `sam local` runs containers on this machine.
  expect(Architectures).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64'])
  expect(Environment.Variables.AWS_ENDPOINT_URL_DYNAMODB).toBe('http://host.docker.internal:8000')
})
