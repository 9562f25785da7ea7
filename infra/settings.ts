/** The settings of operators. The table in docs/deploying.md#settings explains each setting. */
import { RemovalPolicy } from 'aws-cdk-lib'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Node } from 'constructs'
import * as v from 'valibot'

/** The stage whose data outlives its stack. */
const PRODUCTION_STAGE = 'prod'

/** Stage names that look like production, but would be unprotected. */
const LIKE_PRODUCTION = /^(prod.+|prd|live)$/

/** The default is a stage where a mistake costs little. */
const DEFAULT_STAGE = 'dev'

/** The account of stages for `sam local`. It does not exist, so they cannot be deployed. */
const NONEXISTENT_ACCOUNT = '000000000000'

/** Requests a second that API Gateway accepts from an account in every region. */
const MAX_RATE = 2_500

/** Upvotes a second of the longest jokes that the partition of the index takes, with room for new jokes. */
const MAX_THUMBS_UP_RATE = 60

/** Values of the CDK in the context: feature flags such as `@aws-cdk/…`, `aws:cdk:…`, and what its commands store there. */
const OF_CDK = /^@|:|^(cli-telemetry|acknowledged-issue-numbers)$/

const LOG_RETENTIONS = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
)

const Stage = text(
  /^[a-z][a-z0-9-]{0,19}$/,
  'must be 1 to 20 lower-case letters, digits and hyphens, beginning with a letter',
)

export const Settings = v.object({
  stage: v.optional(Stage, DEFAULT_STAGE),
  account: v.optional(text(/^\d{12}$/, 'must be an account number of 12 digits')),
  region: v.optional(text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1')),
  alarmEmail: v.optional(v.pipe(v.string(), v.email('must be an e-mail address'))),
  /** An e-mail address becomes a `mailto:` URL. */
  contact: v.optional(
    v.pipe(
      text(/^(https:\/\/\S+|[\w.+-]+@[\w.-]+)$/, 'must be an e-mail address, or a URL that begins with https://'),
      v.transform((address) => (address.startsWith('https:') ? address : `mailto:${address}`)),
    ),
  ),
  repository: v.optional(text(/^https:\/\/\S+[^/]$/, 'must be a URL that begins with https:// and does not end in /')),
  approval: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'off'),
  createRate: v.optional(wholeNumber(1, MAX_RATE), 2),
  listRate: v.optional(wholeNumber(1, MAX_RATE), 50),
  thumbsUpRate: v.optional(wholeNumber(1, MAX_THUMBS_UP_RATE), 25),
  pageRate: v.optional(wholeNumber(1, MAX_RATE), 25),
  reservedConcurrency: v.optional(wholeNumber(1, 10_000)),
  monthlyBudget: v.optional(wholeNumber(1, 1_000_000)),
  logRetentionDays: v.optional(
    v.pipe(
      v.union([v.string(), v.number()]),
      v.transform(Number),
      v.picklist(LOG_RETENTIONS, `must be one of ${LOG_RETENTIONS.join(', ')}`),
    ),
    RetentionDays.ONE_MONTH,
  ),
  domainName: v.optional(v.pipe(v.string(), v.domain('must be a domain name'))),
  certificateArn: v.optional(
    text(/^arn:aws:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate'),
  ),
  databaseEndpoint: v.optional(v.pipe(v.string(), v.url('must be a URL'))),
})
export type Settings = v.InferOutput<typeof Settings>

const Stages = v.optional(v.record(Stage, v.record(v.string(), v.unknown())), {})

/** The message lists each invalid setting, and what it accepts. */
export class InvalidSettings extends Error {
  override name = 'InvalidSettings'
}

/** Reads the settings of a stage from the context of the app. @throws {InvalidSettings} */
export function readSettings(node: Node): Settings {
  const { stages, ...context }: Record<string, unknown> = node.getAllContext()
  const stored = v.safeParse(Stages, stages)
  if (!stored.success) throw new InvalidSettings('stages must hold the settings of each stage under its name.')
  const given = Object.fromEntries(Object.entries(context).filter(([name]) => !OF_CDK.test(name)))
  const { stage = DEFAULT_STAGE, ...others } = given
  if (stage === PRODUCTION_STAGE && Object.keys(others).length > 0)
    throw new InvalidSettings(
      `-c cannot change the settings of ${PRODUCTION_STAGE}: the next deploy would change them back. ` +
        `Write them in cdk.json, in "context": { "stages": { "${PRODUCTION_STAGE}": { … } } }: ${Object.keys(others).join(', ')}.`,
    )
  if (LIKE_PRODUCTION.test(String(stage)))
    throw new InvalidSettings(
      `${stage} would be a stage without protection. Production is -c stage=${PRODUCTION_STAGE}.`,
    )
  const settings = parseSettings({ ...stored.output[String(stage)], ...given })
  if ((settings.domainName === undefined) !== (settings.certificateArn === undefined))
    throw new InvalidSettings('domainName and certificateArn must be set together.')
  if (settings.region && settings.certificateArn && !settings.certificateArn.includes(`:${settings.region}:`))
    throw new InvalidSettings(`certificateArn must be a certificate in the region of the stack, ${settings.region}.`)
  if (settings.monthlyBudget !== undefined && settings.alarmEmail === undefined)
    throw new InvalidSettings('monthlyBudget needs alarmEmail, which it notifies.')
  if (settings.databaseEndpoint === undefined) return settings
  if (isProduction(settings)) throw new InvalidSettings(`databaseEndpoint cannot be set for ${PRODUCTION_STAGE}.`)
  return { ...settings, account: NONEXISTENT_ACCOUNT }
}

function parseSettings(chosen: Record<string, unknown>): Settings {
  const names = Object.keys(Settings.entries)
  const unknownNames = Object.keys(chosen).filter((name) => !names.includes(name))
  const result = v.safeParse(Settings, chosen)
  if (result.success && unknownNames.length === 0) return result.output
  const unknown = unknownNames.map((name) => `${name} is not a setting. The settings are ${names.join(', ')}.`)
  const wrong = result.issues?.map((issue) => `${v.getDotPath(issue)} ${issue.message}, not ${issue.received}.`) ?? []
  throw new InvalidSettings([...unknown, ...wrong].join('\n'))
}

export function isProduction({ stage }: Settings): boolean {
  return stage === PRODUCTION_STAGE
}

/** Whether the stage has alarms, a dashboard and a probe, which cost money each month. */
export function isWatched(settings: Settings): boolean {
  return isProduction(settings) || settings.alarmEmail !== undefined
}

/** Returns the name of a stage's stack. It is different for each stage of an account. */
export function stackName(settings: Settings): string {
  return isProduction(settings) ? 'JokeService' : `JokeService-${settings.stage}`
}

export function environmentOf({ account, region }: Settings): { account?: string; region?: string } {
  return { ...(account !== undefined && { account }), ...(region !== undefined && { region }) }
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

function text(pattern: RegExp, message: string) {
  return v.pipe(v.string(), v.regex(pattern, message))
}

/** Accepts strings, which `-c` passes, and numbers, which `cdk.json` has. */
function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return v.pipe(
    v.union([v.pipe(v.string(), v.digits(message)), v.number(message)], message),
    v.transform(Number),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  )
}
