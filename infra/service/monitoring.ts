/** Alarms and a budget that notify operators. docs/operations.md explains each alarm. */
import { Annotations, Duration, Stack } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { MathExpression, type Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { Alarms, IN_TWO_OF_THREE, TWO_OF_THREE } from './alarms.ts'
import { drawDashboard, type Monitored } from './dashboard.ts'
import type { JokeApi } from './jokeApi.ts'
import type { JokesTable } from './jokesTable.ts'
import { PROBE_PERIOD, Probe } from './probe.ts'
import type { RouteFunction } from './serviceFunction.ts'

/** An alarm fires at this many failures, if they are this share of all requests. Few requests add jokes, and may fail alone. */
const MIN_FAILURES = 3
const MIN_FAILURE_RATE = 0.001

/** Far above the slowest search. A cold start with many jokes may exceed it. */
const MAX_P99_LATENCY = Duration.seconds(2)

/** An alarm fires at this share of the throttle of listings for an hour, because of what it costs. */
const BUSY_SHARE = 0.5

/** New jokes in an hour at which an alarm fires: more than people add, fewer than a script adds. */
const MANY_ADDED = 100

/** Jokes at which an alarm fires. The service is made for so many, and memory has room for some more. */
const MANY_JOKES = 50_000

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
    this.watchTraffic(api, settings)
    const added = this.watchAdded(api)
    const loads = this.watchCollection(functions.List)
    this.probe = this.watchProbe(api, jokes, settings)
    this.watchBill(settings)
    drawDashboard(this, this.alarms, monitored, { added, loads })
  }

  private watchFailures(api: JokeApi): void {
    this.alarms.add('Requests failing', {
      severity: 'wake',
      means: `In 2 of the last 4 periods of 5 minutes, too many requests failed: at least ${MIN_FAILURES}, and at least ${100 * MIN_FAILURE_RATE} % of all.`,
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
      means: `${IN_TWO_OF_THREE} the slowest 1 % of requests took longer than ${MAX_P99_LATENCY.toSeconds()} seconds.`,
      metric: api.metric('Latency', Stats.percentile(99)),
      threshold: MAX_P99_LATENCY.toMilliseconds(),
      ...TWO_OF_THREE,
    })
  }

  private watchTraffic(api: JokeApi, { listRate }: Settings): void {
    const period = Duration.hours(1)
    this.alarms.add('Traffic high', {
      severity: 'tomorrow',
      means: `In an hour, the API got ${100 * BUSY_SHARE} % of the requests that the throttle of listings accepts.`,
      // This count includes requests without a route, such as preflights.
      metric: api.metric('Count').with({ period }),
      threshold: BUSY_SHARE * listRate * period.toSeconds(),
    })
  }

  /** Returns the number of jokes added. */
  private watchAdded({ accessLog }: JokeApi): Metric {
    const added = new MetricFilter(this, 'Added', {
      logGroup: accessLog,
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue('$.routeKey', '=', routeKeyOf('Create')),
        FilterPattern.stringValue('$.status', '=', '201'),
      ),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'Added',
    }).metric({ statistic: Stats.SUM })
    this.alarms.add('Many jokes added', {
      severity: 'wake',
      means: `In an hour, ${MANY_ADDED} jokes were added.`,
      metric: added.with({ period: Duration.hours(1) }),
      threshold: MANY_ADDED,
    })
    return added
  }

  /** Watches the jokes in memory, whose size the function logs after each load. Returns how long loads take. */
  private watchCollection({ logGroup }: RouteFunction): Metric {
    const metricOf = (name: string, metricValue: string, filterPattern = FilterPattern.exists(metricValue)) =>
      new MetricFilter(this, name, {
        logGroup,
        filterPattern,
        metricNamespace: Stack.of(this).stackName,
        metricName: name,
        metricValue,
      }).metric({ statistic: Stats.MAXIMUM })
    this.alarms.add('Jokes left out', {
      severity: 'wake',
      means: 'A function had no room for all jokes, so listings leave out the newest ones.',
      metric: metricOf('CacheTruncated', '1', FilterPattern.booleanValue('$.message.isTruncated', true)),
    })
    this.alarms.add('Many jokes', {
      severity: 'tomorrow',
      means: `There are ${MANY_JOKES} jokes, for which the service is made.`,
      metric: metricOf('Jokes', '$.message.jokes').with({ period: Duration.hours(1) }),
      threshold: MANY_JOKES,
    })
    return metricOf('LoadMilliseconds', '$.message.milliseconds').with({ label: 'slowest' })
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
    const waiting = new MetricFilter(this, 'Waiting', {
      logGroup: probe.logGroup,
      filterPattern: FilterPattern.numberValue('$.message.waiting', '>=', 0),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'Waiting',
      metricValue: '$.message.waiting',
    })
    this.alarms.add('Jokes waiting', {
      severity: 'tomorrow',
      means: `For ${MAX_HOURS_WAITING} hours, jokes have waited for approval.`,
      metric: waiting.metric({ statistic: Stats.MINIMUM, period: Duration.hours(1) }),
      datapointsToAlarm: MAX_HOURS_WAITING,
      evaluationPeriods: MAX_HOURS_WAITING,
    })
    return probe
  }

  private watchBill({ account, alarmEmail, monthlyBudget, region, repository }: Settings): void {
    const warn = (name: string, text: string) => Annotations.of(this).addWarningV2(`joke-service:${name}`, text)
    if (repository === undefined)
      warn('repository', 'Links in alarms lead nowhere. Set repository, the URL of this repository, in cdk.json.')
    if (account === undefined || region === undefined)
      warn('region', 'Other credentials would deploy a second, empty service. Set account and region in cdk.json.')
    if (alarmEmail === undefined)
      warn('alarmEmail', 'Nobody will be notified of alarms and costs. Set alarmEmail for prod in cdk.json.')
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
