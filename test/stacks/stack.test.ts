/** The service's stack. Its alarms, dashboard and probe are in monitoring.test.ts. */
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES, ROUTE_NAMES, ROUTES, type RouteName, routeKeyOf } from '../../infra/routes.ts'
import { CACHE, LIMITS } from '../../shared/store/limits.ts'
import { withApp } from '../support/app.ts'
import { PRODUCTION, propertiesOf, readable, rightsIn, serviceOf } from '../support/templates.ts'

const { stack: production, template, resources, outputs, warnings } = stackFor({})
const sam = stackFor({ stage: 'sam', account: '123456789012', databaseEndpoint: 'http://host.docker.internal:8000' })

type Properties = (typeof resources)[string]

function stackFor(context: Record<string, unknown>) {
  return withApp({ ...PRODUCTION, ...context }, (app) => {
    const stack = serviceOf(app)
    const template = Template.fromStack(stack)
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue())
    return { stack, template, ...readable(template), warnings: warnings.map(({ entry }) => entry.data) }
  })
}

it('the table has the schema of the design', () => {
  template.allResourcesProperties('AWS::DynamoDB::Table', {
    BillingMode: 'PAY_PER_REQUEST',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  })
  const keysOf = ({ KeySchema }: Properties) =>
    KeySchema.map(({ AttributeName, KeyType }: Properties) => `${KeyType} ${AttributeName}`).join(' ')
  const { Jokes } = resources
  const indexes = Jokes.Properties.GlobalSecondaryIndexes.map((index: Properties) => {
    const { ProjectionType, NonKeyAttributes = [] } = index.Projection
    return [index.IndexName, keysOf(index), ProjectionType, ...NonKeyAttributes].join(' ')
  })
  expect(keysOf(Jokes.Properties)).toBe('HASH id')
  // A deployed index cannot be changed. Add another one (CONTRIBUTING.md, “An index”).
  expect(indexes).toEqual(['byChange HASH feed RANGE changedAt ALL'])
})

it('the table keeps its logical id', () => {
  // With another id or key, a deploy would make a new, empty table.
  expect(Object.keys(template.findResources('AWS::DynamoDB::Table'))).toEqual(['Jokes69A11653'])
})

describe('the functions', () => {
  it('the stack has five functions with the variables that they need', () => {
    const table = { JOKES_TABLE: 'Jokes' }
    const expected: Record<string, [seconds: number, megabytes: number, variables: object]> = {
      Create: [10, 1_024, { ...table, APPROVAL: 'off' }],
      List: [29, 1_769, table],
      ThumbsUp: [10, 1_024, table],
      Page: [10, 1_024, table],
      MonitoringProbe: [60, 1_024, { API_URL: 'ApiHttpApi.ApiEndpoint/' }],
    }
    template.resourceCountIs('AWS::Lambda::Function', 5)
    // After the last database call, as much time is left again.
    expect(10_000).toBeGreaterThanOrEqual(2 * LIMITS.operationMs)
    expect(29_000).toBeGreaterThan(CACHE.loadMs + 5_000)
    for (const [id, [Timeout, MemorySize, Variables]] of Object.entries(expected)) {
      expect(resources[id].Properties).toEqual({
        Code: expect.anything(),
        // The same version runs these tests.
        Runtime: `nodejs${process.versions.node.split('.')[0]}.x`,
        Timeout,
        Architectures: ['arm64'],
        MemorySize,
        Handler: 'index.handler',
        Environment: { Variables },
        LoggingConfig: { LogFormat: 'JSON', LogGroup: `${id}Log` },
        Role: `${id}Role.Arn`,
      })
    }
  })

  // bundles.test.ts compares the rights of the routes' functions to tables with their calls.
  it('the functions have no rights beyond their tasks', () => {
    const writeLog = (id: string) => [`logs:CreateLogStream ${id}Log.Arn`, `logs:PutLogEvents ${id}Log.Arn`]
    const ofFeeds =
      '{"ForAllValues:StringEquals":{"dynamodb:LeadingKeys":["listed","removed"]},"Null":{"dynamodb:LeadingKeys":"false"}}'
    expect(JSON.stringify(resources.ListRole.Properties)).toContain('"lambda.amazonaws.com"')
    const all = rightsIn(template)
    const others = (name: string) => all[name]?.filter((right) => !(name in ROUTES && /^dynamodb:\S+ \S+$/.test(right)))
    expect(Object.fromEntries(Object.keys(all).map((name) => [name, others(name)]))).toEqual({
      ...Object.fromEntries([...FUNCTION_NAMES, 'MonitoringProbe'].map((name) => [name, writeLog(name)])),
      List: [...writeLog('List'), `dynamodb:Query Jokes.Arn/index/byChange if ${ofFeeds}`],
    })
  })
})

describe('a deploy of production', () => {
  it('a synthesis of production warns of missing settings', () => {
    const missing = [/^Links in alarms lead nowhere/, /^Other credentials would deploy/, /^Nobody will be notified/]
    expect(warnings).toEqual(missing.map((text) => expect.stringMatching(text)))
    const prod = { account: '123456789012', alarmEmail: 'oncall@example.com', repository: 'https://example.com/jokes' }
    const complete = stackFor({ stages: { prod: { ...prod, region: 'eu-west-1' } } })
    expect(complete.warnings).toEqual([])
  })
})

