/** Checks the stack with CDK's own validation and two rule packs of cdk-nag. */
import { type App, CfnResource } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { JokeService } from '../../infra/service/jokeService.ts'
import { readSettings } from '../../infra/settings.ts'
import { withApp } from '../support/app.ts'
import { addRulePacks, checkRules } from '../support/nag.ts'

it('the stack violates no rule except acknowledged ones', () => {
  withService((app) =>
    expect(checkRules(app)).toEqual([
      {
        pluginName: 'AwsSolutions',
        violations: [],
        acknowledged: [
          'AwsSolutions-APIG4',
          expect.stringMatching(/^AwsSolutions-IAM4.+AWSCodeDeployRoleForLambdaLimited/),
        ],
      },
      {
        pluginName: 'Serverless',
        violations: [],
        acknowledged: [
          'Serverless-EventBusDLQ',
          'Serverless-LambdaDLQ',
          'Serverless-LambdaTracing',
          'Serverless-SNSRedrivePolicy',
        ],
      },
    ]),
  )
})

it('an unacknowledged violation stops the synthesis', () => {
  withService((app, stack) => {
    new Topic(stack, 'Open')
    expect(() => app.synth()).toThrow('AwsSolutions-SNS3')
  })
})

it("a finding of CDK's own template validation stops the synthesis", () => {
  withService((app, stack) => {
    new CfnResource(stack, 'Wrong', { type: 'AWS::Logs::LogGroup', properties: { RetentionInDays: 'long' } })
    expect(() => app.synth()).toThrow('RetentionInDays')
  })
})

it('the feature flags are those that CDK recommends', () => {
  expect(cdk.context).toMatchObject(recommendedFlags)
})

/** Calls `work` with an app that has the service's stack of production, and with that stack. */
function withService(work: (app: App, stack: JokeService) => void): void {
  const context = {
    ...cdk.context,
    stages: { prod: { alarmEmail: 'oncall@example.com', repository: 'https://example.com/jokes' } },
  }
  const withStack = (app: App) => {
    const stack = new JokeService(app, readSettings(app.node), 'a1b2c3d')
    addRulePacks(app)
    work(app, stack)
  }
  withApp(context, withStack, true)
}
