/** Checks stacks against the rule packs of cdk-nag. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type App, Validations } from 'aws-cdk-lib'
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag'
import * as v from 'valibot'

const Report = v.object({
  pluginReports: v.array(
    v.object({
      pluginName: v.string(),
      violations: v.array(v.unknown()),
      suppressedViolations: v.optional(v.array(v.object({ ruleName: v.string() })), []),
    }),
  ),
})

export function addRulePacks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app))
}

/** Synthesizes the app. Returns the violations of each rule pack and the rules that the code acknowledges, sorted. */
export function checkRules(app: App) {
  const { directory } = app.synth()
  const { pluginReports } = v.parse(Report, JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8')))
  return pluginReports.map(({ pluginName, violations, suppressedViolations }) => ({
    pluginName,
    violations,
    acknowledged: [...new Set(suppressedViolations.map(({ ruleName }) => ruleName.replace(/\[.*/, '')))].sort(),
  }))
}
