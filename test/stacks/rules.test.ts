/** Checks the stack with CDK's own validation and two rule packs of cdk-nag. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, CfnResource } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { afterEach, beforeEach, expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { JokeService } from '../../infra/service/jokeService.ts'
import { readSettings } from '../../infra/settings.ts'
import { addRulePacks, checkRules } from '../support/nag.ts'

const stages = { prod: { alarmEmail: 'oncall@example.com' } }

let outdir: string
let app: App
let stack: JokeService

beforeEach(() => {
  outdir = mkdtempSync(join(tmpdir(), 'rules-'))
  app = new App({ outdir, context: { ...cdk.context, stages, 'aws:cdk:bundling-stacks': [] } })
  stack = new JokeService(app, readSettings(app.node), 'a1b2c3d')
  addRulePacks(app)
})
afterEach(() => rmSync(outdir, { recursive: true }))

it('the stack violates no rule except acknowledged ones', () => {
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
      acknowledged: ['Serverless-LambdaDLQ', 'Serverless-LambdaTracing', 'Serverless-SNSRedrivePolicy'],
    },
  ])
})

it('an unacknowledged violation stops the synthesis', () => {
  new Topic(stack, 'Open')
  expect(() => app.synth()).toThrow('AwsSolutions-SNS3')
})

it("a finding of CDK's own template validation stops the synthesis", () => {
  new CfnResource(stack, 'Wrong', { type: 'AWS::Logs::LogGroup', properties: { RetentionInDays: 'long' } })
  expect(() => app.synth()).toThrow('RetentionInDays')
})

it('the feature flags are those that CDK recommends', () => {
  expect(cdk.context).toMatchObject(recommendedFlags)
})
