/** Alarms and dashboard of CloudFront and the firewall, whose metrics are in us-east-1 only. */
import { Duration } from 'aws-cdk-lib'
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront'
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import { Alarms, addDashboard, TOO_MANY, tooManyFailed } from '../monitoring.ts'
import type { Settings } from '../settings.ts'
import type { Firewall } from './firewall.ts'

export class PageMonitoring extends Construct {
  constructor(scope: Construct, id: string, distribution: Distribution, acl: Firewall, settings: Settings) {
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
    new Alarms(this, 'Alarms', settings).add('Page failing', {
      severity: 'wake',
      means: `In 5 minutes, CloudFront answered too many requests with 5xx: ${TOO_MANY}.`,
      metric: tooManyFailed({ requests: { requests, failed } }, period),
    })
    addDashboard(this)
      .monitorCloudFrontDistribution({ distribution, humanReadableName: 'CloudFront', additionalMetricsEnabled: false })
      .monitorWebApplicationFirewallAclV2({ acl, humanReadableName: 'Firewall' })
  }
}
