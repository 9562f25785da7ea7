/** What notifies an operator: alarms and a budget. docs/operations.md explains each alarm. */
import { Annotations, Duration, Stack } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { type Alarm, MathExpression, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { Alarms, failureRate, sum, TOO_MANY } from '../alarms.ts'
import { FUNCTION_NAMES, type FunctionName, mapFunctions, routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { drawDashboard, type Monitored } from './dashboard.ts'
import { rateOf } from './jokeApi.ts'
import { PROBE_PERIOD, Probe } from './probe.ts'

/** When a `lasting` alarm with periods of 5 minutes fires, in words. */
const OFTEN = 'In 2 of the last 3 periods of 5 minutes,'

/** Far above the slowest search, and below the 5 s after which the service gives up. A cold start may exceed it. */
const MAX_P99_LATENCY = Duration.seconds(2)

/** Answers of 429 in five minutes: more than one impatient client's burst. */
const MANY_REFUSED = 50

/** The alarm also fires at this part of a route's throttle: under heavy load, API Gateway does not log every 429. */
const NEAR_THROTTLE = 0.9

/** At this part of a route's throttle for an hour, somebody should know what it costs. */
const BUSY = 0.5

/** New jokes in an hour: more than people think of, fewer than a script or an import adds. */
const MANY_ADDED = 100

export class Monitoring extends Construct {
  readonly alarms: Alarms
  /** For each route, the alarm that rings within minutes when it fails. */
  readonly failing: Record<FunctionName, Alarm>
  readonly probe: Probe
  private readonly monitored: Monitored

  constructor(scope: Construct, id: string, monitored: Monitored, settings: Settings) {
    super(scope, id)
    this.monitored = monitored
    this.alarms = new Alarms(this, 'Alarms', settings)
    this.failing = mapFunctions((name) => this.watchRoute(name))
    this.watchLatency()
    this.watchTraffic(settings)
    const added = this.watchAdded()
    this.probe = this.watchProbe(settings)
    this.watchFunctions()
    this.watchBill(settings)
    drawDashboard(this, monitored, added)
  }

  /** Adds two alarms: one for failures in busy minutes, one for failures in quiet hours. Returns the first. */
  private watchRoute(name: FunctionName): Alarm {
    const { api } = this.monitored
    const tooMany = `too many requests to ${routeKeyOf(name)} failed: ${TOO_MANY}.`
    const failed = (period: Duration) => failureRate(api.metric('Count', name), api.metric('5xx', name), period)
    this.alarms.add(`${name} failing for an hour`, {
      means: `In an hour, ${tooMany}`,
      metric: failed(Duration.hours(1)),
      section: 'Route failing',
    })
    return this.alarms.add(`${name} failing`, {
      means: `In 2 of the last 3 minutes, ${tooMany}`,
      metric: failed(Duration.minutes(1)),
      lasting: true,
      section: 'Route failing',
    })
  }

  private watchLatency(): void {
    this.alarms.add('Requests slow', {
      means: `${OFTEN} the slowest 1 % of requests took longer than ${MAX_P99_LATENCY.toSeconds()} seconds.`,
      metric: this.monitored.api.metric('Latency', undefined, Stats.percentile(99)),
      threshold: MAX_P99_LATENCY.toMilliseconds(),
      lasting: true,
    })
  }

  private watchTraffic(settings: Settings): void {
    const refused = this.countRequests('Refused', FilterPattern.stringValue('$.status', '=', '429'))
    this.alarms.add('Requests refused', {
      means: `${OFTEN} ${MANY_REFUSED} requests got 429, or a route reached ${100 * NEAR_THROTTLE} % of its throttle.`,
      metric: this.isBusy(settings, NEAR_THROTTLE, Duration.minutes(5), { refused: [refused, MANY_REFUSED] }),
      lasting: true,
    })
    this.alarms.add('Traffic high', {
      means: `For an hour, a route got ${100 * BUSY} % of the requests that its throttle lets through.`,
      metric: this.isBusy(settings, BUSY, Duration.hours(1)),
    })
  }

  /** 1 if a route gets this part of the requests that its throttle lets through, or another metric reaches a number. */
  private isBusy(
    settings: Settings,
    part: number,
    period: Duration,
    others: Record<string, [metric: Metric, limit: number]> = {},
  ): MathExpression {
    const { api } = this.monitored
    const limits = new Map(Object.entries(others))
    for (const name of FUNCTION_NAMES)
      limits.set(name.toLowerCase(), [api.metric('Count', name), part * rateOf(name, settings) * period.toSeconds()])
    const conditions = Array.from(limits, ([name, [, limit]]) => `FILL(${name},0) >= ${limit}`)
    return new MathExpression({
      label: `Reaches ${100 * part} %`,
      expression: `IF(${conditions.join(' || ')}, 1, 0)`,
      usingMetrics: Object.fromEntries(Array.from(limits, ([name, [metric]]) => [name, metric])),
      period,
    })
  }

  /** Returns the number of jokes added. */
  private watchAdded(): Metric {
    const added = this.countRequests(
      'Added',
      FilterPattern.all(
        FilterPattern.stringValue('$.routeKey', '=', routeKeyOf('Create')),
        FilterPattern.stringValue('$.status', '=', '201'),
      ),
    )
    this.alarms.add('Many jokes added', {
      means: `In an hour, ${MANY_ADDED} jokes were added.`,
      metric: added.with({ period: Duration.hours(1) }),
      threshold: MANY_ADDED,
    })
    return added
  }

  /** A metric of the requests in the access log that match a pattern. */
  private countRequests(metricName: string, filterPattern: IFilterPattern): Metric {
    return new MetricFilter(this, metricName, {
      logGroup: this.monitored.api.accessLog,
      filterPattern,
      metricNamespace: Stack.of(this).stackName,
      metricName,
    }).metric({ statistic: Stats.SUM })
  }

  private watchProbe(settings: Settings): Probe {
    const probe = new Probe(this, 'Probe', this.monitored.api.httpApi.apiEndpoint, settings)
    this.alarms.add('Probe failing', {
      means: `${OFTEN} the service did not answer its own probe as it should.`,
      metric: probe.metricErrors({ period: PROBE_PERIOD }),
      lasting: true,
    })
    return probe
  }

  private watchFunctions(): void {
    const functions = Object.values(this.monitored.functions)
    // Handlers answer all other errors themselves.
    this.alarms.add('Function crashed', {
      means: 'A function crashed, timed out or ran out of memory.',
      metric: sum(functions.map((each) => each.metricErrors())),
    })
    this.alarms.add('Function throttled', {
      means: 'Lambda had no capacity left for a function.',
      metric: sum(functions.map((each) => each.metricThrottles())),
    })
  }

  private watchBill({ alarmEmail, monthlyBudget, repository }: Settings): void {
    const warn = (name: string, text: string) => Annotations.of(this).addWarningV2(`joke-service:${name}`, text)
    if (repository === undefined)
      warn('repository', 'Links in alarms lead nowhere: set repository, the URL of this repository, in cdk.json.')
    if (alarmEmail === undefined) {
      warn('alarmEmail', 'Nobody will hear of alarms or of the bill: set alarmEmail for prod in cdk.json.')
      return
    }
    new CfnBudget(this, 'Budget', {
      budget: {
        // An account has one budget of a name, whatever the region.
        budgetName: `${Stack.of(this).stackName} ${Stack.of(this).region}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyBudget, unit: 'USD' },
      },
      notificationsWithSubscribers: [80, 100].map((threshold) => ({
        notification: { notificationType: 'ACTUAL', comparisonOperator: 'GREATER_THAN', threshold },
        subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
      })),
    })
  }
}
