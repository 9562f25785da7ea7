/** The settings of each stage, and what each setting means. Commit your changes, because the next deploy needs them. */
import * as v from 'valibot'

/** `-c stage=NAME` chooses a stage. A stage that is not listed here has the defaults. */
export const STAGES: Record<string, StageSettings> = {
  /** The default, where a mistake costs little. */
  dev: {},
  /** Deployed from GitHub before production. */
  staging: {},
  /** Production, whose table outlives its stack. Set at least account, region, alarmEmail and repository. */
  prod: {},
}

/** Requests a second that API Gateway accepts from an account in every region. */
const MAX_RATE = 2_500

/** Numbers of days that CloudWatch accepts, up to a year. */
const LOG_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365] as const

export const StageSettings = v.strictObject({
  /** The account of the stack. By default that of the credentials, so that others would make a second, empty service. */
  account: v.optional(text(/^\d{12}$/, 'must be an account number of 12 digits')),

  /** The region of the stack, such as `eu-west-1`. By default that of the shell. */
  region: v.optional(text(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region such as eu-west-1')),

  /** Receives alarms and warnings about costs. Only with it, a stage besides `prod` has alarms and a dashboard. */
  alarmEmail: v.optional(v.pipe(v.string(), v.email('must be an e-mail address'))),

  /** URL of this repository, for the links in alarms. */
  repository: v.optional(text(/^https:\/\/\S+[^/]$/, 'must be a URL that begins with https:// and does not end in /')),

  /** Dollars a month for the whole account. `alarmEmail` hears of 80% and 100%, and if 100% are forecast. */
  monthlyBudget: v.optional(wholeNumber(1, 1_000_000)),

  /** Where people report jokes, such as `mailto:jokes@example.com`. */
  contact: v.optional(text(/^(https:\/\/|mailto:\S+@)\S+$/, 'must be a URL that begins with https:// or mailto:')),

  /** `on`: new jokes wait until `bin/jokes approve` lists them. */
  approval: v.optional(v.picklist(['on', 'off'], 'must be on or off'), 'off'),

  /** Jokes that all clients together may add a second. Each throttle accepts bursts of twice its rate, at most 1,250. */
  createRate: v.optional(wholeNumber(1, 100), 2),

  /** Listings a second. Above half of this for an hour, the alarm *Traffic high* fires. */
  listRate: v.optional(wholeNumber(1, MAX_RATE), 50),

  /** Upvotes a second. A partition of the index takes 60 of the longest jokes, with room for new jokes. */
  thumbsUpRate: v.optional(wholeNumber(1, 60), 25),

  /** Views of the page a second, and as many of its other files. */
  pageRate: v.optional(wholeNumber(1, MAX_RATE), 25),

  /** Requests that each function may work on at once. Set it if other functions share the account. */
  reservedConcurrency: v.optional(wholeNumber(1, 10_000)),

  /** Days for which logs are kept, with the IP addresses in them. */
  logRetentionDays: v.optional(v.picklist(LOG_DAYS, `must be one of ${LOG_DAYS.join(', ')}`), 30),

  /** Your own domain, and its certificate in the region of the stack: docs/deploying.md#your-own-domain. */
  domain: v.optional(
    v.strictObject({
      name: v.pipe(v.string(), v.domain('must be a domain name')),
      certificateArn: text(
        /^arn:[a-z-]+:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
        'must be the ARN of a certificate',
      ),
    }),
  ),
})
export type StageSettings = v.InferInput<typeof StageSettings>

function text(pattern: RegExp, message: string) {
  return v.pipe(v.string(), v.regex(pattern, message))
}

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message))
}
