/** Asks the service every few minutes, so that a fault is noticed before its next client comes. */
import { Duration, Stack } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { Construct } from 'constructs'
import type { Settings } from '../settings.ts'
import type { DataTable } from './dataTable.ts'
import { ServiceFunction } from './serviceFunction.ts'

export const PROBE_PERIOD = Duration.minutes(5)

/** The probe asks six times, and as often through the page's address, perhaps of functions that start cold. */
export const PROBE_TIMEOUT = Duration.minutes(1)

export class Probe extends ServiceFunction {
  constructor(scope: Construct, id: string, url: string, jokes: DataTable, settings: Settings) {
    const isApproved = settings.approval === 'on'
    const environment = {
      API_URL: url,
      ...(settings.pageUrl !== undefined && { PAGE_URL: settings.pageUrl }),
      ...(isApproved && { JOKES_TABLE: jokes.tableName }),
    }
    super(scope, id, 'probe/schedule.ts', settings, { environment, timeout: PROBE_TIMEOUT })
    if (isApproved) jokes.allow(this, ['Query'], 'byState', 'waiting')
    // Lambda would call it again, and a single wrong answer would count in two periods.
    this.configureAsyncInvoke({ retryAttempts: 0 })
    new Rule(scope, `${id}Schedule`, {
      description: `Calls the probe of ${Stack.of(scope).stackName}.`,
      schedule: Schedule.rate(PROBE_PERIOD),
      targets: [new LambdaFunction(this)],
    })
  }
}
