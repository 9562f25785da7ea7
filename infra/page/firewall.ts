/** The web firewall in front of page and API. */
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import { Construct } from 'constructs'

/** Ten a second for five minutes: more than the fastest reader and typist, less than a flood. */
const REQUESTS_IN_FIVE_MINUTES = 3_000

export class Firewall extends Construct {
  /** What a CloudFront distribution refers to it by. */
  readonly arn: string

  constructor(scope: Construct, id: string) {
    super(scope, id)
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('JokePage'),
      rules: [
        {
          name: 'RatePerAddress',
          priority: 0,
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: REQUESTS_IN_FIVE_MINUTES } },
          action: {
            block: {
              customResponse: { responseCode: 429, responseHeaders: [{ name: 'retry-after', value: '60' }] },
            },
          },
          visibilityConfig: visibility('RatePerAddress'),
        },
        managed(1, 'AWSManagedRulesAmazonIpReputationList'),
        managed(2, 'AWSManagedRulesKnownBadInputsRuleSet'),
        managed(3, 'AWSManagedRulesCommonRuleSet', [
          // It stops at 8 kB; a joke of 4,000 characters may take more.
          'SizeRestrictions_BODY',
          // Jokes may hold HTML: they are shown as text.
          'CrossSiteScripting_BODY',
        ]),
      ],
    })
    this.arn = acl.attrArn
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
