/** Alarms and a budget, which e-mail the operators. docs/runbook.md has a section for each alarm. */
import { Duration, Stack } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { FilterPattern, type ILogGroup, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { FunctionName } from '../routes.ts'
import type { Settings } from '../settings.ts'
import type { JokeApi } from './jokeApi.ts'
import type { ServiceFunction } from './serviceFunction.ts'

const SUM = { statistic: cloudwatch.Stats.SUM }

const HOURLY = { period: Duration.hours(1) }

/** The numbers from which the alarms fire. */
const THRESHOLDS = { failingPercent: 0.1, failuresAnHour: 5, slowMs: 2_000, refused: 100, addedAnHour: 100 }

export class Monitoring extends Construct {
  readonly topic: Topic
  readonly #actionsEnabled: boolean

  constructor(
    scope: Construct,
    id: string,
    { httpApi, accessLog }: JokeApi,
    functions: Record<FunctionName, ServiceFunction>,
    { alarmEmail, approval, listRate, monthlyBudget, paused }: Settings & { alarmEmail: string },
  ) {
    super(scope, id)
    this.#actionsEnabled = paused !== 'everything'
    this.topic = new Topic(this, 'Alarms')
    this.topic.addSubscription(new EmailSubscription(alarmEmail))

    const { failingPercent, failuresAnHour, slowMs, refused, addedAnHour } = THRESHOLDS
    const requests = httpApi.metricCount(SUM)
    // Paused writes fail on purpose. The API's metrics don't tell them from reads, but its log does.
    const onlyReads = paused === 'writes'
    const kind = onlyReads ? 'GET requests' : 'requests'
    const counted = onlyReads ? this.countLines('Reads', accessLog, answered('GET *', '*')) : requests
    const failed = onlyReads
      ? this.countLines('FailedReads', accessLog, answered('GET *', '5*'))
      : httpApi.metricServerError(SUM)
    this.addAlarm('Requests failing', {
      alarmDescription: `At least ${failingPercent}% of the ${kind} of a minute got a 5xx, in 4 of 6 minutes.`,
      metric: new cloudwatch.MathExpression({
        label: 'Failing, in percent',
        // Without a failure, `failed` may have no value, and then the expression would have none.
        expression: '100 * FILL(failed, 0) / requests',
        usingMetrics: { failed, requests: counted },
        period: Duration.minutes(1),
      }),
      threshold: failingPercent,
      // An outage of five minutes fills at least four of them, and a single moment at most two.
      datapointsToAlarm: 4,
      evaluationPeriods: 6,
    })
    this.addAlarm('Failures an hour', {
      alarmDescription: `At least ${failuresAnHour} ${kind} of an hour got a 5xx.`,
      metric: failed.with(HOURLY),
      threshold: failuresAnHour,
    })
    this.addAlarm('Requests slow', {
      alarmDescription: `1% of at least 100 requests in 5 minutes took ${slowMs / 1_000} seconds or longer, in 2 of 3 such times.`,
      metric: new cloudwatch.MathExpression({
        label: 'Slowest 1%',
        // One cold start may be 1% of fewer requests. CloudWatch's own option would ignore fewer than 1,000.
        expression: 'IF(requests >= 100, p99, 0)',
        usingMetrics: { requests, p99: httpApi.metricLatency({ statistic: cloudwatch.Stats.percentile(99) }) },
        period: Duration.minutes(5),
      }),
      threshold: slowMs,
      datapointsToAlarm: 2,
      evaluationPeriods: 3,
    })
    const many = 0.5 * listRate * HOURLY.period.toSeconds()
    this.addAlarm('Traffic high', {
      alarmDescription: `An hour had at least ${many.toLocaleString('en')} requests, half of what listRate accepts. They cost money.`,
      metric: requests.with(HOURLY),
      threshold: many,
    })
    this.addAlarm('Requests refused', {
      alarmDescription: `At least ${refused} requests to add or upvote jokes got a 429 in 5 minutes. One sender may keep out everybody else.`,
      metric: this.countLines('Refused', accessLog, answered('POST *', '429')).with({ period: Duration.minutes(5) }),
      threshold: refused,
    })
    const [name, threshold, text] =
      approval === 'on'
        ? ['Jokes wait', 1, 'At least 1 joke was added in an hour. Until you approve it, nobody sees it.']
        : ['Many jokes added', addedAnHour, `At least ${addedAnHour} jokes were added in an hour. They may be spam.`]
    this.addAlarm(name, {
      alarmDescription: text,
      metric: this.countLines('Added', functions.Create.logGroup, FilterPattern.exists('$.message.added')).with(HOURLY),
      threshold,
    })
    const leftOut = FilterPattern.booleanValue('$.message.isTruncated', true)
    this.addAlarm('Listings leave jokes out', {
      alarmDescription:
        'At least 1 function had no memory for all jokes in the last 6 hours, so its listings leave some out.',
      metric: this.countLines('LeftOut', functions.List.logGroup, leftOut).with(HOURLY),
      threshold: 1,
      // Only a new container loads jokes, and only then logs how many had room.
      datapointsToAlarm: 1,
      evaluationPeriods: 6,
    })
    if (monthlyBudget !== undefined) this.addBudget(alarmEmail, monthlyBudget)
  }

  /** Adds an alarm that notifies when it fires, and when it is over. */
  private addAlarm(
    name: string,
    { alarmDescription, ...props }: Omit<cloudwatch.AlarmProps, 'evaluationPeriods'> & { evaluationPeriods?: number },
  ): void {
    const alarm = new cloudwatch.Alarm(this, name.replaceAll(' ', ''), {
      alarmName: `${Stack.of(this).stackName} ${name}`,
      alarmDescription: `${alarmDescription} What to do: docs/runbook.md#${name.toLowerCase().replaceAll(' ', '-')}`,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      actionsEnabled: this.#actionsEnabled,
      evaluationPeriods: 1,
      ...props,
    })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
  }

  /** Returns the number of log lines that a pattern selects. */
  private countLines(metricName: string, logGroup: ILogGroup, filterPattern: JsonPattern): cloudwatch.Metric {
    const metricNamespace = Stack.of(this).stackName
    const filter = new MetricFilter(this, metricName, { logGroup, filterPattern, metricNamespace, metricName })
    return filter.metric(SUM)
  }

  private addBudget(address: string, amount: number): void {
    new CfnBudget(this, 'Budget', {
      // The budget has no name, because CloudFormation replaces it when the address changes.
      budget: { budgetType: 'COST', timeUnit: 'MONTHLY', budgetLimit: { amount, unit: 'USD' } },
      notificationsWithSubscribers: [
        { notificationType: 'FORECASTED', threshold: 100 },
        { notificationType: 'ACTUAL', threshold: 80 },
        { notificationType: 'ACTUAL', threshold: 100 },
      ].map((when) => ({
        notification: { ...when, comparisonOperator: 'GREATER_THAN' },
        subscribers: [{ subscriptionType: 'EMAIL', address }],
      })),
    })
  }
}

/** Selects lines of the access log by patterns such as `GET *` and `5*`. All its values are texts. */
function answered(routeKey: string, status: string): JsonPattern {
  const is = (field: string, pattern: string) => FilterPattern.stringValue(`$.${field}`, '=', pattern)
  return FilterPattern.all(is('routeKey', routeKey), is('status', status))
}
