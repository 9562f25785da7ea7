/** The web firewall (AWS WAF) in front of the page and the API. */
import { Stack } from 'aws-cdk-lib'
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'

/** Ten a second for five minutes: more than the fastest reader, less than a flood. */
const REQUESTS_IN_FIVE_MINUTES = 3_000

/** Adding and voting: one a second for five minutes, more than any person does. */
const WRITES_IN_FIVE_MINUTES = 300

/** Of the API reference, whose files are a hundred times as large as other ones: thirty people behind one address. */
const HEAVY_IN_FIVE_MINUTES = 150

/**
 * The rules that look for code in bodies and queries, where a joke or a search may contain it without harm. The group's
 * other rules look at paths, headers and methods. AWS's common rule set is not used: it blocks queries of more than 2,048
 * bytes, which a long search with a cursor takes.
 */
const RULES_ABOUT_TEXTS = [
  'JavaDeserializationRCE_BODY',
  'JavaDeserializationRCE_QUERYSTRING',
  'Log4JRCE_BODY',
  'Log4JRCE_QUERYSTRING',
  'ReactJSRCE_BODY',
]

export class Firewall extends CfnWebACL {
  constructor(scope: Construct, id: string) {
    // Its metrics have this name, so it must differ between stages.
    const name = Stack.of(scope).stackName
    super(scope, id, {
      name,
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(name),
      rules: [
        rate('RatePerAddress', REQUESTS_IN_FIVE_MINUTES),
        rate('WritesPerAddress', WRITES_IN_FIVE_MINUTES, matches({ method: {} }, 'EXACTLY', 'POST')),
        rate('HeavyPerAddress', HEAVY_IN_FIVE_MINUTES, matches({ uriPath: {} }, 'STARTS_WITH', '/docs')),
        managed('AWSManagedRulesAmazonIpReputationList'),
        managed('AWSManagedRulesKnownBadInputsRuleSet', RULES_ABOUT_TEXTS),
      ].map((rule, priority) => ({ ...rule, priority, visibilityConfig: visibility(rule.name) })),
    })
  }
}

/** Blocks an address after this many requests in five minutes; counts only those that match the statement, if any. */
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
            // CloudFront adds no CORS headers to a firewall's answer, and scripts of other origins need them to read it.
            { name: 'access-control-allow-origin', value: '*' },
            { name: 'access-control-expose-headers', value: 'retry-after' },
          ],
        },
      },
    },
  }
}

function matches(fieldToMatch: object, positionalConstraint: string, searchString: string) {
  const textTransformations = [{ priority: 0, type: 'NONE' }]
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
