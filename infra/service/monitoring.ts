/** Alarms and a budget that notify operators. docs/operations.md explains each alarm. */
import { Annotations, Duration, Stack } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { MathExpression, type Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { Alarms, IN_TWO_OF_THREE, TWO_OF_THREE } from './alarms.ts'
import { drawDashboard, type Monitored } from './dashboard.ts'
import type { JokeApi } from './jokeApi.ts'
import type { JokesTable } from './jokesTable.ts'
import { PROBE_PERIOD, Probe } from './probe.ts'
import type { RouteFunction } from './serviceFunction.ts'

const HOUR = Duration.hours(1)

/** An alarm fires at this many failures, if they are this share of all requests. Few requests add jokes, and may fail alone. */
const MIN_FAILURES = 3
const MIN_FAILURE_RATE = 0.001

/** Far above the slowest search. A cold start with many jokes may exceed it. */
const MAX_P99_LATENCY = Duration.seconds(2)

/** Among fewer requests in 5 minutes, the slowest 1% may be a single cold start. */
const MIN_REQUESTS_FOR_P99 = 100

/** An alarm fires at this share of the throttle of listings for an hour, because of what it costs. */
const BUSY_SHARE = 0.5

/** Refused requests in an hour at which an alarm fires: more than clients cause that wait after a 429. */
const MANY_REFUSED = 500

/** New jokes in an hour at which an alarm fires: more than people add, fewer than a script adds. */
const MANY_ADDED = 100

/** Jokes at which an alarm fires, because the service is made for so many, and half of their maximum size in memory. */
const MANY_JOKES = 50_000
const MANY_MEGABYTES = 64

/** Only a new container loads the jokes, so the next line of the log may come hours later. */
const HOURS_LEFT_OUT = 6
const HOURS_MANY_JOKES = 24

/** An alarm fires if jokes have waited for half a day. */
const MAX_HOURS_WAITING = 12

export class Monitoring extends Construct {
  readonly alarms: Alarms
  readonly probe: Probe

  constructor(scope: Construct, id: string, monitored: Monitored, settings: Settings) {
    super(scope, id)
    const { api, functions, jokes } = monitored
    this.alarms = new Alarms(this, 'Alarms', settings)
    this.watchFailures(api)
    const refused = this.watchTraffic(api, settings)
    const added = this.watchAdded(api)
    const loads = this.watchCache(functions.List)
    this.probe = this.watchProbe(api, jokes, settings)
    this.watchBill(settings)
    drawDashboard(this, this.alarms, monitored, { refused, added, loads })
  }

  private watchFailures(api: JokeApi): void {
    this.alarms.add('Requests failing', {
      severity: 'wake',
      means: `In 2 of the last 4 periods of 5 minutes, too many requests failed: at least ${MIN_FAILURES}, and at least ${100 * MIN_FAILURE_RATE}% of all.`,
      metric: new MathExpression({
        label: 'Too many failed',
        // Without a failure, `failed` has no value, which would leave the whole expression without one.
        expression: `IF(FILL(failed,0) >= ${MIN_FAILURES} && FILL(failed,0) >= ${MIN_FAILURE_RATE} * FILL(requests,0), 1, 0)`,
        usingMetrics: { failed: api.metric('5xx'), requests: api.metric('Count') },
        period: Duration.minutes(5),
      }),
      // Metrics may be minutes late. An alarm of a single period would see only the zeros of `FILL`.
      datapointsToAlarm: 2,
      evaluationPeriods: 4,
    })
    this.alarms.add('Requests slow', {
      severity: 'tomorrow',
      means: `${IN_TWO_OF_THREE} the slowest 1% of requests took longer than ${MAX_P99_LATENCY.toSeconds()} seconds.`,
      metric: new MathExpression({
        label: 'Slowest 1%',
        // CloudWatch's own option for few samples ignores percentiles of fewer than 1,000.
        expression: `IF(requests >= ${MIN_REQUESTS_FOR_P99}, p99, 0)`,
        usingMetrics: { requests: api.metric('Count'), p99: api.metric('Latency', Stats.percentile(99)) },
        period: Duration.minutes(5),
      }),
      threshold: MAX_P99_LATENCY.toMilliseconds(),
      ...TWO_OF_THREE,
    })
  }

  /** Returns the number of requests that a throttle refused. */
  private watchTraffic(api: JokeApi, { listRate }: Settings): Metric {
    this.alarms.add('Traffic high', {
      severity: 'tomorrow',
      means: `In an hour, the API got ${100 * BUSY_SHARE}% of the requests that the throttle of listings accepts.`,
      // This count includes requests without a route, such as preflights.
      metric: api.metric('Count').with({ period: HOUR }),
      threshold: BUSY_SHARE * listRate * HOUR.toSeconds(),
    })
    // API Gateway has no metric of its own for these.
    const refused = this.metricOf('Refused', api.accessLog, FilterPattern.stringValue('$.status', '=', '429'))
    this.alarms.add('Requests refused', {
      severity: 'tomorrow',
      means: `In an hour, throttles refused ${MANY_REFUSED} requests.`,
      metric: refused.with({ period: HOUR }),
      threshold: MANY_REFUSED,
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
      means: `In an hour, ${MANY_ADDED} jokes were added.`,
      metric: added.with({ period: HOUR }),
      threshold: MANY_ADDED,
    })
    return added
  }

  /** Watches the jokes in memory, whose size the function logs after each load. Returns how long the slowest load took. */
  private watchCache({ logGroup }: RouteFunction): Metric {
    const isTruncated = FilterPattern.booleanValue('$.message.isTruncated', true)
    this.alarms.add('Jokes left out', {
      severity: 'wake',
      means: 'A function had no room for all jokes, so listings leave some out.',
      metric: this.metricOf('LeftOut', logGroup, isTruncated).with({ period: HOUR }),
      evaluationPeriods: HOURS_LEFT_OUT,
    })
    const isLarge = FilterPattern.any(
      FilterPattern.numberValue('$.message.jokes', '>=', MANY_JOKES),
      FilterPattern.numberValue('$.message.bytes', '>=', MANY_MEGABYTES * 2 ** 20),
    )
    this.alarms.add('Many jokes', {
      severity: 'tomorrow',
      means: `There are ${MANY_JOKES} jokes, for which the service is made, or they take ${MANY_MEGABYTES} MB, half of the bound.`,
      metric: this.metricOf('ManyJokes', logGroup, isLarge).with({ period: HOUR }),
      evaluationPeriods: HOURS_MANY_JOKES,
    })
    const milliseconds = '$.message.milliseconds'
    const isLoad = FilterPattern.numberValue(milliseconds, '>=', 0)
    return this.metricOf('LoadMilliseconds', logGroup, isLoad, milliseconds).with({ statistic: Stats.MAXIMUM })
  }

  private watchProbe({ url }: JokeApi, jokes: JokesTable, settings: Settings): Probe {
    const probe = new Probe(this, 'Probe', url, jokes, settings)
    this.alarms.add('Probe failing', {
      severity: 'wake',
      means: `${IN_TWO_OF_THREE} the probe got a wrong response from service or page, or was not called.`,
      metric: probe.metricErrors({ period: PROBE_PERIOD }),
      ...TWO_OF_THREE,
      treatMissingData: TreatMissingData.BREACHING,
    })
    if (settings.approval !== 'on') return probe
    const waiting = '$.message.waiting'
    const isCount = FilterPattern.numberValue(waiting, '>=', 0)
    this.alarms.add('Jokes waiting', {
      severity: 'tomorrow',
      means: `For ${MAX_HOURS_WAITING} hours, jokes have waited for approval.`,
      metric: this.metricOf('Waiting', probe.logGroup, isCount, waiting).with({
        statistic: Stats.MINIMUM,
        period: HOUR,
      }),
      datapointsToAlarm: MAX_HOURS_WAITING,
      evaluationPeriods: MAX_HOURS_WAITING,
    })
    return probe
  }

  /** Returns a metric of the log lines that a pattern selects: their number, or the sum of a number in them. */
  private metricOf(metricName: string, logGroup: ILogGroup, filterPattern: IFilterPattern, metricValue = '1'): Metric {
    const metricNamespace = Stack.of(this).stackName
    const filter = { logGroup, filterPattern, metricNamespace, metricName, metricValue }
    return new MetricFilter(this, metricName, filter).metric({ statistic: Stats.SUM })
  }

  private watchBill({ account, alarmEmail, monthlyBudget, region, repository, stage }: Settings): void {
    const warn = (name: string, fault: string, setting: string) =>
      Annotations.of(this).addWarningV2(
        `joke-service:${name}`,
        `${fault} Set ${setting} of ${stage} in infra/stages.ts.`,
      )
    if (repository === undefined) warn('repository', 'Links in alarms lead nowhere.', 'repository')
    if (account === undefined || region === undefined)
      warn('region', 'Other credentials would deploy a second, empty service.', 'account and region')
    if (alarmEmail === undefined) warn('alarmEmail', 'Nobody will be notified of alarms and costs.', 'alarmEmail')
    else if (monthlyBudget !== undefined)
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
