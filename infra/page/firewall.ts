/** The web firewall (AWS WAF) of CloudFront. It limits what CloudFront sends, because CloudFront has no throttle. */
import { Stack } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'

/** Limit for all requests, ten a second: more than the fastest reader sends, less than a flood. */
const REQUESTS_IN_FIVE_MINUTES = 3_000

/** Limit for files of the API reference, a hundred times as large as others. Enough for thirty people. */
const DOCS_IN_FIVE_MINUTES = 150

/** Matches paths that begin with `/docs`, even if they are encoded, as in `/%64ocs`, or have segments such as `/./`. */
const IS_FOR_DOCS = {
  byteMatchStatement: {
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'STARTS_WITH',
    searchString: '/docs',
    textTransformations: ['URL_DECODE', 'NORMALIZE_PATH'].map((type, priority) => ({ priority, type })),
  },
}

export class Firewall extends CfnWebACL {
  /** Counts of blocked requests: of all rules together, then of each rule. */
  readonly blocked: Metric[]

  constructor(scope: Construct, id: string) {
    // The metrics have this name, so it must differ between stages.
    const name = Stack.of(scope).stackName
    const rules = [
      rate('RatePerAddress', REQUESTS_IN_FIVE_MINUTES),
      rate('DocsPerAddress', DOCS_IN_FIVE_MINUTES, IS_FOR_DOCS),
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

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true }
}
