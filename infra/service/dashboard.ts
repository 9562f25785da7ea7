/** The service's dashboard: traffic, errors and latency of the API, the functions and the tables. */
import { Stack } from 'aws-cdk-lib'
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { MonitoringFacade } from 'cdk-monitoring-constructs'
import type { Construct } from 'constructs'
import { FUNCTION_NAMES, type FunctionName, ROUTES, routeKeyOf } from '../routes.ts'
import type { DataTable } from './dataTable.ts'
import type { JokeApi } from './jokeApi.ts'
import type { ServiceFunction, Tables } from './serviceFunction.ts'

/** What the service's alarms, dashboard and queries are about. */
export interface Monitored extends Tables {
  api: JokeApi
  functions: Record<FunctionName, ServiceFunction>
}

export function drawDashboard(scope: Construct, { api, functions, jokes, words }: Monitored): void {
  const facade = new MonitoringFacade(scope, Stack.of(scope).stackName)
  facade.addLargeHeader('API')
  addRoutes(scope, facade, api)
  facade.addLargeHeader('Functions')
  addFunctions(scope, facade, functions)
  facade.addLargeHeader('Tables')
  addTable(scope, facade, 'Jokes', jokes)
  addTable(scope, facade, 'JokeWords', words)
}

function addRoutes(scope: Construct, facade: MonitoringFacade, { httpApi }: JokeApi): void {
  // Imported by id: the library's types reject the construct under `exactOptionalPropertyTypes`.
  const api = HttpApi.fromHttpApiAttributes(scope, 'HttpApi', { httpApiId: httpApi.apiId })
  for (const name of FUNCTION_NAMES) {
    const { method: apiMethod, path: apiResource } = ROUTES[name]
    facade.monitorApiGatewayV2HttpApi({ api, apiMethod, apiResource, humanReadableName: routeKeyOf(name) })
  }
}

function addFunctions(scope: Construct, facade: MonitoringFacade, functions: Monitored['functions']): void {
  for (const name of FUNCTION_NAMES)
    facade.monitorLambdaFunction({ lambdaFunction: functions[name], humanReadableName: name, isIterator: false })
  const coldStarts = FUNCTION_NAMES.map((name) => coldStartFilter(scope, name, functions[name]))
  const metrics = (statistic: string) => coldStarts.map(({ filter, label }) => filter.metric({ statistic, label }))
  facade.monitorCustom({
    humanReadableName: 'Cold starts',
    alarmFriendlyName: 'ColdStarts',
    metricGroups: [
      { title: 'Count', metrics: metrics(Stats.SAMPLE_COUNT) },
      { title: 'Milliseconds, p90', metrics: metrics(Stats.percentile(90)) },
    ],
  })
}

/** Lambda has no metric for cold starts, but logs how long each one took. */
function coldStartFilter(scope: Construct, label: FunctionName, { logGroup }: ServiceFunction) {
  const filter = new MetricFilter(scope, `${label}ColdStarts`, {
    logGroup,
    filterPattern: FilterPattern.numberValue('$.record.metrics.initDurationMs', '>', 0),
    metricNamespace: Stack.of(scope).stackName,
    metricName: `${label}ColdStart`,
    metricValue: '$.record.metrics.initDurationMs',
  })
  return { filter, label }
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
