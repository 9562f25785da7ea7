/** Checks the stack with CDK's own validation and two rule packs of cdk-nag. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import { expect, it } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { settingsOf } from '../../infra/settings.ts'
import { temporaryFolder } from '../support/process.ts'
import { appIn, EVERY_SETTING, serviceOf } from '../support/templates.ts'

/** The accepted findings, as `<path of the construct> <rule>`, and their reasons. */
const ACCEPTED: [finding: RegExp, reason: string][] = [
  [/^JokeService\/Api\/HttpApi\/.+ AwsSolutions-APIG4$/, 'The contract defines no authentication (interface.md).'],
  [/^JokeService\/.+ Serverless-LambdaDLQ$/, 'The caller waits for the response.'],
  [/^JokeService\/.+ Serverless-LambdaTracing$/, 'A trace would show one box and, at low traffic, cost the most.'],
  [/\/Alarms\/.+ AwsSolutions-SNS3$/, 'Only CloudWatch publishes, by HTTPS.'],
  [/\/Alarms\/.+ Serverless-SNSRedrivePolicy$/, 'Nobody would read undelivered e-mails; CloudWatch shows the alarm.'],
]

interface Report {
  pluginReports: { violations: { ruleName: string; violatingConstructs: { constructPath: string }[] }[] }[]
}

it('the stack violates only accepted rules', () => {
  const app = appIn(temporaryFolder(), cdk.context)
  serviceOf(app, settingsOf('prod', EVERY_SETTING))
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
  // `synth` throws after it has written the report.
  expect(() => app.synth()).toThrow()
  const report: Report = JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8'))
  const violations = report.pluginReports.flatMap((plugin) => plugin.violations)
  const findings = violations.flatMap(({ ruleName, violatingConstructs }) =>
    violatingConstructs.map(({ constructPath }) => `${constructPath} ${ruleName}`),
  )
  const isAccepted = (finding: string) => ACCEPTED.some(([accepted]) => accepted.test(finding))
  expect(findings.filter((finding) => !isAccepted(finding))).toEqual([])
  expect(ACCEPTED.filter(([accepted]) => !findings.some((finding) => accepted.test(finding)))).toEqual([])
})
