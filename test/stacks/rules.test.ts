/** Checks the stacks with CDK's own validation and two rule packs of cdk-nag. */
import { spawnSync } from 'node:child_process'
import { type App, CfnResource, type Stack } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { JokePage } from '../../infra/page/jokePage.ts'
import { JokeService } from '../../infra/service/jokeService.ts'
import { readSettings } from '../../infra/settings.ts'
import { withApp } from '../support/app.ts'
import { addRulePacks, checkRules } from '../support/nag.ts'

const service = (app: App) => new JokeService(app, readSettings(app.node), 'a1b2c3d')
const page = (app: App) =>
  new JokePage(app, 'Page', { settings: readSettings(app.node), serviceRegion: 'eu-west-1', site: new Map() })

it.each([
  [
    'service',
    service,
    ['AwsSolutions-APIG4', 'AwsSolutions-IAM4'],
    ['Serverless-EventBusDLQ', 'Serverless-LambdaDLQ', 'Serverless-LambdaTracing', 'Serverless-SNSRedrivePolicy'],
  ],
  [
    'page',
    page,
    ['AwsSolutions-CFR1', 'AwsSolutions-CFR4', 'AwsSolutions-IAM4', 'AwsSolutions-IAM5', 'AwsSolutions-L1'],
    [
      'Serverless-LambdaDLQ',
      'Serverless-LambdaLatestVersion',
      'Serverless-LambdaTracing',
      'Serverless-SNSRedrivePolicy',
    ],
  ],
])('the stack of the %s violates no rule except acknowledged ones', (_, makeStack, solutions, serverless) => {
  withStack(makeStack, (app) =>
    expect(checkRules(app)).toEqual([
      { pluginName: 'AwsSolutions', violations: [], acknowledged: solutions },
      { pluginName: 'Serverless', violations: [], acknowledged: serverless },
    ]),
  )
})

it('an unacknowledged violation stops the synthesis', () => {
  withStack(service, (app, stack) => {
    new Topic(stack, 'Open')
    expect(() => app.synth()).toThrow('AwsSolutions-SNS3')
  })
})

it("a finding of CDK's own template validation stops the synthesis", () => {
  withStack(service, (app, stack) => {
    new CfnResource(stack, 'Wrong', { type: 'AWS::Logs::LogGroup', properties: { RetentionInDays: 'long' } })
    expect(() => app.synth()).toThrow('RetentionInDays')
  })
})

it.each(['infra/app.ts', 'infra/pageApp.ts'])('%s says in a sentence which settings are wrong', (app) => {
  const env = { CDK_CONTEXT_JSON: JSON.stringify({ stage: 'dev', addRate: 0 }) }
  const { status, stderr } = spawnSync(process.execPath, [app], { env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, 'addRate must be a whole number from 1 to 10000, not 0.\n'])
})

it('the feature flags are those that CDK recommends', () => {
  expect(cdk.context).toMatchObject(recommendedFlags)
})

/** Calls `work` with an app that has a stack of production, and with that stack. */
function withStack(makeStack: (app: App) => Stack, work: (app: App, stack: Stack) => void): void {
  const prod = { alarmEmail: 'oncall@example.com', repository: 'https://example.com/jokes' }
  const withRules = (app: App) => {
    const stack = makeStack(app)
    addRulePacks(app)
    work(app, stack)
  }
  withApp({ ...cdk.context, stages: { prod } }, withRules, true)
}
