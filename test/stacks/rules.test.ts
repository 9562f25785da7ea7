/** Checks the stacks with CDK's own validation and two rule packs of cdk-nag. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, CfnResource, Stack, Validations } from 'aws-cdk-lib'
import { Topic } from 'aws-cdk-lib/aws-sns'
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' }
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { withApp } from '../support/app.ts'
import { PRODUCTION, pageOf, serviceOf } from '../support/templates.ts'

const Rules = v.array(v.object({ ruleName: v.string() }))
const Report = v.object({
  pluginReports: v.array(v.object({ violations: Rules, suppressedViolations: v.optional(Rules, []) })),
})

it.each([
  ['service', serviceOf, 'APIG4 IAM4', 'EventBusDLQ LambdaAsyncFailureDestination'],
  ['page', pageOf, 'CFR1 CFR4 IAM4 IAM5 L1', 'LambdaLatestVersion'],
])('the stack of the %s violates no rule except acknowledged ones', (_, addStack, solutions, serverless) => {
  expect(rulesOf(addStack)).toEqual([
    { violated: [], acknowledged: solutions.split(' ') },
    { violated: [], acknowledged: [...serverless.split(' '), 'LambdaDLQ', 'LambdaTracing', 'SNSRedrivePolicy'].sort() },
  ])
})

it("violations of the rules, and of CDK's own validation, stop the synthesis", () => {
  const addWrong = (app: App) => {
    const stack = new Stack(app, 'Wrong')
    new Topic(stack, 'Open')
    new CfnResource(stack, 'Mistyped', { type: 'AWS::Logs::LogGroup', properties: { RetentionInDays: 'long' } })
  }
  expect(() => rulesOf(addWrong)).toThrow(/AwsSolutions-SNS3.*RetentionInDays/s)
})

it('the feature flags are those that CDK recommends', () => {
  expect(cdk.context).toMatchObject(recommendedFlags)
})

/** Synthesizes an app of production, and returns the rules of each pack that it violates or acknowledges. */
function rulesOf(addStack: (app: App) => void) {
  const prod = { alarmEmail: 'oncall@example.com', repository: 'https://example.com/jokes' }
  const synthesize = (app: App) => {
    addStack(app)
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
    return readFileSync(join(app.synth().directory, 'validation-report.json'), 'utf8')
  }
  const context = { ...cdk.context, ...PRODUCTION, stages: { prod } }
  const report = v.parse(Report, JSON.parse(withApp(context, synthesize, true)))
  return report.pluginReports.map(({ violations, suppressedViolations }) => ({
    violated: violations,
    acknowledged: [...new Set(suppressedViolations.map(({ ruleName }) => ruleName.replace(/^\w+-|\[.*/g, '')))].sort(),
  }))
}
