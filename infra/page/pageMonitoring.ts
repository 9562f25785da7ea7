/** Alarms and a dashboard for CloudFront and the firewall. Their metrics are in us-east-1 only. */
import { Duration } from 'aws-cdk-lib'
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront'
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import { Alarms, addDashboard, IN_TWO_OF_THREE, TOO_MANY, TWO_OF_THREE, tooManyFailed } from '../monitoring.ts'
import type { Settings } from '../settings.ts'
import type { EdgeFunction } from './edgeFunction.ts'
import type { Firewall } from './firewall.ts'

/** Traffic in an hour that costs about as much as a usual month. */
const MANY_REQUESTS = 500_000
const MANY_BYTES = 10_000_000_000

export class PageMonitoring extends Construct {
  readonly alarms: Alarms

  constructor(
    scope: Construct,
    id: string,
    distribution: Distribution,
    firewall: Firewall,
    edgeFunction: EdgeFunction,
    settings: Settings,
  ) {
    super(scope, id)
    this.alarms = new Alarms(this, 'Alarms', settings)
    const distributionMetric = (metricName: string, statistic: string) =>
      cloudFrontMetric(metricName, statistic, { DistributionId: distribution.distributionId })
    const period = Duration.minutes(5)
    const requests = distributionMetric('Requests', Stats.SUM)
    const bytes = distributionMetric('BytesDownloaded', Stats.SUM)
    // CloudFront reports errors only as a percentage.
    const failed = new MathExpression({
      label: 'Answers of 5xx',
      expression: 'rate * all / 100',
      usingMetrics: { rate: distributionMetric('5xxErrorRate', Stats.AVERAGE), all: requests },
      period,
    })
    this.alarms.add('Page failing', {
      severity: 'wake',
      means: `${IN_TWO_OF_THREE} CloudFront answered too many requests with 5xx: ${TOO_MANY}.`,
      metric: tooManyFailed({ requests: { requests, failed } }, period),
      // CloudFront's metrics are late. An alarm that waits for one period would see only the zeros of `FILL`.
      ...TWO_OF_THREE,
    })
    this.alarms.add('Page traffic high', {
      severity: 'tomorrow',
      means: `In an hour, CloudFront got ${MANY_REQUESTS / 1_000},000 requests, or sent ${MANY_BYTES / 1e9} GB.`,
      metric: new MathExpression({
        label: 'Too much traffic',
        expression: `IF(FILL(requests,0) >= ${MANY_REQUESTS} || FILL(bytes,0) >= ${MANY_BYTES}, 1, 0)`,
        usingMetrics: { requests, bytes },
        period: Duration.hours(1),
      }),
    })
    const functionMetric = (metricName: string) =>
      cloudFrontMetric(metricName, Stats.SUM, { FunctionName: edgeFunction.functionName })
    addDashboard(this, this.alarms, {
      'How many requests come?': [requests],
      'How many bytes are sent?': [bytes],
      'Which part fails, in percent?': ['4xxErrorRate', '5xxErrorRate'].map((name) =>
        distributionMetric(name, Stats.AVERAGE),
      ),
      'What does the firewall block?': firewall.blocked,
      // A validation error is an invalid return value. A throttle means that the function took too long.
      'Does the function at CloudFront fail?': [
        'FunctionExecutionErrors',
        'FunctionValidationErrors',
        'FunctionThrottles',
      ].map(functionMetric),
    })
  }
}

function cloudFrontMetric(metricName: string, statistic: string, dimensions: Record<string, string>): Metric {
  return new Metric({
    namespace: 'AWS/CloudFront',
    metricName,
    statistic,
    dimensionsMap: { ...dimensions, Region: 'Global' },
  })
}