describe('the HTTP API', () => {
  it('each route of the HTTP API may call its function', () => {
    template.resourceCountIs('AWS::ApiGatewayV2::Route', ROUTE_NAMES.length)
    for (const { RouteKey, Target } of propertiesOf(template, 'AWS::ApiGatewayV2::Route')) {
      const { target } = ROUTES[ROUTE_NAMES.find((candidate) => routeKeyOf(candidate) === RouteKey) ?? 'List']
      const id = Target.replace('integrations/', '')
      const integration = { PayloadFormatVersion: '2.0', IntegrationUri: `${target}.Arn` }
      expect(resources[id].Properties).toMatchObject(integration)
    }
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ Principal }) => Principal === 'apigateway.amazonaws.com',
    )
    expect(permissions.map(({ FunctionName }) => FunctionName)).toEqual(FUNCTION_NAMES.map((name) => `${name}.Arn`))
    for (const { SourceArn } of permissions) expect(SourceArn).toMatch(/:ApiHttpApi\/\*\/\*\/\*$/)
  })

  it('the HTTP API throttles its routes after they exist', () => {
    const { RouteSettings } = resources.ApiStage.Properties
    expect(Object.keys(RouteSettings)).toEqual(ROUTE_NAMES.map(routeKeyOf))
    expect(RouteSettings['POST /joke']).toMatchObject({ ThrottlingRateLimit: 2, ThrottlingBurstLimit: 4 })
    const routes = Object.keys(template.findResources('AWS::ApiGatewayV2::Route'))
    expect(resources.ApiStage.DependsOn).toEqual(expect.arrayContaining(routes))
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
})

it('the stack outputs what commands need', () => {
  expect(JSON.stringify(resources)).not.toContain('a1b2c3d')
  const values = Object.entries<{ Value: unknown }>(outputs).map(([name, { Value }]) => [name, Value])
  expect(Object.fromEntries(values)).toEqual({
    ApiUrl: 'ApiHttpApi.ApiEndpoint/',
    ApiId: 'ApiHttpApi',
    JokesTable: 'Jokes',
    AccessLog: 'ApiAccessLog',
    WakeTopic: 'MonitoringAlarmsWake',
    TomorrowTopic: 'MonitoringAlarmsTomorrow',
    ProbeLog: 'MonitoringProbeLog',
    Commit: 'a1b2c3d',
    ...Object.fromEntries(FUNCTION_NAMES.map((name) => [`${name}Function`, name])),
    ...Object.fromEntries(FUNCTION_NAMES.map((name) => [`${name}LogGroup`, `${name}Log`])),
  })
})

it('a domain is that of page, probe and outputs', () => {
  const certificateArn = 'arn:aws:acm:eu-west-1:123456789012:certificate/a1b2'
  const { resources, outputs } = stackFor({ stages: { prod: { domainName: 'jokes.example.com', certificateArn } } })
  expect(resources.ApiDomain.Properties).toMatchObject({
    DomainName: 'jokes.example.com',
    DomainNameConfigurations: [{ CertificateArn: certificateArn, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' }],
  })
  expect(resources.ApiMapping.Properties).toEqual({ ApiId: 'ApiHttpApi', DomainName: 'ApiDomain', Stage: 'ApiStage' })
  expect(resources.Page.Properties.Environment.Variables.DOMAIN_NAME).toBe('jokes.example.com')
  expect(resources.MonitoringProbe.Properties.Environment.Variables.API_URL).toBe('https://jokes.example.com/')
  expect([outputs.ApiUrl.Value, outputs.DomainTarget.Value]).toEqual([
    'https://jokes.example.com/',
    'ApiDomain.RegionalDomainName',
  ])
})

describe('the service stack', () => {
  it.each([
    ['production', production, template, 'JokeService', true],
    ['any other stage', sam.stack, sam.template, 'JokeService-sam', false],
  ])('the stack of %s has its policy of deletion', (_, stack, template, stackName, isKept) => {
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
    const place = { account: '123456789012', region: 'eu-west-1' }
    const rates = { createRate: '5', listRate: '2500', thumbsUpRate: '3', pageRate: '4' }
    const limits = { reservedConcurrency: '20', logRetentionDays: '7' }
    const { stack, template, resources } = stackFor({ stage: 'dev', approval: 'on', ...place, ...rates, ...limits })
    expect(stack).toMatchObject(place)
    const { RouteSettings } = resources.ApiStage.Properties
    const rateOf = (name: RouteName) => RouteSettings[routeKeyOf(name)].ThrottlingRateLimit
    expect(ROUTE_NAMES.map(rateOf)).toEqual([5, 2_500, 3, 4, 4, 5, 5, 5])
    // Regions have different limits for bursts. This is the lowest.
    expect(RouteSettings['GET /joke'].ThrottlingBurstLimit).toBe(1_250)
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 })
    template.allResourcesProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 20 })
    expect(resources.Create.Properties.Environment.Variables.APPROVAL).toBe('on')
  })
})
