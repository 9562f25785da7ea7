/** The stack against the rules of others: CDK's own, and those of two rule packs of cdk-nag. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, CfnResource, Validations } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import * as v from 'valibot'
import { afterEach, beforeEach, expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { JokeService } from '../../infra/service/jokeService.ts'
import { readSettings } from '../../infra/settings.ts'

const Report = v.object({
  pluginReports: v.array(
    v.object({
      pluginName: v.string(),
      violations: v.array(v.unknown()),
      suppressedViolations: v.optional(v.array(v.object({ ruleName: v.string(), reason: v.string() })), []),
    }),
  ),
})

const stages = { prod: { alarmEmail: 'oncall@example.com' } }

let outdir: string
let app: App
let stack: JokeService

beforeEach(() => {
  outdir = mkdtempSync(join(tmpdir(), 'rules-'))
  app = new App({ outdir, context: { ...cdk.context, stages, 'aws:cdk:bundling-stacks': [] } })
  stack = new JokeService(app, readSettings(app.node), 'a1b2c3d')
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
})
afterEach(() => rmSync(outdir, { recursive: true }))

it('the stack breaks no rule but these, and says why', () => {
  app.synth()
  const { pluginReports } = v.parse(Report, JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')))
  const rules = pluginReports.map(({ pluginName, violations, suppressedViolations }) => ({
    pluginName,
    violations,
    acknowledged: [...new Set(suppressedViolations.map(({ ruleName }) => ruleName))].sort(),
  }))
  expect(rules).toEqual([
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

it('a finding of a rule pack of which nobody says why stops the synthesis', () => {
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
