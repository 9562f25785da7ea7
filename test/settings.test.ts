import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { JokeService } from '../infra/jokeService.ts'
import { readSettings, type Settings } from '../infra/settings.ts'

/** An app that does not bundle. */
function appWith(context: Record<string, unknown>): App {
  return new App({ context: { ...context, 'aws:cdk:bundling-stacks': [] } })
}

function settingsFor(context: Record<string, unknown>): Settings {
  return readSettings(appWith(context).node)
}

function stackFor(context: Record<string, unknown>) {
  const app = appWith(context)
  const stack = new JokeService(app, readSettings(app.node))
  return { stack, template: Template.fromStack(stack) }
}

describe('the settings', () => {
  it('have defaults', () => {
    expect(settingsFor({})).toEqual({
      stage: 'prod',
      shards: 1,
      throttleRate: 500,
      throttleBurst: 1_000,
      logRetentionDays: 30,
    })
  })

  it.each(['4', 4])('take the number %j, from the command line or from a file', (shards) => {
    expect(settingsFor({ shards })).toMatchObject({ shards: 4 })
  })

  it.each([
    [{ stage: 'Prod' }, 'stage must be 1 to 20 lower-case letters, digits and hyphens, a letter first, not "Prod".'],
    [{ stage: '' }, 'stage must be 1 to 20 lower-case letters, digits and hyphens, a letter first, not "".'],
    [{ shards: '21' }, 'shards must be a whole number from 1 to 20, not 21.'],
    [{ shards: '0' }, 'shards must be a whole number from 1 to 20, not 0.'],
    [{ shards: '' }, 'shards must be a whole number from 1 to 20, not "".'],
    [{ shards: true }, 'shards must be a whole number from 1 to 20, not true.'],
    [{ throttleRate: 0.5 }, 'throttleRate must be a whole number from 1 to 100000, not 0.5.'],
    [{ throttleBurst: 'many' }, 'throttleBurst must be a whole number from 1 to 100000, not "many".'],
    [{ alarmEmail: 'me' }, 'alarmEmail must be an e-mail address, not "me".'],
    [{ logRetentionDays: 31 }, /^logRetentionDays must be one of 1, 3, 5, 7, 14, 30, .+, not 31\.$/],
    [{ stage: 'dev', databaseEndpoint: 'here' }, 'databaseEndpoint must be a URL, not "here".'],
    [{ databaseEndpoint: 'http://localhost:8000' }, 'databaseEndpoint is for other stages than prod.'],
    [{ stag: 'dev' }, /^stag is not a setting; these are: stage, shards, .+\.$/],
    [{ stag: 'dev', shards: 0 }, /^stag is not a setting.+\nshards must be .+$/],
  ])('refuse %j, and say what is accepted', (context, message) => {
    expect(() => settingsFor(context)).toThrow(message)
  })

  it('leave alone what CDK keeps in the context', () => {
    expect(settingsFor({ '@aws-cdk/core:flag': true, 'acknowledged-issue-numbers': [1] })).toEqual(settingsFor({}))
  })
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
