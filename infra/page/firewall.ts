/** The web firewall in front of page and API. */
import { Stack } from 'aws-cdk-lib'
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'

/** Ten a second for five minutes: more than the fastest reader, less than a flood. */
const REQUESTS_IN_FIVE_MINUTES = 3_000

/** Adding and voting: one a second for five minutes, more than a person does. */
const WRITES_IN_FIVE_MINUTES = 300

/**
 * What these rules look for may stand in a joke or a search, where it does no harm: no text is ever run. The group's
 * other rules look at paths, headers and methods. There is no rule of AWS's common set: it refuses queries of more than
 * 2,048 bytes, which 100 ids or a long cursor take.
 */
const RULES_ABOUT_TEXTS = [
  'JavaDeserializationRCE_BODY',
  'JavaDeserializationRCE_QUERYSTRING',
  'Log4JRCE_BODY',
  'Log4JRCE_QUERYSTRING',
  'ReactJSRCE_BODY',
]

export class Firewall extends Construct {
  readonly acl: CfnWebACL

  constructor(scope: Construct, id: string) {
    super(scope, id)
    // Its metrics go by this name, which must tell stages apart.
    const name = Stack.of(this).stackName
    this.acl = new CfnWebACL(this, 'WebAcl', {
      name,
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(name),
      rules: [
        rate(0, 'RatePerAddress', REQUESTS_IN_FIVE_MINUTES),
        rate(1, 'WritesPerAddress', WRITES_IN_FIVE_MINUTES, {
          byteMatchStatement: {
            fieldToMatch: { method: {} },
            searchString: 'POST',
            positionalConstraint: 'EXACTLY',
            textTransformations: [{ priority: 0, type: 'NONE' }],
          },
        }),
        managed(2, 'AWSManagedRulesAmazonIpReputationList'),
        managed(3, 'AWSManagedRulesKnownBadInputsRuleSet', RULES_ABOUT_TEXTS),
      ],
    })
  }
}

/** Refuses the requests of one address, those that are meant, beyond so many in five minutes. */
function rate(
  priority: number,
  name: string,
  limit: number,
  scopeDownStatement?: CfnWebACL.StatementProperty,
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: {
      rateBasedStatement: { aggregateKeyType: 'IP', limit, ...(scopeDownStatement && { scopeDownStatement }) },
    },
    action: {
      block: {
        customResponse: {
          responseCode: 429,
          responseHeaders: [
            { name: 'retry-after', value: '60' },
            // Else scripts of other origins cannot see what happened. CloudFront adds nothing to a firewall's answer.
            { name: 'access-control-allow-origin', value: '*' },
            { name: 'access-control-expose-headers', value: 'retry-after' },
          ],
        },
      },
    },
    visibilityConfig: visibility(name),
  }
}

/** Rules that AWS maintains; those named only count what they find. */
function managed(priority: number, name: string, onlyCounted: string[] = []): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: onlyCounted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    overrideAction: { none: {} },
    visibilityConfig: visibility(name),
  }
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true }
}
