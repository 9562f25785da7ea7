/** Alarms and dashboard of CloudFront and the firewall, whose metrics are in us-east-1 only. */
import { Duration, Stack } from 'aws-cdk-lib'
import { Distribution } from 'aws-cdk-lib/aws-cloudfront'
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { MonitoringFacade } from 'cdk-monitoring-constructs'
import { Construct } from 'constructs'
import { Alarms, failureRate, TOO_MANY } from '../alarms.ts'
import type { Settings } from '../settings.ts'
import type { Firewall } from './firewall.ts'

/** So many blocked requests in five minutes mean a flood, or a rule that blocks people. */
const MANY_BLOCKED = 1_000

export class PageMonitoring extends Construct {
  constructor(scope: Construct, id: string, distribution: Distribution, { acl }: Firewall, settings: Settings) {
    super(scope, id)
    const ofDistribution = (metricName: string, statistic: string) =>
      new Metric({
        namespace: 'AWS/CloudFront',
        metricName,
        statistic,
        dimensionsMap: { DistributionId: distribution.distributionId, Region: 'Global' },
      })
    const period = Duration.minutes(5)
    const requests = ofDistribution('Requests', Stats.SUM)
    // CloudFront reports errors only as a percentage.
    const failed = new MathExpression({
      label: 'Answers of 5xx',
      expression: 'rate * all / 100',
      usingMetrics: { rate: ofDistribution('5xxErrorRate', Stats.AVERAGE), all: requests },
      period,
    })
    const alarms = new Alarms(this, 'Alarms', settings)
    alarms.add('Page failing', {
      means: `In 5 minutes, CloudFront answered too many requests with 5xx: ${TOO_MANY}.`,
      metric: failureRate(requests, failed, period),
    })
    alarms.add('Firewall blocking', {
      means: `In 5 minutes, the firewall blocked ${MANY_BLOCKED.toLocaleString('en')} requests.`,
      metric: new Metric({
        namespace: 'AWS/WAFV2',
        metricName: 'BlockedRequests',
        statistic: Stats.SUM,
        period,
        dimensionsMap: { WebACL: Stack.of(acl).stackName, Rule: 'ALL' },
      }),
      threshold: MANY_BLOCKED,
    })
    new MonitoringFacade(this, Stack.of(this).stackName)
      .monitorCloudFrontDistribution({
        // Imported by name: the library's types reject the construct under `exactOptionalPropertyTypes`.
        distribution: Distribution.fromDistributionAttributes(this, 'Distribution', {
          distributionId: distribution.distributionId,
          domainName: distribution.distributionDomainName,
        }),
        humanReadableName: 'CloudFront',
        additionalMetricsEnabled: false,
      })
      .monitorWebApplicationFirewallAclV2({ acl, humanReadableName: 'Firewall' })
  }
}
