/** The settings of the stage that is deployed, checked, and what follows from them. */
import { RemovalPolicy } from 'aws-cdk-lib'
import * as v from 'valibot'
import { STAGES, StageSettings } from './stages.ts'

export interface Settings extends v.InferOutput<typeof StageSettings> {
  stage: string
  /** The database of `npm run sam`. */
  databaseEndpoint?: string
}

/** The stage whose data outlives its stack. */
const PRODUCTION_STAGE = 'prod'

/** Stage names that look like production, but would be unprotected. */
const LIKE_PRODUCTION = /^(prod.+|prd|live)$/

/** The message lists each invalid setting, and what it accepts. */
export class InvalidSettings extends Error {
  override name = 'InvalidSettings'
}

/** Returns the settings of a stage, with defaults for those that are not set. @throws {InvalidSettings} */
export function settingsOf(stage: string, chosen: StageSettings = STAGES[stage] ?? {}): Settings {
  const refuse = (...sentences: string[]) => new InvalidSettings(sentences.join('\n'))
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(stage))
    throw refuse(`stage must be 1 to 20 lower-case letters, digits and hyphens, beginning with a letter, not ${stage}.`)
  if (LIKE_PRODUCTION.test(stage))
    throw refuse(`${stage} would be a stage without protection. Production is -c stage=${PRODUCTION_STAGE}.`)
  const result = v.safeParse(StageSettings, chosen)
  if (!result.success) throw refuse(...result.issues.map(explain))
  const { alarmEmail, domain, monthlyBudget, region } = result.output
  if (region && domain && !domain.certificateArn.includes(`:${region}:`))
    throw refuse(`domain.certificateArn must be a certificate in the region of the stack, ${region}.`)
  if (monthlyBudget !== undefined && alarmEmail === undefined)
    throw refuse('monthlyBudget needs alarmEmail, which it notifies.')
  return { stage, ...result.output }
}

function explain(issue: v.InferIssue<typeof StageSettings>): string {
  const name = v.getDotPath(issue)
  const isUnknown = issue.kind === 'schema' && issue.expected === 'never'
  return isUnknown ? `${name} is not a setting.` : `${name} ${issue.message}, not ${issue.received}.`
}

/** Returns the settings of the stack that `npm run sam` runs on this machine. It has no real account to deploy it to. */
export function samSettings(databaseEndpoint: string): Settings {
  return { ...settingsOf('sam'), account: '000000000000', databaseEndpoint }
}

export function isProduction({ stage }: Settings): boolean {
  return stage === PRODUCTION_STAGE
}

/** Whether the stage has alarms and a dashboard, which cost money each month. */
export function isWatched(settings: Settings): boolean {
  return isProduction(settings) || settings.alarmEmail !== undefined
}

/** Returns the name of a stage's stack. It is different for each stage of an account. */
export function stackName(stage: string): string {
  return stage === PRODUCTION_STAGE ? 'JokeService' : `JokeService-${stage}`
}

/**
 * Returns options of log groups. Logs are evidence of what happened to the tables, so both are kept or deleted. The logs of
 * a failed first deploy are deleted even in production, because the next deploy could not create them again.
 */
export function logOptions(settings: Settings) {
  const { RETAIN_ON_UPDATE_OR_DELETE, DESTROY } = RemovalPolicy
  return {
    retention: settings.logRetentionDays,
    removalPolicy: isProduction(settings) ? RETAIN_ON_UPDATE_OR_DELETE : DESTROY,
  }
}
