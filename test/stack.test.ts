import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { JokeService } from '../infra/service/jokeService.ts'
import { readSettings } from '../infra/settings.ts'

const { template } = stackFor({})

/** The stack with these settings, without bundling, which synth and its tests do. */
function stackFor(settings: Record<string, unknown>) {
  const app = new App({ context: { ...settings, 'aws:cdk:bundling-stacks': [] } })
  const stack = new JokeService(app, readSettings(app.node))
  return { stack, template: Template.fromStack(stack) }
}

describe('the tables', () => {
  it('have the keys and indexes of the design', () => {
    const index = (name: string, field: string) => ({
      IndexName: name,
      KeySchema: [
        { AttributeName: 'shelf', KeyType: 'HASH' },
        { AttributeName: field, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    })
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        index('byThumbsUp', 'thumbsUp'),
        index('byThumbsDown', 'thumbsDown'),
        index('byDateAdded', 'dateAdded'),
        { ...index('byId', 'id'), Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['words'] } },
      ],
    })
    template.hasResourceProperties('AWS::DynamoDB::Table', {
      KeySchema: [
        { AttributeName: 'prefix', KeyType: 'HASH' },
        { AttributeName: 'entry', KeyType: 'RANGE' },
      ],
    })
  })

  it('are paid by request and hard to lose', () => {
    template.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: Match.objectLike({
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    })
  })
})

describe('the functions', () => {
  it('are three, each with the house defaults', () => {
    template.resourceCountIs('AWS::Lambda::Function', 3)
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 1_024,
      Timeout: 10,
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON', LogGroup: Match.anyValue() },
      TracingConfig: { Mode: 'Active' },
      Environment: { Variables: { JOKES_TABLE: Match.anyValue(), WORDS_TABLE: Match.anyValue(), SHARDS: '1' } },
    })
  })

  it('keep their logs for a limited time', () => {
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 })
  })
})

describe('the HTTP API', () => {
  it.each([
    ['POST /joke', 'Create'],
    ['GET /joke', 'List'],
    ['POST /thumbsUp/{id}', 'ThumbsUp'],
  ])('hands %s to %s', (RouteKey, name) => {
    const [route] = Object.values(template.findResources('AWS::ApiGatewayV2::Route', { Properties: { RouteKey } }))
    const [, [, target]] = route?.Properties.Target['Fn::Join'] ?? []
    const integration = template.findResources('AWS::ApiGatewayV2::Integration')[target.Ref]
    expect(integration?.Properties).toMatchObject({ PayloadFormatVersion: '2.0' })
    expect(integration?.Properties.IntegrationUri['Fn::GetAtt'][0]).toMatch(new RegExp(`^${name}`))
  })

  it('has these three routes and no other', () => {
    template.resourceCountIs('AWS::ApiGatewayV2::Route', 3)
  })

  it('lets any origin use it', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      CorsConfiguration: {
        AllowOrigins: ['*'],
        AllowMethods: ['GET', 'POST'],
        AllowHeaders: ['content-type'],
        ExposeHeaders: ['link', 'retry-after'],
      },
    })
  })

  it('throttles, and logs each request as JSON', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1_000 },
      AccessLogSettings: { Format: Match.serializedJson(Match.objectLike({ status: '$context.status' })) },
    })
  })
})

it('tells the address of the API and the names of the tables', () => {
  template.hasOutput('ApiUrl', {})
  template.hasOutput('JokesTable', {})
  template.hasOutput('WordsTable', {})
})

describe('a stack', () => {
  it('of production keeps its data, and cannot be destroyed by mistake', () => {
    const { stack, template } = stackFor({})
    expect(stack).toMatchObject({ stackName: 'JokeService', terminationProtection: true })
    template.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    })
  })

  it('of any other stage goes with its data', () => {
    const { stack, template } = stackFor({ stage: 'dev' })
    expect(stack).toMatchObject({ stackName: 'JokeService-dev', terminationProtection: false })
    template.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      UpdateReplacePolicy: 'Delete',
      Properties: { DeletionProtectionEnabled: false },
    })
  })

  it('has the numbers that are set', () => {
    const { template } = stackFor({ shards: '4', throttleRate: '50', throttleBurst: '70', logRetentionDays: '7' })
    template.allResourcesProperties('AWS::Lambda::Function', { Environment: { Variables: { SHARDS: '4' } } })
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 70 },
    })
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 })
  })

  it('for sam local uses the database that is set', () => {
    const endpoint = 'http://host.docker.internal:8000'
    const { template } = stackFor({ stage: 'sam', databaseEndpoint: endpoint })
    template.allResourcesProperties('AWS::Lambda::Function', {
      Environment: { Variables: { AWS_ENDPOINT_URL_DYNAMODB: endpoint } },
    })
  })
})
