import { spawnSync } from 'node:child_process'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { currentCommit } from '../../infra/commit.ts'
import { FUNCTION_NAMES, type FunctionName, ROUTES, routeKeyOf } from '../../infra/routes.ts'
import { JokeService } from '../../infra/service/jokeService.ts'
import { readSettings } from '../../infra/settings.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { withApp } from '../support/app.ts'
import { propertiesOf } from '../support/templates.ts'

const { stack: production, template } = stackFor({})
const sam = stackFor({ stage: 'sam', databaseEndpoint: 'http://host.docker.internal:8000' })

/** The stack with these settings. */
function stackFor(settings: Record<string, unknown>) {
  return withApp(settings, (app) => {
    const stack = new JokeService(app, readSettings(app.node), 'a1b2c3d')
    return { stack, template: Template.fromStack(stack) }
  })
}

describe('the tables', () => {
  it('have the keys and indexes of the design', () => {
    const index = (name: string, field: string, attributes?: string[]) => ({
      OnDemandThroughput: Match.anyValue(),
      IndexName: name,
      KeySchema: [
        { AttributeName: 'shelf', KeyType: 'HASH' },
        { AttributeName: field, KeyType: 'RANGE' },
      ],
      Projection: attributes ? { ProjectionType: 'INCLUDE', NonKeyAttributes: attributes } : { ProjectionType: 'ALL' },
    })
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        index('byThumbsUp', 'thumbsUp'),
        index('byDateAdded', 'dateAdded', ['joke', 'punchline', 'category', 'thumbsUp', 'thumbsDown']),
        index('byThumbsDown', 'thumbsDown', ['words']),
        index('byId', 'id', ['words']),
        {
          ...index('waiting', 'dateAdded', ['joke', 'punchline', 'category', 'thumbsUp', 'thumbsDown', 'createdBy']),
          KeySchema: [
            { AttributeName: 'waiting', KeyType: 'HASH' },
            { AttributeName: 'dateAdded', KeyType: 'RANGE' },
          ],
        },
      ],
    })
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: 'prefix', KeyType: 'HASH' },
        { AttributeName: 'entry', KeyType: 'RANGE' },
      ],
    })
  })

  it('are billed by request and can be restored to any point in time', () => {
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    })
  })

  it('and their indexes have the limits of the settings', () => {
    const bound = { MaxReadRequestUnits: 500, MaxWriteRequestUnits: 300 }
    for (const table of propertiesOf(template, 'AWS::DynamoDB::Table')) {
      expect(table.OnDemandThroughput).toEqual(bound)
      for (const index of table.GlobalSecondaryIndexes ?? []) expect(index.OnDemandThroughput).toEqual(bound)
    }
  })
})

describe('the functions', () => {
  it('are those of the three routes, the probe and the hook, with the same defaults', () => {
    template.resourceCountIs('AWS::Lambda::Function', 5)
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 1_024,
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
      TracingConfig: Match.absent(),
      ReservedConcurrentExecutions: Match.absent(),
    })
  })

  it.each(FUNCTION_NAMES)('%s knows the tables, and has as much time again after its last call to them', (name) => {
    const { Timeout, Environment } = functionOf(template, name)
    expect(Timeout * 1_000).toBeGreaterThanOrEqual(2 * LIMITS.operationMs)
    expect(Environment.Variables).toEqual({
      JOKES_TABLE: { Ref: expect.stringMatching(/^Jokes[0-9A-F]{8}$/) },
      WORDS_TABLE: { Ref: expect.stringMatching(/^JokeWords[0-9A-F]{8}$/) },
      ...(name === 'Create' && { APPROVAL: 'off' }),
    })
  })

  it('tell the commit that changed them last, which their versions keep', () => {
    for (const { Description } of propertiesOf(template, 'AWS::Lambda::Function'))
      expect(Description).toMatch(/^Commit ([0-9a-f]{40}(-dirty)?|unknown)$/)
  })

  it('keep their logs for a limited time', () => {
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 })
  })
})

