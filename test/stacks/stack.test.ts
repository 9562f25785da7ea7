/** The service's stack. Its alarms are in monitoring.test.ts, and the rights of its functions in bundles.test.ts. */
import { Match } from 'aws-cdk-lib/assertions'
import { expect, it } from 'vitest'
import { CORS, FUNCTION_LIMITS, FUNCTION_NAMES, ROUTE_NAMES, ROUTES, routeKeyOf } from '../../infra/routes.ts'
import { samSettings, settingsOf } from '../../infra/settings.ts'
import { STAGES } from '../../infra/stages.ts'
import { CACHE, LIMITS } from '../../shared/store/limits.ts'
import { EVERY_SETTING, propertiesOf, stackOf } from '../support/templates.ts'

const production = stackOf()
const { template, resources, outputs } = production
const complete = stackOf(settingsOf('prod', EVERY_SETTING))
const sam = stackOf(samSettings('http://host.docker.internal:8000'))

it.each([...Object.keys(STAGES), 'complete'])('no deploy of %s replaces its table or its index', (stage) => {
  const { template } = stage === 'complete' ? complete : stackOf(settingsOf(stage))
  const isKept = stage === 'prod' || stage === 'complete'
  const policy = isKept ? 'Retain' : 'Delete'
  const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' })
  const key = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType })
  // With another logical id, name or key, CloudFormation would make a new, empty table. A deployed index can't be changed.
  expect(template.findResources('AWS::DynamoDB::Table')).toEqual({
    Jokes69A11653: {
      Type: 'AWS::DynamoDB::Table',
      DeletionPolicy: policy,
      UpdateReplacePolicy: policy,
      Properties: {
        AttributeDefinitions: [text('id'), text('feed'), text('changedAt')],
        KeySchema: [key('id', 'HASH')],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byChange',
            KeySchema: [key('feed', 'HASH'), key('changedAt', 'RANGE')],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: isKept,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    },
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

it('no client or error message chooses a text of the access log', () => {
  expect(resources.ApiStage.Properties.AccessLogSettings.Format).not.toMatch(/path|agent|protocol|domainName|error/i)
})

it('each route of the HTTP API may call its function, and has a throttle and CORS', () => {
  const routes = propertiesOf(template, 'AWS::ApiGatewayV2::Route')
  const called = routes.map(({ RouteKey, Target }) => {
    const { IntegrationUri, PayloadFormatVersion } = resources[Target.replace('integrations/', '')].Properties
    return `${RouteKey} ${IntegrationUri} ${PayloadFormatVersion}`
  })
  expect(called).toEqual(ROUTE_NAMES.map((name) => `${routeKeyOf(name)} ${ROUTES[name].target}.Arn 2.0`))
  const permissions = propertiesOf(template, 'AWS::Lambda::Permission')
  expect(permissions.map(({ FunctionName }) => FunctionName)).toEqual(FUNCTION_NAMES.map((name) => `${name}.Arn`))
  for (const { SourceArn } of permissions) expect(SourceArn).toMatch(/:ApiHttpApi\/\*\/\*\/\*$/)
  expect(resources.ApiHttpApi.Properties.CorsConfiguration).toMatchObject({ ExposeHeaders: CORS.exposeHeaders })
  const { Properties, DependsOn } = resources.ApiStage
  expect(Object.keys(Properties.RouteSettings)).toEqual(ROUTE_NAMES.map(routeKeyOf))
  // API Gateway rejects a stage with settings for a route that does not exist yet.
  expect(DependsOn).toEqual(expect.arrayContaining(Object.keys(template.findResources('AWS::ApiGatewayV2::Route'))))
})

it('the stack outputs what commands and documents use', () => {
  expect(outputs).toEqual({ ApiUrl: { Value: 'ApiHttpApi.ApiEndpoint/' }, JokesTable: { Value: 'Jokes' } })
  expect(complete.outputs).toEqual({
    // It answers even if the domain's DNS records are missing or wrong.
    ...outputs,
    DomainTarget: { Value: 'ApiDomain.RegionalDomainName' },
    DomainHostedZone: { Value: 'ApiDomain.RegionalHostedZoneId' },
    AlarmTopic: { Value: 'MonitoringAlarms' },
  })
  expect(complete.resources.Page.Properties.Environment.Variables.DOMAIN_NAME).toBe('jokes.example.com')
})

it('production is synthesized with a warning about each missing setting', () => {
  expect(production.warnings).toEqual([expect.stringMatching(/^Set account, region, alarmEmail, approval of prod in /)])
  const { warnings } = stackOf(settingsOf('prod', { ...EVERY_SETTING, approval: undefined, paused: undefined }))
  expect(warnings).toEqual([expect.stringMatching(/^Set approval of prod in infra\/stages\.ts\./)])
  // GitHub refuses any warning about production, and nobody else does.
  expect(complete.warnings).toEqual([])
  expect(sam.warnings).toEqual([])
})

it.each([
  ['production', production, 'JokeService', true],
  ['any other stage', sam, 'JokeService-sam', false],
])('only the stack of production is protected: %s', (_, { stack, template }, stackName, isKept) => {
  expect(stack).toMatchObject({ stackName, terminationProtection: isKept })
  // The names of log groups are fixed, so those of a deleted stack would be in the way of the next one.
  // Their lines hold IP addresses, so they are kept for a month only.
  template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete', Properties: { RetentionInDays: 30 } })
})

it('clients with IPv6 alone reach the API and its domain', () => {
  expect(complete.resources.ApiHttpApi.Properties.IpAddressType).toBe('dualstack')
  const { DomainNameConfigurations } = complete.resources.ApiDomain.Properties
  expect(DomainNameConfigurations).toMatchObject([{ IpAddressType: 'dualstack' }])
})

it.each([
  ['no functions', undefined, []],
  ['the functions that write', 'writes', ['Create', 'ThumbsUp']],
  ['all functions', 'everything', [...FUNCTION_NAMES]],
] as const)('the setting paused stops %s', (_, paused, stopped) => {
  const { resources } = stackOf(settingsOf('dev', paused && { paused }))
  const isStopped = (name: string) => resources[name].Properties.ReservedConcurrentExecutions === 0
  expect(FUNCTION_NAMES.filter(isStopped)).toEqual(stopped)
})

it('the stack follows its settings', () => {
  const { stack, resources } = complete
  expect(stack).toMatchObject({ account: EVERY_SETTING.account, region: EVERY_SETTING.region })
  const { RouteSettings } = resources.ApiStage.Properties
  const routes = ['POST /joke', 'GET /joke', 'POST /thumbsUp/{id}', 'GET /']
  const throttleOf = (route: string) => Object.values(RouteSettings[route])
  expect(routes.map(throttleOf)).toEqual([5, 50, 3, 4].map((rate) => [rate, 2 * rate, false]))
  expect(resources.Create.Properties.Environment.Variables.APPROVAL).toBe('on')
  expect(production.resources.Create.Properties.Environment.Variables.APPROVAL).toBe('off')
  const { Architectures, Environment } = sam.resources.List.Properties
  // `sam local` runs containers on this machine.
  expect(Architectures).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64'])
  expect(Environment.Variables.AWS_ENDPOINT_URL_DYNAMODB).toBe('http://host.docker.internal:8000')
})
