/** Alarms and a budget, which e-mail the operators. docs/operations.md says what to do about each alarm. */
import { Duration, Stack } from 'aws-cdk-lib'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { FunctionName } from '../routes.ts'
import type { Settings } from '../settings.ts'
import type { JokeApi } from './jokeApi.ts'
import type { ServiceFunction } from './serviceFunction.ts'

const HOUR = Duration.hours(1)

const SUM = { statistic: cloudwatch.Stats.SUM }

/** The numbers from which the alarms fire. */
const THRESHOLDS = { failingPercent: 0.1, slowMs: 2_000, addedAnHour: 100 }

export class Monitoring extends Construct {
  readonly topic: Topic

  constructor(
    scope: Construct,
    id: string,
    { httpApi }: JokeApi,
    functions: Record<FunctionName, ServiceFunction>,
    { alarmEmail, approval, listRate, monthlyBudget, paused }: Settings & { alarmEmail: string },
  ) {
    super(scope, id)
    this.topic = new Topic(this, 'Alarms')
    this.topic.addSubscription(new EmailSubscription(alarmEmail))

    const { failingPercent, slowMs, addedAnHour } = THRESHOLDS
    const requests = httpApi.metricCount(SUM)
    this.addAlarm('Requests failing', {
      alarmDescription: `At least ${failingPercent}% of the requests of a minute got a 5xx, in 4 of 6 minutes.`,
      metric: new cloudwatch.MathExpression({
        label: 'Failing, in percent',
        // Without a failure, `failed` may have no value, and then the expression would have none.
        expression: '100 * FILL(failed, 0) / requests',
        usingMetrics: { failed: httpApi.metricServerError(SUM), requests },
        period: Duration.minutes(1),
      }),
      threshold: failingPercent,
      // An outage of five minutes fills at least four of them, and a single moment at most two.
      datapointsToAlarm: 4,
      evaluationPeriods: 6,
      // Paused functions fail on purpose.
      actionsEnabled: paused === undefined,
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
    const many = 0.5 * listRate * HOUR.toSeconds()
    this.addAlarm('Traffic high', {
      alarmDescription: `An hour had at least ${many.toLocaleString('en')} requests, half of what listRate accepts. They cost money.`,
      metric: requests.with({ period: HOUR }),
      threshold: many,
      evaluationPeriods: 1,
    })
    this.addAlarm('Many jokes added', {
      alarmDescription: `At least ${addedAnHour} jokes were added in an hour, perhaps spam.`,
      metric: this.countLines('Added', functions.Create.logGroup, FilterPattern.exists('$.message.added')),
      threshold: addedAnHour,
      evaluationPeriods: 1,
      // Operators read each new joke before anybody else does.
      actionsEnabled: approval !== 'on',
    })
    this.addAlarm('Listings leave jokes out', {
      alarmDescription:
        'At least 1 function had no memory for all jokes in the last 6 hours, so its listings leave some out.',
      metric: this.countLines(
        'LeftOut',
        functions.List.logGroup,
        FilterPattern.booleanValue('$.message.isTruncated', true),
      ),
      threshold: 1,
      // Only a new container loads jokes, and only then logs how many had room.
      datapointsToAlarm: 1,
      evaluationPeriods: 6,
    })
    if (monthlyBudget !== undefined) this.addBudget(alarmEmail, monthlyBudget)
  }

  /** Adds an alarm that notifies when it fires, and when it is over. */
  private addAlarm(name: string, { alarmDescription, ...props }: cloudwatch.AlarmProps): void {
    const alarm = new cloudwatch.Alarm(this, name.replaceAll(' ', ''), {
      alarmName: `${Stack.of(this).stackName} ${name}`,
      alarmDescription: `${alarmDescription} What to do: docs/operations.md#alarms`,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      ...props,
    })
    alarm.addAlarmAction(new SnsAction(this.topic))
    alarm.addOkAction(new SnsAction(this.topic))
  }

  /** Returns the number of log lines an hour that a pattern selects. */
  private countLines(metricName: string, logGroup: ILogGroup, filterPattern: IFilterPattern): cloudwatch.Metric {
    const metricNamespace = Stack.of(this).stackName
    const filter = new MetricFilter(this, metricName, { logGroup, filterPattern, metricNamespace, metricName })
    return filter.metric({ ...SUM, period: HOUR })
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