describe('a deploy of production', () => {
  it.each(FUNCTION_NAMES)('gives a new version of %s a tenth of the requests first', (name) => {
    const { alias, group } = deploymentOf(name)
    expect(alias).toMatchObject({ Properties: { Name: 'live' } })
    expect(group.DeploymentConfigName).toBe('CodeDeployDefault.LambdaCanary10Percent10Minutes')
  })

  it.each(FUNCTION_NAMES)('rolls back when the alarm of the route of %s goes off during the canary', (name) => {
    const { group } = deploymentOf(name)
    expect(group.AutoRollbackConfiguration).toEqual({
      Enabled: true,
      Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
    })
    const [{ Name }] = group.AlarmConfiguration.Alarms
    const alarm = template.findResources('AWS::CloudWatch::Alarm')[Name.Ref]?.Properties
    expect(alarm.AlarmName).toBe(`JokeService ${name} failing`)
    const [{ MetricStat }] = alarm.Metrics.filter((metric: { MetricStat?: object }) => metric.MetricStat)
    // In seconds; the canary takes ten minutes.
    expect(alarm.EvaluationPeriods * MetricStat.Period).toBeLessThanOrEqual(300)
    const { path, method } = ROUTES[name]
    expect(JSON.stringify(MetricStat)).toContain(
      `{"Name":"Method","Value":"${method}"},{"Name":"Resource","Value":"${path}"}`,
    )
  })

  it.each(FUNCTION_NAMES)('keeps the previous version of %s', (name) => {
    const [[, version] = []] = ofFunction('AWS::Lambda::Version', name)
    expect(version).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
  })

  it('asks the new versions before they get requests, and may call only those', () => {
    const [[hook, { Properties } = {}] = []] = Object.entries(
      template.findResources('AWS::Lambda::Function', {
        Properties: { Environment: { Variables: { VERSIONS: Match.anyValue() } } },
      }),
    )
    const versions = FUNCTION_NAMES.map((name) => ofFunction('AWS::Lambda::Version', name)[0]?.[0])
    const [, parts] = Properties.Environment.Variables.VERSIONS['Fn::Join']
    expect(parts.filter((part: unknown) => typeof part === 'object')).toEqual(versions.map((Ref) => ({ Ref })))
    expect(parts.join(' ')).toContain('"POST /thumbsUp/{id}":')
    for (const name of FUNCTION_NAMES)
      expect(deploymentOf(name).alias?.UpdatePolicy.CodeDeployLambdaAliasUpdate.BeforeAllowTrafficHook).toEqual({
        Ref: hook,
      })
    const [{ Properties: policy } = {}] = Object.values(
      template.findResources('AWS::IAM::Policy', {
        Properties: { Roles: [Properties.Role['Fn::GetAtt'] && { Ref: Properties.Role['Fn::GetAtt'][0] }] },
      }),
    )
    const rights = policy.PolicyDocument.Statement.map(
      ({ Action, Resource }: { Action: string; Resource: object[] }) => [Action, Resource],
    )
    expect(rights).toContainEqual(['lambda:InvokeFunction', versions.map((Ref) => ({ Ref }))])
    expect([...new Set(rights.flatMap(([action]: [string]) => action))].toSorted()).toEqual([
      'codedeploy:PutLifecycleEventHookExecutionStatus',
      'lambda:InvokeFunction',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ])
  })

  it('creates aliases, and other stages have none', () => {
    for (const type of ['AWS::Lambda::Alias', 'AWS::Lambda::Version', 'AWS::CodeDeploy::DeploymentGroup']) {
      template.resourceCountIs(type, 3)
      sam.template.resourceCountIs(type, 0)
    }
  })

  it.each([
    [{}, [/^Links in alarms lead nowhere/, /^Nobody will hear of alarms/]],
    [{ alarmEmail: 'oncall@example.com', repository: 'https://example.com/jokes' }, []],
  ])('with the settings %j warns of %j', (prod, warned) => {
    const warnings = withApp({ stages: { prod } }, (app) =>
      Annotations.fromStack(new JokeService(app, readSettings(app.node))).findWarning('*', Match.anyValue()),
    )
    expect(warnings.map(({ entry }) => entry.data)).toEqual(warned.map((text) => expect.stringMatching(text)))
  })

  it('goes to the account and region in the settings', () => {
    const { stack } = stackFor({ stages: { prod: { account: '123456789012', region: 'eu-west-1' } } })
    expect(stack).toMatchObject({ account: '123456789012', region: 'eu-west-1' })
  })
})

