/** What an operator can set, as CDK context: `-c name=value`, or in `cdk.json` to last from deploy to deploy. */
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Node } from 'constructs'
import * as v from 'valibot'

/** The stage that keeps its data, whatever happens to the stack. */
const PRODUCTION = 'prod'

/** A cursor holds a place for each of 5 × this many shelves, and must fit into headers of 10 kB. */
const MAX_SHARDS = 20

const LOG_RETENTIONS = Object.values(RetentionDays).filter(
  (days) => typeof days === 'number' && days !== RetentionDays.INFINITE,
)

const Settings = v.object({
  /** `prod`, or the name of a stack of its own that goes with all its data when destroyed. */
  stage: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[a-z][a-z0-9-]{0,19}$/, 'must be 1 to 20 lower-case letters, digits and hyphens, a letter first'),
    ),
    PRODUCTION,
  ),
  /** How many shelves each category has. May be raised at any time, never lowered. */
  shards: v.optional(wholeNumber(1, MAX_SHARDS), 1),
  /** Requests a second over all clients together; beyond, API Gateway answers 429. */
  throttleRate: v.optional(wholeNumber(1, 100_000), 500),
  /** Requests that may come at once on top of that. */
  throttleBurst: v.optional(wholeNumber(1, 100_000), 1_000),
  /** Who hears of alarms; absent: nobody. */
  alarmEmail: v.optional(v.pipe(v.string(), v.email('must be an e-mail address'))),
  logRetentionDays: v.optional(
    v.pipe(
      v.union([v.string(), v.number()]),
      v.transform(Number),
      v.picklist(LOG_RETENTIONS, `must be one of ${LOG_RETENTIONS.join(', ')}`),
    ),
    RetentionDays.ONE_MONTH,
  ),
  /** A database in place of the region's: `sam local` needs one that its containers reach. */
  databaseEndpoint: v.optional(v.pipe(v.string(), v.url('must be a URL'))),
})
export type Settings = v.InferOutput<typeof Settings>

/** A setting is not what it may be; the message names every such one and what it may be. */
export class InvalidSettings extends Error {
  override name = 'InvalidSettings'
}

/**
 * Reads the settings from the context of the app.
 *
 * @throws {InvalidSettings}
 */
export function readSettings(node: Node): Settings {
  const context: Record<string, unknown> = node.getAllContext()
  const names = Object.keys(Settings.entries)
  // What CDK and its libraries keep there has a name with some other character in it.
  const unknown = Object.keys(context).filter((name) => /^[a-z]+$/i.test(name) && !names.includes(name))
  const result = v.safeParse(Settings, context)
  const faults = [
    ...unknown.map((name) => `${name} is not a setting; these are: ${names.join(', ')}.`),
    ...(result.issues ?? []).map((issue) => `${v.getDotPath(issue)} ${issue.message}, not ${issue.received}.`),
  ]
  if (!result.success || faults.length > 0) throw new InvalidSettings(faults.join('\n'))
  if (keepsData(result.output) && result.output.databaseEndpoint !== undefined)
    throw new InvalidSettings(`databaseEndpoint is for other stages than ${PRODUCTION}.`)
  return result.output
}

/** Whether the data of a stage has to outlive its stack. */
export function keepsData({ stage }: Settings): boolean {
  return stage === PRODUCTION
}

/** A name for each stage, so that several can be in one account. */
export function stackName({ stage }: Settings): string {
  return stage === PRODUCTION ? 'JokeService' : `JokeService-${stage}`
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
