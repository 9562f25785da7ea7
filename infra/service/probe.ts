/** The probe: sends requests to the service every few minutes, to detect faults before clients do. */
import { Duration, Stack } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import type { Settings } from '../settings.ts'
import type { JokesTable } from './jokesTable.ts'
import { ServiceFunction } from './serviceFunction.ts'

export const PROBE_PERIOD = Duration.minutes(5)

/** Enough for eleven requests, even if functions start cold. */
const PROBE_TIMEOUT = Duration.minutes(1)

export class Probe extends ServiceFunction {
  constructor(scope: Construct, id: string, url: string, jokes: JokesTable, settings: Settings) {
    const needsApproval = settings.approval === 'on'
    const environment = {
      API_URL: url,
      ...(needsApproval && { JOKES_TABLE: jokes.tableName }),
    }
    super(scope, id, settings, { entry: 'functions/probe.ts', environment, timeout: PROBE_TIMEOUT })
    if (needsApproval) jokes.allowFeeds(this, 'waiting')
    // After a retry, a single wrong response would count in two periods. Lambda repeats throttled calls even so.
    this.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: PROBE_PERIOD })
    new Rule(scope, `${id}Schedule`, {
      description: `Calls the probe of ${Stack.of(scope).stackName}.`,
      schedule: Schedule.rate(PROBE_PERIOD),
      targets: [new LambdaFunction(this)],
    })
  }
}
