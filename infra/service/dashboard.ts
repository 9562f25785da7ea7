/** A dashboard, and saved queries of the logs. docs/operations.md explains both. */
import { Stack } from 'aws-cdk-lib'
import { AlarmStatusWidget, Dashboard, GraphWidget, type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { FUNCTION_NAMES, type FunctionName, mapFunctions } from '../routes.ts'
import type { Alarms } from './alarms.ts'
import type { JokeApi } from './jokeApi.ts'
import type { JokesTable } from './jokesTable.ts'
import type { RouteFunction } from './serviceFunction.ts'

/** The parts of the service that alarms, dashboard and queries watch. */
export interface Monitored {
  jokes: JokesTable
  api: JokeApi
  functions: Record<FunctionName, RouteFunction>
}

/** A third of a dashboard's width. */
const GRAPH_WIDTH = 8

/** @param fromLogs metrics of refused requests, new jokes, and the time in which functions read all jokes */
export function drawDashboard(
  scope: Construct,
  alarms: Alarms,
  { api, functions, jokes }: Monitored,
  fromLogs: Record<'refused' | 'added' | 'loads', Metric>,
): void {
  const perFunction = (metricName: string, statistic: string) =>
    FUNCTION_NAMES.map((name) => functions[name].metric(metricName, { label: name, statistic }))
  const perTable = (...metricNames: string[]) => metricNames.flatMap((metricName) => jokes.metrics(metricName))
  const questions: Record<string, Metric[]> = {
    'How many requests come?': [api.metric('Count')],
    'How many fail (5xx), are wrong (4xx), or are refused (429)?': [
      api.metric('5xx'),
      api.metric('4xx'),
      fromLogs.refused,
    ],
    'How long do the slowest 1% take, in ms?': [api.metric('Latency', Stats.percentile(99))],
    'How many requests does each function get?': perFunction('Invocations', Stats.SUM),
    'How many jokes are added?': [fromLogs.added],
    'How long does reading all jokes take, in ms?': [fromLogs.loads],
    'How long do functions take, in ms (median)?': perFunction('Duration', Stats.percentile(50)),
    'How many functions run at once?': perFunction('ConcurrentExecutions', Stats.MAXIMUM),
    'Does Lambda lack capacity?': perFunction('Throttles', Stats.SUM),
    'How many units are read?': perTable('ConsumedReadCapacityUnits'),
    'How many units are written?': perTable('ConsumedWriteCapacityUnits'),
    'What does DynamoDB throttle?': perTable('ReadThrottleEvents', 'WriteThrottleEvents'),
  }
  const states = new AlarmStatusWidget({ title: 'Which alarms fire?', alarms: alarms.all, width: 3 * GRAPH_WIDTH })
  const graphs = Object.entries(questions).map(([title, left]) => new GraphWidget({ title, left, width: GRAPH_WIDTH }))
  // Names of dashboards are unique in an account, over all regions.
  const { stackName, region } = Stack.of(scope)
  new Dashboard(scope, 'Dashboard', { dashboardName: `${stackName}-${region}`, widgets: [[states], graphs] })
}

export function saveQueries(scope: Construct, { api, functions }: Monitored): void {
  const groups = { Access: api.accessLog, ...mapFunctions((name) => functions[name].logGroup) }
  for (const [name, { logs, query }] of Object.entries(QUERIES))
    new CfnQueryDefinition(scope, name.replaceAll(' ', ''), {
      name: `${Stack.of(scope).stackName}/${name}`,
      logGroupNames: logs.map((log) => groups[log].logGroupName),
      queryString: query,
    })
}

/**
 * The saved queries, and the logs that each one reads.
 *
 * A request has the same `invocation` in the access log and in the function's log. A function that runs out of time or
 * memory logs no error, but Lambda logs a report. A warning says why a listing was answered from memory. The access log
 * has numbers as text, so sums and maxima need `* 1`.
 */
const QUERIES: Record<string, { logs: ('Access' | FunctionName)[]; query: string }> = {
  'What failed': {
    logs: ['Access', ...FUNCTION_NAMES],
    query: `fields coalesce(functionRequestId, record.requestId, requestId) as invocation, @timestamp, apiRequestId, status
| fields coalesce(message.route, routeKey) as route, message.query as query
| fields coalesce(message.error.code, message.error.errorType, message.notRefreshed.errorType) as error
| fields coalesce(message.cause.code, message.cause.errorType, message.notRefreshed.code) as loggedCause
| fields coalesce(loggedCause, record.status, integrationError, error) as cause
| fields coalesce(message.error.errorMessage, message.notRefreshed.errorMessage) as detail, @message
| fields coalesce(\`message.cause.$metadata.requestId\`, \`message.notRefreshed.$metadata.requestId\`) as databaseRequestId
| filter status >= 500 or level in ["ERROR", "WARN"] or record.status in ["timeout", "error", "failure"]
| sort @timestamp desc | limit 100`,
  },
  'Who calls most': {
    logs: ['Access'],
    query: `stats count(*) as requests, sum(responseLength * 1) as bytes by sourceIp, routeKey, status
| sort requests desc | limit 100`,
  },
  'What is slow': {
    logs: ['Access'],
    query: `stats max(responseLatency * 1) as slowestMs, count(*) as requests by routeKey, sourceIp
| sort slowestMs desc | limit 100`,
  },
}
