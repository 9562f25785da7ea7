/** Alarms, their topic, and the dashboard, for both stacks. */
import { type Duration, Stack } from 'aws-cdk-lib'
import {
  Alarm,
  type AlarmProps,
  AlarmStatusWidget,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Settings } from './settings.ts'

/** An alarm fires at this many failures, if they are at least this share of all requests. */
const MIN_FAILURES = 3
const MIN_FAILURE_RATE = 0.01

/** Keeps an alarm silent for a single bad period, which passes by itself. */
export const TWO_OF_THREE = { datapointsToAlarm: 2, evaluationPeriods: 3 }
export const IN_TWO_OF_THREE = 'In 2 of the last 3 periods of 5 minutes,'

/** By default, an alarm fires at a value of at least 1 in one period. */
interface AlarmOptions extends Partial<AlarmProps> {
  metric: IMetric
  /** `wake` wakes somebody up. `tomorrow` can wait until the next working day. */
  severity: 'wake' | 'tomorrow'
  /** The fault, in words for somebody who has just been woken up. */
  means: string
}

export class Alarms extends Construct {
  readonly topic: Topic
  readonly all: Alarm[] = []
  private readonly runbook: string

  constructor(scope: Construct, id: string, { alarmEmail, repository }: Settings) {
    super(scope, id)
    this.runbook = `${repository === undefined ? '' : `${repository}/blob/main/`}docs/operations.md`
    this.topic = new Topic(this, 'Topic', { enforceSSL: true })
    // `enforceSSL` adds a topic policy. It replaces SNS's default one, which lets the account's alarms publish.
    this.topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    if (alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(alarmEmail))
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
    const notify = new SnsAction(this.topic)
    alarm.addAlarmAction(notify)
    alarm.addOkAction(notify)
    this.all.push(alarm)
  }
}

/** A third of a dashboard's width. */
const GRAPH_WIDTH = 8

/** Adds a dashboard with the state of all alarms, and a graph for each question. */
export function addDashboard(scope: Construct, { all }: Alarms, questions: Record<string, IMetric[]>): void {
  const { stackName, region } = Stack.of(scope)
  const alarms = new AlarmStatusWidget({ title: 'Which alarms fire?', alarms: all, width: 3 * GRAPH_WIDTH })
  const graphs = Object.entries(questions).map(([title, left]) => new GraphWidget({ title, left, width: GRAPH_WIDTH }))
  // Names of dashboards are unique in an account, over all regions.
  new Dashboard(scope, 'Dashboard', { dashboardName: `${stackName}-${region}`, widgets: [[alarms], graphs] })
}

/** The condition of {@link tooManyFailed}, in words. */
export const TOO_MANY = `at least ${MIN_FAILURES}, and at least ${100 * MIN_FAILURE_RATE} % of all`

/**
 * Returns an expression that is 1 if too many requests of one kind failed, otherwise 0.
 *
 * @param kinds the metrics of each kind; their names become variables
 */
export function tooManyFailed(
  kinds: Record<string, { requests: IMetric; failed: IMetric }>,
  period: Duration,
): MathExpression {
  const conditions: string[] = []
  const usingMetrics: Record<string, IMetric> = {}
  for (const [name, { requests, failed }] of Object.entries(kinds)) {
    const failures = `FILL(${name}Failed,0)`
    conditions.push(`${failures} >= ${MIN_FAILURES} && ${failures} >= ${MIN_FAILURE_RATE} * FILL(${name},0)`)
    usingMetrics[name] = requests
    usingMetrics[`${name}Failed`] = failed
  }
  const expression = `IF(${conditions.map((condition) => `(${condition})`).join(' || ')}, 1, 0)`
  return new MathExpression({ label: 'Too many failed', expression, usingMetrics, period })
}
