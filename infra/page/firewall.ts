/** The web firewall (AWS WAF) in front of the page and the API. */
import { Stack } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'

/** Limit for all requests, ten a second: more than the fastest reader sends, less than a flood. */
const REQUESTS_IN_FIVE_MINUTES = 3_000

/** Limit for new jokes and upvotes, one a second: more than any person sends. */
const WRITES_IN_FIVE_MINUTES = 300

/** Limit for files of the API reference, a hundred times as large as others. Enough for thirty people. */
const DOCS_IN_FIVE_MINUTES = 150

/** Limit for new jokes: a tenth of the route's default throttle. */
const NEW_JOKES_IN_FIVE_MINUTES = 60

/**
 * Rules that only count, because jokes and searches may contain code. The group's other rules look at paths, headers and
 * methods. AWS's common rule set is not used, because it blocks queries of more than 2,048 bytes. A long search with a
 * cursor is longer.
 */
const COUNTED_RULES = [
  'JavaDeserializationRCE_BODY',
  'JavaDeserializationRCE_QUERYSTRING',
  'Log4JRCE_BODY',
  'Log4JRCE_QUERYSTRING',
  'ReactJSRCE_BODY',
]

export class Firewall extends CfnWebACL {
  /** Counts of blocked requests: of all rules together, then of each rule. */
  readonly blocked: Metric[]

  constructor(scope: Construct, id: string) {
    // The metrics have this name, so it must differ between stages.
    const name = Stack.of(scope).stackName
    const isPost = matches({ method: {} }, 'EXACTLY', 'POST', ['NONE'])
    const rules = [
      rate('RatePerAddress', REQUESTS_IN_FIVE_MINUTES),
      rate('WritesPerAddress', WRITES_IN_FIVE_MINUTES, isPost),
      rate('HeavyPerAddress', DOCS_IN_FIVE_MINUTES, hasPath('/docs')),
      rate('JokesPerAddress', NEW_JOKES_IN_FIVE_MINUTES, { andStatement: { statements: [isPost, hasPath('/joke')] } }),
      managed('AWSManagedRulesAmazonIpReputationList'),
      managed('AWSManagedRulesKnownBadInputsRuleSet', COUNTED_RULES),
    ]
    super(scope, id, {
      name,
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(name),
      rules: rules.map((rule, priority) => ({ ...rule, priority, visibilityConfig: visibility(rule.name) })),
    })
    this.blocked = ['ALL', ...rules.map((rule) => rule.name)].map(
      (Rule) =>
        new Metric({
          namespace: 'AWS/WAFV2',
          metricName: 'BlockedRequests',
          dimensionsMap: { WebACL: name, Rule },
          statistic: Stats.SUM,
          label: Rule,
        }),
    )
  }
}

/** Blocks an IP address after `limit` requests in five minutes. A statement restricts what is counted. */
function rate(name: string, limit: number, scopeDownStatement?: CfnWebACL.StatementProperty) {
  return {
    name,
    statement: {
      rateBasedStatement: { aggregateKeyType: 'IP', limit, ...(scopeDownStatement && { scopeDownStatement }) },
    },
    action: {
      block: {
        customResponse: {
          responseCode: 429,
          responseHeaders: [
            { name: 'retry-after', value: '60' },
            // Scripts of other origins can read only responses with CORS headers, which CloudFront does not add here.
            { name: 'access-control-allow-origin', value: '*' },
            { name: 'access-control-expose-headers', value: 'retry-after' },
          ],
        },
      },
    },
  }
}

/** Matches paths that begin with `start`, even if they are encoded, as in `/%64ocs`, or have segments such as `/./`. */
function hasPath(start: string): CfnWebACL.StatementProperty {
  return matches({ uriPath: {} }, 'STARTS_WITH', start, ['URL_DECODE', 'NORMALIZE_PATH'])
}

function matches(fieldToMatch: object, positionalConstraint: string, searchString: string, transformations: string[]) {
  const textTransformations = transformations.map((type, priority) => ({ priority, type }))
  return { byteMatchStatement: { fieldToMatch, positionalConstraint, searchString, textTransformations } }
}

/** A group of rules that AWS maintains. The rules in `onlyCounted` block nothing. */
function managed(name: string, onlyCounted: string[] = []) {
  const ruleActionOverrides = onlyCounted.map((rule) => ({ name: rule, actionToUse: { count: {} } }))
  return {
    name,
    statement: { managedRuleGroupStatement: { vendorName: 'AWS', name, ruleActionOverrides } },
    overrideAction: { none: {} },
  }
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true }
}
