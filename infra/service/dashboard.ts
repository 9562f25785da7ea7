/** What an operator looks at: a dashboard and saved queries of the logs. docs/operations.md explains both. */
import { Stack } from 'aws-cdk-lib'
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb'
import { CfnQueryDefinition, FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { MonitoringFacade } from 'cdk-monitoring-constructs'
import type { Construct } from 'constructs'
import { addDashboard } from '../monitoring.ts'
import { FUNCTION_NAMES, type FunctionName, mapFunctions, ROUTES, routeKeyOf } from '../routes.ts'
import type { DataTable } from './dataTable.ts'
import type { JokeApi } from './jokeApi.ts'
import type { RouteFunction, Tables } from './serviceFunction.ts'

/** What the service's alarms, dashboard and queries are about. */
export interface Monitored extends Tables {
  api: JokeApi
  functions: Record<FunctionName, RouteFunction>
}

/** @param added counts the jokes added */
export function drawDashboard(scope: Construct, { api, functions, jokes, words }: Monitored, added: Metric): void {
  const facade = addDashboard(scope)
  facade.addLargeHeader('API')
  // Imported by id: the library's types reject the construct under `exactOptionalPropertyTypes`.
  const httpApi = HttpApi.fromHttpApiAttributes(scope, 'HttpApi', { httpApiId: api.httpApi.apiId })
  for (const name of FUNCTION_NAMES) {
    const { method: apiMethod, path: apiResource } = ROUTES[name]
    facade.monitorApiGatewayV2HttpApi({ api: httpApi, apiMethod, apiResource, humanReadableName: routeKeyOf(name) })
  }
  facade.monitorCustom({
    humanReadableName: 'Jokes added',
    alarmFriendlyName: 'JokesAdded',
    metricGroups: [{ title: 'Count', metrics: [added] }],
  })
  facade.addLargeHeader('Functions')
  addFunctions(scope, facade, functions)
  facade.addLargeHeader('Tables')
  addTable(scope, facade, 'Jokes', jokes)
  addTable(scope, facade, 'JokeWords', words)
}

export function saveQueries(scope: Construct, { api, functions }: Monitored): void {
  const logs = { Access: api.accessLog, ...mapFunctions((name) => functions[name].logGroup) }
  for (const [name, { of, query }] of Object.entries(QUERIES))
    new CfnQueryDefinition(scope, name.replaceAll(' ', ''), {
      name: `${Stack.of(scope).stackName}/${name}`,
      logGroupNames: of.map((log) => logs[log].logGroupName),
      queryString: query,
    })
}

function addFunctions(scope: Construct, facade: MonitoringFacade, functions: Monitored['functions']): void {
  for (const name of FUNCTION_NAMES)
    facade.monitorLambdaFunction({ lambdaFunction: functions[name], humanReadableName: name, isIterator: false })
  // Lambda has no metric for cold starts, but logs how long each one took.
  const coldStarts = FUNCTION_NAMES.map((name) => {
    const filter = new MetricFilter(scope, `${name}ColdStarts`, {
      logGroup: functions[name].logGroup,
      filterPattern: FilterPattern.numberValue('$.record.metrics.initDurationMs', '>', 0),
      metricNamespace: Stack.of(scope).stackName,
      metricName: `${name}ColdStart`,
      metricValue: '$.record.metrics.initDurationMs',
    })
    return filter.metric({ label: name })
  })
  const metrics = (statistic: string) => coldStarts.map((metric) => metric.with({ statistic }))
  facade.monitorCustom({
    humanReadableName: 'Cold starts',
    alarmFriendlyName: 'ColdStarts',
    metricGroups: [
      { title: 'Count', metrics: metrics(Stats.SAMPLE_COUNT) },
      { title: 'Milliseconds, p90', metrics: metrics(Stats.percentile(90)) },
    ],
  })
}

function addTable(scope: Construct, facade: MonitoringFacade, name: string, data: DataTable): void {
  const table = Table.fromTableName(scope, name, data.tableName)
  facade.monitorDynamoTable({ table, billingMode: BillingMode.PAY_PER_REQUEST, humanReadableName: name })
  for (const index of data.indexNames)
    facade.monitorDynamoTableGlobalSecondaryIndex({
      table,
      globalSecondaryIndexName: index,
      humanReadableName: `${name} ${index}`,
    })
}

/** What a function logs of a request that took long or many units. */
const COSTLY = `coalesce(message.costly, routeKey) as route, message.query as query,
  message.units as units, message.calls as calls, message.isCold as isCold, message.version as version,
  coalesce(message.apiRequestId, apiRequestId) as id, status, @timestamp`

/**
 * Each query, and the logs that it reads.
 *
 * One request has the same `invocation` in the access log and in the function's log. A function that runs out of time or
 * memory logs no error, but Lambda logs a report. The name of a function's log stream holds its version. The access log holds numbers as text, so sorting needs `* 1`.
 */
const QUERIES: Record<string, { of: ('Access' | FunctionName)[]; query: string }> = {
  'What failed': {
    of: ['Access', ...FUNCTION_NAMES],
    query: `fields coalesce(functionRequestId, record.requestId, requestId) as invocation, @timestamp, apiRequestId, status
| fields coalesce(message.route, routeKey) as route, message.query as query, message.error.name as error
| fields coalesce(message.error.cause.code, message.error.cause.name, record.status, integrationError, error) as cause
| fields message.error.message as detail, message.error.cause.database.requestId as databaseRequestId, @message
| parse @logStream /\\[(?<version>[^\\]]+)\\]/
| filter status >= 500 or level = "ERROR" or record.status in ["timeout", "error", "failure"]
| sort @timestamp desc | limit 100`,
  },
  'What was slow': {
    of: ['Access', ...FUNCTION_NAMES],
    query: `fields coalesce(message.milliseconds, responseLatency * 1) as milliseconds, ${COSTLY}
| filter ispresent(message.costly) or ispresent(responseLatency) | sort milliseconds desc | limit 100`,
  },
  'What was costly': {
    of: [...FUNCTION_NAMES],
    query: `fields message.milliseconds as milliseconds, ${COSTLY}
| filter ispresent(message.costly) | sort units desc | limit 100`,
  },
  'Who receives most': {
    of: ['Access'],
    query: `stats sum(responseLength * 1) as bytes, count(*) as requests by routeKey, sourceIp
| sort bytes desc | limit 25`,
  },
  'Who calls most': {
    of: ['Access'],
    query: 'stats count(*) as requests by routeKey, sourceIp, userAgent | sort requests desc | limit 25',
  },
  'What was refused': {
    of: ['Access'],
    query: 'filter status = 429 | stats count(*) as requests by routeKey, bin(5m) | sort requests desc | limit 100',
  },
  'Which joke is upvoted most': {
    of: ['Access'],
    query: `filter routeKey = "${routeKeyOf('ThumbsUp')}"
| stats count(*) as upvotes, count_distinct(sourceIp) as addresses by path | sort upvotes desc | limit 25`,
  },
  'Who adds most': {
    of: ['Create'],
    query: `filter ispresent(message.added)
| stats count(*) as jokes, min(@timestamp) as first, max(@timestamp) as last by message.forwardedFor
| sort jokes desc | limit 25`,
  },
  'Who added what': {
    of: ['Create'],
    query: `filter ispresent(message.added)
| fields @timestamp, message.added, message.forwardedFor, message.apiRequestId | sort @timestamp desc | limit 10000`,
  },
}
