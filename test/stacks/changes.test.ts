/** Resources that a change of settings replaces. CloudFormation creates the new one first, so its name must differ. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { App } from 'aws-cdk-lib'
import { expect, it } from 'vitest'
import { Settings } from '../../infra/settings.ts'
import { temporaryFolder } from '../support/process.ts'
import { PRODUCTION, serviceOf, serviceTemplate } from '../support/templates.ts'

const before = { alarmEmail: 'a@example.com', repository: 'https://example.com/a', monthlyBudget: 5 }
const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/a1b2'
/** Other values of all settings, except those for another stack or another place. */
const after = {
  alarmEmail: 'b@example.com',
  contact: 'b@example.com',
  repository: 'https://example.com/b',
  approval: 'on',
  createRate: 7,
  listRate: 8,
  thumbsUpRate: 9,
  pageRate: 10,
  reservedConcurrency: 5,
  monthlyBudget: 6,
  logRetentionDays: 7,
  ...{ domainName: 'b.example.com', certificateArn },
}

it('the changed settings include all that keep the stack', () => {
  const others = ['stage', 'account', 'region', 'databaseEndpoint']
  expect([...Object.keys(after), ...others].toSorted()).toEqual(Object.keys(Settings.entries).toSorted())
})

it('a change of all settings replaces no resource with data', async () => {
  const folder = temporaryFolder()
  const template = join(folder, 'before.json')
  writeFileSync(template, JSON.stringify(serviceTemplate({ stages: { prod: before } }).toJSON()))
  const context = { ...PRODUCTION, stages: { prod: after }, 'aws:cdk:bundling-stacks': [] }
  const app = new App({ outdir: join(folder, 'after'), context, builtinCloudFormationValidation: false })
  serviceOf(app)
  app.synth()
  const diff = ['node_modules/aws-cdk/bin/cdk', 'diff', '--app', app.outdir, '--template', template]
  const { stderr, stdout } = await promisify(execFile)(process.execPath, diff)
  const lines = `${stdout}${stderr}`.split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^\[~\] AWS::CloudWatch::Alarm /))
  const removed = lines.map((line) => /^\[-\] (\S+)/.exec(line)?.[1]).filter((type) => type !== undefined)
  expect(removed).toEqual(['AWS::SNS::Subscription', 'AWS::SNS::Subscription'])
  // CloudFormation chooses the budget's name, so it can be replaced.
  const found = lines.map((line) => /^\[.\] (\S+ \S+) \S+ (?:may be )?replace/.exec(line)?.[1])
  expect(found.filter((line) => line !== undefined)).toEqual(['AWS::Budgets::Budget Monitoring/Budget'])
})
