/** The alarms of a stack: who is notified, and which section of operations.md each one points to. */
import { Duration, Stack, Validations } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Settings } from './settings.ts'

/** An alarm fires at this many failures, if they are also at least this part of all requests. */
const MIN_FAILURES = 3
const MIN_FAILURE_RATE = 0.01
/** Below this number of requests, {@link MIN_FAILURES} is the higher of the two bounds. */
const FEW_REQUESTS = MIN_FAILURES / MIN_FAILURE_RATE

interface AlarmOptions {
  /** What is wrong, for somebody who has just been woken up. */
  means: string
  metric: IMetric
  /** The alarm fires at this value and above; by default, 1. */
  threshold?: number
  /** Whether the value must be too high in 2 of 3 periods; by default, a single period is enough. */
  lasting?: boolean
  /** The section of operations.md; by default, the one with the alarm's name. */
  section?: string
}

export class Alarms extends Construct {
  readonly topic: Topic
  private readonly guide: string

  constructor(scope: Construct, id: string, { alarmEmail, repository }: Settings) {
    super(scope, id)
    this.guide = `${repository === undefined ? '' : `${repository}/blob/main/`}docs/operations.md`
    this.topic = new Topic(this, 'Topic', { enforceSSL: true })
    // `enforceSSL` adds a topic policy. It replaces SNS's default one, which lets the account's alarms publish.
    this.topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    if (alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(alarmEmail))
    Validations.of(this.topic).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason: 'Nobody would read a queue of undelivered emails; the alarm stays visible in CloudWatch.',
    })
  }

  add(name: string, { means, metric, threshold = 1, lasting, section = name }: AlarmOptions): Alarm {
    const alarm = new Alarm(this, name.replaceAll(' ', ''), {
      alarmName: `${Stack.of(this).stackName} ${name}`,
      alarmDescription: `${means} What to do: ${this.guide}#${section.toLowerCase().replaceAll(' ', '-')}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      metric,
      threshold,
      ...(lasting ? { evaluationPeriods: 3, datapointsToAlarm: 2 } : { evaluationPeriods: 1 }),
    })
    const notify = new SnsAction(this.topic)
    alarm.addAlarmAction(notify)
    alarm.addOkAction(notify)
    return alarm
  }
}

/** When {@link failureRate} reaches 1, in words. */
export const TOO_MANY = `at least ${MIN_FAILURES}, and at least ${100 * MIN_FAILURE_RATE} % of all`

/** Failed requests, divided by the number of them at which an alarm fires. */
export function failureRate(requests: IMetric, failed: IMetric, period: Duration): MathExpression {
  return new MathExpression({
    label: 'Failures (alarm at 1)',
    expression: `IF(requests < ${FEW_REQUESTS}, failed / ${MIN_FAILURES}, failed / requests / ${MIN_FAILURE_RATE})`,
    usingMetrics: { requests, failed },
    period,
  })
}

/** The sum of metrics over 5 minutes; those without a value count as 0. */
export function sum(metrics: IMetric[]): MathExpression {
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]))
  // Without FILL, one metric without a value leaves the sum without one.
  const expression = Object.keys(named).map((name) => `FILL(${name},0)`)
  return new MathExpression({ expression: expression.join('+'), usingMetrics: named, period: Duration.minutes(5) })
}
