/** Alarms and a budget that notify operators. docs/operations.md explains each alarm. */
import { Annotations, Duration, Stack } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { Alarms, TWO_OF_THREE } from './alarms.ts'
import { drawDashboard, type Monitored } from './dashboard.ts'
import type { JokeApi } from './jokeApi.ts'
import type { RouteFunction } from './serviceFunction.ts'

const HOUR = Duration.hours(1)
const FIVE_MINUTES = Duration.minutes(5)

/** Settings that a stage with alarms should have. */
const EXPECTED = ['account', 'region', 'alarmEmail', 'repository'] as const

export class Monitoring extends Construct {
  readonly alarms: Alarms

  constructor(scope: Construct, id: string, monitored: Monitored, settings: Settings) {
    super(scope, id)
    const { api, functions } = monitored
    this.alarms = new Alarms(this, 'Alarms', settings)
    this.watchFailures(api)
    const refused = this.watchTraffic(api, settings)
    const added = this.watchAdded(api)
    const loads = this.watchCache(functions.List)
    this.watchBill(settings)
    this.warnOfMissing(settings)
    drawDashboard(this, this.alarms, monitored, { refused, added, loads })
  }

  private watchFailures(api: JokeApi): void {
    this.alarms.add('Requests failing', {
      severity: 'wake',
      means: 'At least 3 requests in 5 minutes failed, and at least 0.1% of all.',
      metric: new MathExpression({
        label: 'Too many failed',
        // Without a failure, `failed` has no value, which would leave the whole expression without one.
        expression: 'IF(FILL(failed,0) >= 3 && FILL(failed,0) >= 0.001 * FILL(requests,0), 1, 0)',
        usingMetrics: { failed: api.metric('5xx'), requests: api.metric('Count') },
        period: FIVE_MINUTES,
      }),
      // Metrics may be minutes late. An alarm of a single period would see only the zeros of `FILL`.
      datapointsToAlarm: 2,
      evaluationPeriods: 4,
    })
    this.alarms.add('Requests slow', {
      severity: 'tomorrow',
      means: 'The slowest 1% of requests took longer than 2 seconds.',
      metric: new MathExpression({
        label: 'Slowest 1%',
        // A single cold start may be 1% of fewer requests. CloudWatch's own option ignores fewer than 1,000.
        expression: 'IF(requests >= 100, p99, 0)',
        usingMetrics: { requests: api.metric('Count'), p99: api.metric('Latency', Stats.percentile(99)) },
        period: FIVE_MINUTES,
      }),
      // Far above the slowest search. A cold start with many jokes may exceed it.
      threshold: 2_000,
      ...TWO_OF_THREE,
    })
  }

  /** Returns the number of requests that a throttle refused. */
  private watchTraffic(api: JokeApi, { listRate }: Settings): Metric {
    this.alarms.add('Traffic high', {
      severity: 'tomorrow',
      means: 'In an hour, the API got half of the requests that the throttle of listings accepts, which cost money.',
      // This count includes requests without a route, such as preflights.
      metric: api.metric('Count').with({ period: HOUR }),
      threshold: 0.5 * listRate * HOUR.toSeconds(),
    })
    // API Gateway has no metric of its own for these.
    const refused = this.metricOf('Refused', api.accessLog, FilterPattern.stringValue('$.status', '=', '429'))
    this.alarms.add('Requests refused', {
      severity: 'tomorrow',
      means: 'In an hour, throttles refused many requests.',
      metric: refused.with({ period: HOUR }),
      // More than clients cause that wait after a 429.
      threshold: 500,
    })
    return refused
  }

  /** Returns the number of jokes added. */
  private watchAdded({ accessLog }: JokeApi): Metric {
    const isAdded = FilterPattern.all(
      FilterPattern.stringValue('$.routeKey', '=', routeKeyOf('Create')),
      FilterPattern.stringValue('$.status', '=', '201'),
    )
    const added = this.metricOf('Added', accessLog, isAdded)
    this.alarms.add('Many jokes added', {
      severity: 'wake',
      means: 'In an hour, many jokes were added.',
      metric: added.with({ period: HOUR }),
      // More than people add, fewer than a script adds.
      threshold: 100,
    })
    return added
  }

  /**
   * Watches the jokes in memory, whose size the function logs after each load. Only a new container loads, so the alarms
   * look at hours. Returns how long the slowest load took.
   */
  private watchCache({ logGroup }: RouteFunction): Metric {
    const isTruncated = FilterPattern.booleanValue('$.message.isTruncated', true)
    this.alarms.add('Jokes left out', {
      severity: 'wake',
      means: 'A function had no room for all jokes, so listings leave some out.',
      metric: this.metricOf('LeftOut', logGroup, isTruncated).with({ period: HOUR }),
      evaluationPeriods: 6,
    })
    const isLarge = FilterPattern.any(
      FilterPattern.numberValue('$.message.jokes', '>=', 50_000),
      FilterPattern.numberValue('$.message.bytes', '>=', 128 * 2 ** 20),
    )
    this.alarms.add('Many jokes', {
      severity: 'tomorrow',
      means: 'There are 50,000 jokes, for which the service is made, or they take 128 MB, half of the bound.',
      metric: this.metricOf('ManyJokes', logGroup, isLarge).with({ period: HOUR }),
      evaluationPeriods: 24,
    })
    const milliseconds = '$.message.milliseconds'
    const isLoad = FilterPattern.numberValue(milliseconds, '>=', 0)
    return this.metricOf('LoadMilliseconds', logGroup, isLoad, milliseconds).with({ statistic: Stats.MAXIMUM })
  }

  /** Returns a metric of the log lines that a pattern selects: their number, or the sum of a number in them. */
  private metricOf(metricName: string, logGroup: ILogGroup, filterPattern: IFilterPattern, metricValue = '1'): Metric {
    const metricNamespace = Stack.of(this).stackName
    const filter = { logGroup, filterPattern, metricNamespace, metricName, metricValue }
    return new MetricFilter(this, metricName, filter).metric({ statistic: Stats.SUM })
  }

  private warnOfMissing(settings: Settings): void {
    const missing = EXPECTED.filter((name) => settings[name] === undefined).join(', ')
    const advice = `Set ${missing} of ${settings.stage}. infra/stages.ts says what each is for.`
    if (missing) Annotations.of(this).addWarningV2('joke-service:missing', advice)
  }

  private watchBill({ alarmEmail, monthlyBudget }: Settings): void {
    if (alarmEmail !== undefined && monthlyBudget !== undefined)
      new CfnBudget(this, 'Budget', {
        // The budget has no name, because CloudFormation replaces it when the address changes.
        budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount: monthlyBudget, unit: 'USD' } },
        notificationsWithSubscribers: [
          { notificationType: 'FORECASTED', threshold: 100 },
          { notificationType: 'ACTUAL', threshold: 80 },
          { notificationType: 'ACTUAL', threshold: 100 },
        ].map((when) => ({
          notification: { ...when, comparisonOperator: 'GREATER_THAN' },
          subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
        })),
      })
  }
}
