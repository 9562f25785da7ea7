/**
 * The settings of each stage. To change what is deployed, edit this file, commit it, and run
 * `npx cdk deploy -c stage=NAME`.
 */
import * as v from 'valibot'

/** `prod` is the stack JokeService. Every other NAME is the stack JokeService-NAME, whose jokes are deleted with it. */
export const STAGES: Record<string, StageSettings> = {
  /** The stage of `cdk` commands that name none. */
  dev: {},
  /** GitHub deploys it before production. */
  staging: {},
  /** Set at least account, region, alarmEmail and approval. */
  prod: {},
}

const Settings = v.strictObject({
  /**
   * Account and region of the stack. By default those of your shell, so that somebody else's shell would create a second,
   * empty service.
   */
  account: v.optional(v.pipe(v.string(), v.regex(/^\d{12}$/))),
  region: v.optional(v.string()),

  /** Receives the alarms. A stage without it has none. */
  alarmEmail: v.optional(v.pipe(v.string(), v.email())),

  /** Dollars a month for the whole account. `alarmEmail` hears of 80% and 100%, and if 100% are forecast. */
  monthlyBudget: v.optional(v.pipe(v.number(), v.minValue(1))),

  /** `writes` stops adding and upvoting, `everything` all requests. They get 503 until a deploy without this setting. */
  paused: v.optional(v.picklist(['writes', 'everything'])),

  /** `on`: new jokes wait until an operator approves them. Without it they don't, and production warns you. */
  approval: v.optional(v.picklist(['on', 'off'])),

  /** Requests a second that all clients together may send. A burst may be twice as large. */
  createRate: rate(2),
  listRate: rate(50),
  /** DynamoDB takes 71 upvotes a second of the longest jokes, and several hundred of typical ones. */
  thumbsUpRate: rate(25),
  /** Views of the page, and as many of its other files. */
  pageRate: rate(25),

  /** Where people report jokes, such as `mailto:jokes@example.com`. */
  contact: v.optional(v.pipe(v.string(), v.url())),

  /**
   * Your own domain, and its certificate of AWS Certificate Manager in the region of the stack. After the deploy, point a
   * CNAME record at the output `DomainTarget`, or an alias in Route 53, which also asks for `DomainHostedZone`.
   */
  domain: v.optional(v.strictObject({ name: v.string(), certificateArn: v.string() })),
})

export const StageSettings = v.pipe(
  Settings,
  v.check((chosen) => !chosen.monthlyBudget || chosen.alarmEmail !== undefined, 'monthlyBudget needs alarmEmail.'),
)
export type StageSettings = v.InferInput<typeof StageSettings>

function rate(byDefault: number) {
  return v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), byDefault)
}
