/** Alarms, and the topics that they notify. */
import { Stack } from 'aws-cdk-lib'
import { Alarm, type AlarmProps, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Settings } from '../settings.ts'

/** `wake` wakes somebody up. `tomorrow` can wait until the next working day. */
type Severity = 'wake' | 'tomorrow'

/** Keeps an alarm silent for a single bad period, which passes by itself. */
export const TWO_OF_THREE = { datapointsToAlarm: 2, evaluationPeriods: 3 }

/** By default, an alarm looks at one period. It fires if one of its periods has a value of at least 1. */
interface AlarmOptions extends Partial<AlarmProps> {
  metric: IMetric
  severity: Severity
  /** The fault, in words for somebody who has just been woken up. */
  means: string
}

export class Alarms extends Construct {
  /** A topic for each severity, so that operators can add a pager to one. */
  readonly topics: Record<Severity, Topic>
  readonly all: Alarm[] = []
  private readonly runbook: string

  constructor(scope: Construct, id: string, { alarmEmail, repository }: Settings) {
    super(scope, id)
    this.runbook = `${repository === undefined ? '' : `${repository}/blob/main/`}docs/operations.md`
    this.topics = { wake: this.addTopic('Wake', alarmEmail), tomorrow: this.addTopic('Tomorrow', alarmEmail) }
  }

  private addTopic(id: string, alarmEmail: Settings['alarmEmail']): Topic {
    const topic = new Topic(this, id, { enforceSSL: true })
    // `enforceSSL` adds a topic policy. It replaces SNS's default one, which lets the account's alarms publish.
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }

  add(name: string, { severity, means, ...props }: AlarmOptions): void {
    const alarm = new Alarm(this, name.replaceAll(' ', ''), {
      alarmName: `${Stack.of(this).stackName} ${name}`,
      alarmDescription: `[${severity}] ${means} What to do: ${this.runbook}#${name.toLowerCase().replaceAll(' ', '-')}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      threshold: 1,
      datapointsToAlarm: 1,
      evaluationPeriods: 1,
      ...props,
    })
    const notify = new SnsAction(this.topics[severity])
    alarm.addAlarmAction(notify)
    alarm.addOkAction(notify)
    this.all.push(alarm)
  }
}
