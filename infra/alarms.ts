/** The alarms of a stack: who hears of them, and where each one's section in the guide is. */
import { Duration, Stack, Validations } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Settings } from './settings.ts'

/** Some failures among few requests, or this part of many: below this number of requests, 1 % would be fewer. */
const FEW_FAILURES = 3
const MAX_FAILURE_RATE = 0.01
const FEW_REQUESTS = FEW_FAILURES / MAX_FAILURE_RATE

export interface AlarmOptions {
  /** What is the matter, for somebody who has just been woken up. */
  means: string
  metric: IMetric
  /** The lowest value that is too high; by itself, 1. */
  threshold?: number
  /** It has to be too high in so many of so many periods; by itself, in one. */
  datapointsToAlarm?: number
  evaluationPeriods?: number
}

export class Alarms extends Construct {
  readonly topic: Topic
  private readonly guide: string

  constructor(scope: Construct, id: string, { alarmEmail, repository }: Settings) {
    super(scope, id)
    this.guide = `${repository === undefined ? '' : `${repository}/blob/main/`}docs/operations.md`
    this.topic = new Topic(this, 'Topic', { enforceSSL: true })
    // A policy of its own takes the place of the one by which alarms of the account may publish.
    this.topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    if (alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(alarmEmail))
    Validations.of(this.topic).acknowledge({
      id: 'Serverless::Serverless-SNSRedrivePolicy',
      reason: 'A queue of undelivered mails would be read by nobody; the alarm stays visible in CloudWatch.',
    })
  }

  /** Adds an alarm. Its section in the guide is named like it, or like `section`. */
  add(name: string, { means, ...options }: AlarmOptions, section = name): Alarm {
    const alarm = new Alarm(this, name.replaceAll(' ', ''), {
      alarmName: `${Stack.of(this).stackName} ${name}`,
      alarmDescription: `${means} What to do: ${this.guide}#${section.toLowerCase().replaceAll(' ', '-')}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      evaluationPeriods: 1,
      threshold: 1,
      ...options,
    })
    const tell = new SnsAction(this.topic)
    alarm.addAlarmAction(tell)
    alarm.addOkAction(tell)
    return alarm
  }
}

/** How often as many requests fail as may: 3 of few, or 1 % of many. */
export function failures(requests: IMetric, failed: IMetric, period: Duration): MathExpression {
  return new MathExpression({
    label: 'Failures, 1 being too many',
    expression: `IF(requests < ${FEW_REQUESTS}, failed / ${FEW_FAILURES}, failed / requests / ${MAX_FAILURE_RATE})`,
    usingMetrics: { requests, failed },
    period,
  })
}

/** The sum of metrics, of which most have no values most of the time. */
export function sum(metrics: IMetric[]): MathExpression {
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]))
  // Without FILL, one metric without a value leaves the sum without one.
  const expression = Object.keys(named).map((name) => `FILL(${name},0)`)
  return new MathExpression({ expression: expression.join('+'), usingMetrics: named, period: Duration.minutes(5) })
}
