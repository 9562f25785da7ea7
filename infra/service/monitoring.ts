/** What notifies an operator: alarms and a budget. docs/operations.md explains each alarm. */
import { Annotations, Duration, Stack } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { type Alarm, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { Alarms, failures, sum, TOO_MANY } from '../alarms.ts'
import { FUNCTION_NAMES, type FunctionName, mapFunctions, routeKeyOf } from '../routes.ts'
import { isProduction, type Settings } from '../settings.ts'
import { drawDashboard, type Monitored, saveQueries } from './dashboard.ts'
import type { DataTable } from './dataTable.ts'
import { rateOf } from './jokeApi.ts'

/** When a `lasting` alarm with periods of 5 minutes fires, in words. */
const OFTEN = 'In 2 of the last 3 periods of 5 minutes,'

/** Far above the slowest search, and below the 5 s after which the service gives up. A cold start may exceed it. */
const MAX_P99_LATENCY = Duration.seconds(2)

/** Answers of 429 in five minutes: more than one impatient client's burst. */
const MANY_REFUSED = 50

/** The alarm also fires at this part of a route's throttle: under heavy load, API Gateway does not log every 429. */
const NEAR_THROTTLE = 0.9

export class Monitoring extends Construct {
  readonly alarms: Alarms
  /** For each route, the alarm that rings within minutes when it fails. */
  readonly failing: Record<FunctionName, Alarm>
  private readonly monitored: Monitored

  constructor(scope: Construct, id: string, monitored: Monitored, settings: Settings) {
    super(scope, id)
    this.monitored = monitored
    this.alarms = new Alarms(this, 'Alarms', settings)
    this.failing = mapFunctions((name) => this.watchRoute(name))
    this.watchLatency()
    this.watchThrottles(settings)
    this.watchFunctions()
    this.watchTables()
    this.watchMaxUnits()
    // One budget covers the account, so only production's stack has one.
    if (isProduction(settings)) this.watchBill(settings)
    drawDashboard(this, monitored)
    saveQueries(this, monitored)
  }

  /** Adds two alarms: one for failures in busy minutes, one for failures in quiet hours. Returns the first. */
  private watchRoute(name: FunctionName): Alarm {
    const { api } = this.monitored
    const tooMany = `too many requests to ${routeKeyOf(name)} failed: ${TOO_MANY}.`
    const failed = (period: Duration) => failures(api.metric('Count', name), api.metric('5xx', name), period)
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

  private watchThrottles(settings: Settings): void {
    const { api } = this.monitored
    const period = Duration.minutes(5)
    const refused = new MetricFilter(this, 'Refused', {
      logGroup: api.accessLog,
      filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'Refused',
    }).metric({ statistic: Stats.SUM })
    const usingMetrics: Record<string, Metric> = { refused }
    const conditions = [`FILL(refused,0) >= ${MANY_REFUSED}`]
    for (const name of FUNCTION_NAMES) {
      const count = name.toLowerCase()
      usingMetrics[count] = api.metric('Count', name)
      conditions.push(`FILL(${count},0) >= ${NEAR_THROTTLE * rateOf(name, settings) * period.toSeconds()}`)
    }
    const expression = `IF(${conditions.join(' || ')}, 1, 0)`
    this.alarms.add('Requests refused', {
      means: `${OFTEN} ${MANY_REFUSED} requests got 429, or a route reached ${100 * NEAR_THROTTLE} % of its throttle.`,
      metric: new MathExpression({ label: 'Refuses', expression, usingMetrics, period }),
      lasting: true,
    })
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

  private watchTables(): void {
    const { jokes, words } = this.monitored
    const ofAllOperations = (metricName: string) =>
      sum(
        [jokes, words].flatMap((table) =>
          Array.from(table.allowedActions, (Operation) => metricOf(table, metricName, { Operation })),
        ),
      )
    this.alarms.add('Database failing', {
      means: `${OFTEN} DynamoDB answered with errors of its own.`,
      metric: ofAllOperations('SystemErrors'),
      lasting: true,
    })
    this.alarms.add('Database throttled', {
      means: `${OFTEN} DynamoDB throttled calls.`,
      metric: ofAllOperations('ThrottledRequests'),
      lasting: true,
    })
  }

  private watchMaxUnits(): void {
    const { jokes, words } = this.monitored
    const throttled = (table: DataTable, kind: 'Read' | 'Write', indexNames: string[]) =>
      [{}, ...indexNames.map((name) => ({ GlobalSecondaryIndexName: name }))].map((dimensions) =>
        metricOf(table, `${kind}MaxOnDemandThroughputThrottleEvents`, dimensions),
      )
    this.alarms.add('Database bounded', {
      means: `${OFTEN} calls were throttled because they exceeded our own settings maxReadUnits or maxWriteUnits.`,
      metric: sum([
        ...throttled(jokes, 'Read', jokes.indexNames),
        // An alarm accepts at most ten metrics. Writes to the other indexes never exceed those to the table.
        ...throttled(jokes, 'Write', ['byThumbsUp', 'byDateAdded']),
        ...throttled(words, 'Read', []),
        ...throttled(words, 'Write', []),
      ]),
      lasting: true,
    })
  }

  private watchBill({ alarmEmail, monthlyBudget }: Settings): void {
    if (alarmEmail === undefined) {
      Annotations.of(this).addWarningV2(
        'joke-service:alarmEmail',
        'Nobody will hear of alarms or of the bill: set alarmEmail for prod in cdk.json.',
      )
      return
    }
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: Stack.of(this).stackName,
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

function metricOf({ tableName }: DataTable, metricName: string, dimensions: Record<string, string>): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    statistic: Stats.SUM,
    dimensionsMap: { TableName: tableName, ...dimensions },
  })
}
