/**
 * What an operator can set. `cdk.json` holds it stage by stage, as `"stages": { "prod": { "alarmEmail": … } }`, so that
 * each deploy has the same; `-c name=value` sets it for one deploy of any stage but production.
 */
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Node } from 'constructs'
import * as v from 'valibot'

/** The stage that keeps its data, whatever happens to the stack. */
const PRODUCTION = 'prod'

/** What a stage for `sam local` stands in: no account has this number, so no deploy of it gets anywhere. */
const NOBODYS_ACCOUNT = '000000000000'

const LOG_RETENTIONS = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
)

const Stage = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9-]{0,19}$/, 'must be 1 to 20 lower-case letters, digits and hyphens, a letter first'),
)

const Settings = v.object({
  /** `prod`, or the name of a stack of its own that goes with all its data when destroyed. */
  stage: v.optional(Stage, PRODUCTION),
  /** Where the stack belongs; absent: wherever the credentials lead. */
  account: v.optional(v.pipe(v.string(), v.regex(/^\d{12}$/, "must be an account's number of 12 digits"))),
  region: v.optional(v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1'))),
  /** Who hears of alarms and of the bill; absent: nobody. */
  alarmEmail: v.optional(v.pipe(v.string(), v.email('must be an e-mail address'))),
  /** Where this repository can be read, so that alarms can link to their runbooks. */
  repository: v.optional(
    v.pipe(v.string(), v.regex(/^https:\/\/\S+[^/]$/, 'must be an address with https:// and no / at its end')),
  ),
  /** Requests a second to each route, of all clients together; twice as many at once. Beyond, API Gateway answers 429. */
  addRate: v.optional(wholeNumber(1, 10_000), 10),
  listRate: v.optional(wholeNumber(1, 10_000), 500),
  upvoteRate: v.optional(wholeNumber(1, 10_000), 200),
  /** Capacity units a second of each table and each index: more than the rates above take of usual jokes. */
  maxReadUnits: v.optional(wholeNumber(1, 40_000), 2_000),
  maxWriteUnits: v.optional(wholeNumber(1, 40_000), 1_000),
  /** Dollars a month for the whole account, of which `alarmEmail` hears at 80 and 100 %. */
  monthlyBudget: v.optional(wholeNumber(1, 1_000_000), 50),
  logRetentionDays: v.optional(
    v.pipe(
      v.union([v.string(), v.number()]),
      v.transform(Number),
      v.picklist(LOG_RETENTIONS, `must be one of ${LOG_RETENTIONS.join(', ')}`),
    ),
    RetentionDays.ONE_MONTH,
  ),
  /** A name of one's own for the page's stack, and the certificate for it. */
  domainName: v.optional(v.pipe(v.string(), v.domain('must be a domain name'))),
  certificateArn: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/, 'must be the ARN of a certificate in us-east-1'),
    ),
  ),
  /** A database in place of the region's: `sam local` needs one that its containers reach. Such a stage is not deployed. */
  databaseEndpoint: v.optional(v.pipe(v.string(), v.url('must be a URL'))),
})
export type Settings = v.InferOutput<typeof Settings>

const Stages = v.optional(v.record(Stage, v.record(v.string(), v.unknown())), {})

/** Invalid settings; the message lists each one and what it accepts. */
export class InvalidSettings extends Error {
  override name = 'InvalidSettings'
}

/**
 * Reads the settings of a stage from the context of the app.
 *
 * @throws {InvalidSettings}
 */
export function readSettings(node: Node): Settings {
  const { stages, ...context }: Record<string, unknown> = node.getAllContext()
  // What the CDK and its libraries keep there has a name with some other character in it.
  const given = Object.fromEntries(Object.entries(context).filter(([name]) => /^[a-z]+$/i.test(name)))
  const kept = v.safeParse(Stages, stages)
  if (!kept.success) throw new InvalidSettings('stages must hold, for the name of each stage, its settings.')
  const { stage = PRODUCTION, ...others } = given
  if (stage === PRODUCTION && Object.keys(others).length > 0)
    throw new InvalidSettings(
      `${PRODUCTION} takes no settings by -c, as the next deploy would take them back. ` +
        `Write them in cdk.json, in "context": { "stages": { "${PRODUCTION}": { … } } }: ${Object.keys(others).join(', ')}.`,
    )

  const chosen = { ...kept.output[String(stage)], ...given }
  const names = Object.keys(Settings.entries)
  const result = v.safeParse(Settings, chosen)
  const faults = [
    ...Object.keys(chosen)
      .filter((name) => !names.includes(name))
      .map((name) => `${name} is not a setting; these are: ${names.join(', ')}.`),
    ...(result.issues ?? []).map((issue) => `${v.getDotPath(issue)} ${issue.message}, not ${issue.received}.`),
  ]
  if (!result.success || faults.length > 0) throw new InvalidSettings(faults.join('\n'))
  const settings = result.output
  if ((settings.domainName === undefined) !== (settings.certificateArn === undefined))
    throw new InvalidSettings('domainName and certificateArn are set together, or neither.')
  if (settings.databaseEndpoint === undefined) return settings
  if (keepsData(settings)) throw new InvalidSettings(`databaseEndpoint is for other stages than ${PRODUCTION}.`)
  return { ...settings, account: NOBODYS_ACCOUNT }
}

/** Whether it is production: its data has to outlive its stack, and a bad deploy should meet few of its clients. */
export function keepsData({ stage }: Settings): boolean {
  return stage === PRODUCTION
}

/** A name for each stage, so that several can be in one account. */
export function stackName({ stage }: Settings): string {
  return stage === PRODUCTION ? 'JokeService' : `JokeService-${stage}`
}

/** Account and region, for as far as they are set. */
export function environmentOf({ account, region }: Settings): { account?: string; region?: string } {
  return { ...(account !== undefined && { account }), ...(region !== undefined && { region }) }
}

/** For cfn-lint, in the metadata of each template. */
export const LINTED = {
  'cfn-lint': { config: { ignore_checks: ['W3005'] } },
  Comment: 'W3005: the CDK lets each function depend on its role twice, which does no harm.',
}

/** `-c` hands on strings, `cdk.json` numbers. */
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