describe('the HTTP API', () => {
  it.each(FUNCTION_NAMES)('routes requests to the live alias of %s', (name) => {
    const RouteKey = routeKeyOf(name)
    const [route] = Object.values(template.findResources('AWS::ApiGatewayV2::Route', { Properties: { RouteKey } }))
    const [, [, target]] = route?.Properties.Target['Fn::Join'] ?? []
    const integration = template.findResources('AWS::ApiGatewayV2::Integration')[target.Ref]
    const [[alias] = []] = ofFunction('AWS::Lambda::Alias', name)
    expect(integration?.Properties).toMatchObject({ PayloadFormatVersion: '2.0', IntegrationUri: { Ref: alias } })
    template.hasResourceProperties('AWS::Lambda::Permission', {
      FunctionName: { Ref: alias },
      Principal: 'apigateway.amazonaws.com',
    })
  })

  it('has three routes', () => {
    template.resourceCountIs('AWS::ApiGatewayV2::Route', 3)
  })

  it('allows any origin', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: ['*'],
        AllowMethods: ['GET', 'POST'],
        AllowHeaders: ['content-type'],
        ExposeHeaders: ['link', 'retry-after'],
      },
    })
  })

  it('throttles each route, and creates the routes first', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'))
    const bounds = (rate: number) => ({
      ThrottlingRateLimit: rate,
      ThrottlingBurstLimit: 2 * rate,
      DetailedMetricsEnabled: true,
    })
    expect(stage?.Properties.RouteSettings).toEqual({
      'POST /joke': bounds(2),
      'GET /joke': bounds(100),
      'POST /thumbsUp/{id}': bounds(50),
    })
    expect(stage?.DependsOn).toEqual(
      expect.arrayContaining(Object.keys(template.findResources('AWS::ApiGatewayV2::Route'))),
    )
  })

  it('logs each request as JSON, with the request id of the function', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      AccessLogSettings: {
        Format: Match.serializedJson(
          Match.objectLike({ status: '$context.status', functionRequestId: '$context.integration.requestId' }),
        ),
      },
    })
  })
})

it('outputs all names that the commands of the documents need', () => {
  const names = 'Commit ApiUrl ApiHost ApiId AccessLog JokesTable WordsTable AlarmTopic'.split(' ')
  names.push(
    ...FUNCTION_NAMES.flatMap((name) => [`${name}Function`, `${name}LogGroup`]),
    'ProbeLog',
    'BeforeTrafficLog',
  )
  expect(Object.keys(template.findOutputs('*')).sort()).toEqual(names.sort())
})

it('outputs the commit, if git knows it, which changes no resource', () => {
  const { status } = spawnSync('git', ['rev-parse', 'HEAD'])
  expect(currentCommit()).toEqual(status === 0 ? expect.stringMatching(/^[0-9a-f]{40}(-dirty)?$/) : undefined)
  template.hasOutput('Commit', { Value: 'a1b2c3d' })
  expect(JSON.stringify(template.toJSON().Resources)).not.toContain('a1b2c3d')
})

describe('a stack', () => {
  it('of production keeps its data and logs, and is protected from deletion', () => {
    expect(production).toMatchObject({ stackName: 'JokeService', terminationProtection: true })
    template.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    })
    template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Retain' })
  })

  it('of any other stage is deleted with its data', () => {
    const { stack, template } = sam
    expect(stack).toMatchObject({ stackName: 'JokeService-sam', terminationProtection: false })
    template.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    })
    template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete' })
  })

  it('has what the settings say', () => {
    const numbers = {
      approval: 'on',
      reservedConcurrency: '20',
      addRate: '5',
      maxReadUnits: '70',
      maxWriteUnits: '60',
      logRetentionDays: '7',
    }
    const { template } = stackFor({ stage: 'dev', ...numbers })
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      RouteSettings: { 'POST /joke': { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 } },
    })
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      OnDemandThroughput: { MaxReadRequestUnits: 70, MaxWriteRequestUnits: 60 },
    })
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 })
    template.allResourcesProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 20 })
    expect(functionOf(template, 'Create').Environment.Variables.APPROVAL).toBe('on')
  })

  it('for sam local uses the given database and the architecture of this machine, and cannot be deployed', () => {
    sam.template.allResourcesProperties('AWS::Lambda::Function', {
      Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
      Environment: { Variables: { AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:8000' } },
    })
    expect(sam.stack.account).toBe('000000000000')
  })
})

/** The properties of a route's function. */
function functionOf(template: Template, name: FunctionName) {
  const [found] = Object.entries(template.findResources('AWS::Lambda::Function')).filter(([id]) =>
    new RegExp(`^${name}[0-9A-F]{8}$`).test(id),
  )
  return found?.[1].Properties
}

/** The resources of a type that belong to a function. */
function ofFunction(type: string, name: FunctionName) {
  const functions = Object.keys(template.findResources('AWS::Lambda::Function'))
  const id = functions.find((each) => new RegExp(`^${name}[0-9A-F]{8}$`).test(each))
  return Object.entries(template.findResources(type, { Properties: { FunctionName: { Ref: id } } }))
}

/** The alias of a function, and the deployment group that moves it. */
function deploymentOf(name: FunctionName) {
  const [[, alias] = []] = ofFunction('AWS::Lambda::Alias', name)
  const { DeploymentGroupName } = alias?.UpdatePolicy.CodeDeployLambdaAliasUpdate ?? {}
  const group = template.findResources('AWS::CodeDeploy::DeploymentGroup')[DeploymentGroupName.Ref]
  return { alias, group: group?.Properties }
}
