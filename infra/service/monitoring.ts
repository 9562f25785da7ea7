/** What an operator hears and looks at: alarms, a budget, a dashboard, saved queries. docs/operations.md explains each. */
import { Annotations, Duration, Stack } from 'aws-cdk-lib'
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { CfnBudget } from 'aws-cdk-lib/aws-budgets'
import { type Alarm, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { BillingMode, Operation, Table } from 'aws-cdk-lib/aws-dynamodb'
import { CfnQueryDefinition, FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { MonitoringFacade } from 'cdk-monitoring-constructs'
import { Construct } from 'constructs'
import { Alarms, failures, sum } from '../alarms.ts'
import { FUNCTION_NAMES, type FunctionName, mapFunctions, ROUTES } from '../routes.ts'
import { keepsData, type Settings } from '../settings.ts'
import type { DataTable } from './dataTable.ts'
import { type JokeApi, rateOf } from './jokeApi.ts'
import type { ServiceFunction, Tables } from './serviceFunction.ts'

/** One bad moment is noise; two periods of three are not. */
const LASTING = { evaluationPeriods: 3, datapointsToAlarm: 2 }

/** Far above what the slowest search or a cold start takes, and below the 5 s after which the service gives up. */
const MAX_P99_LATENCY = Duration.seconds(2)

/** Answers of 429 in five minutes: more than a burst of one impatient client. */
const MANY_REFUSED = 50

/** So near to its throttle a route refuses: under heavy load, API Gateway doesn't log each refusal. */
const NEAR_THROTTLE = 0.9

const OPERATIONS = {
  jokes: [Operation.GET_ITEM, Operation.PUT_ITEM, Operation.UPDATE_ITEM, Operation.BATCH_GET_ITEM, Operation.QUERY],
  words: [Operation.BATCH_WRITE_ITEM, Operation.QUERY],
}

export interface Monitored extends Tables {
  api: JokeApi
  functions: Record<FunctionName, ServiceFunction>
}

export class Monitoring extends Construct {
  readonly alarms: Alarms
  /** For each route, the alarm that rings within minutes of its failing. */
  readonly failing: Record<FunctionName, Alarm>
  private readonly monitored: Monitored

  constructor(scope: Construct, id: string, monitored: Monitored, settings: Settings) {
    super(scope, id)
    this.monitored = monitored
    this.alarms = new Alarms(this, 'Alarms', settings)
    this.failing = mapFunctions((name) => this.watchRoute(name))
    this.watchApi(settings)
    this.watchFunctions()
    this.watchTables()
    this.watchMoney(settings)
    this.drawDashboard()
    this.saveQueries()
  }

  /** Adds two alarms for a route, for the failures of busy minutes and of quiet hours. */
  private watchRoute(name: FunctionName): Alarm {
    const { api } = this.monitored
    const route = `${ROUTES[name].method} ${ROUTES[name].path}`
    const failed = (period: Duration) => failures(api.metric('Count', name), api.metric('5xx', name), period)
    this.alarms.add(
      `${name} failing for an hour`,
      {
        means: `In an hour, 3 requests to ${route} failed, or 1 % of many.`,
        metric: failed(Duration.hours(1)),
      },
      'Route failing',
    )
    return this.alarms.add(
      `${name} failing`,
      {
        means: `In two minutes of three, 3 requests to ${route} failed, or 1 % of many.`,
        metric: failed(Duration.minutes(1)),
        ...LASTING,
      },
      'Route failing',
    )
  }

  private watchApi(settings: Settings): void {
    const { api } = this.monitored
    this.alarms.add('Requests slow', {
      means: 'In two of three times 5 minutes, one request in a hundred took longer than 2 seconds.',
      metric: api.metric('Latency', undefined, Stats.percentile(99)),
      threshold: MAX_P99_LATENCY.toMilliseconds(),
      ...LASTING,
    })
    const refused = new MetricFilter(this, 'Refused', {
      logGroup: api.accessLog,
      filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'Refused',
    }).metric({ statistic: Stats.SUM })
    const period = Duration.minutes(5)
    const near = FUNCTION_NAMES.map(
      (name) => `FILL(${name.toLowerCase()},0) >= ${NEAR_THROTTLE * rateOf(name, settings) * period.toSeconds()}`,
    )
    const counts = FUNCTION_NAMES.map((name) => [name.toLowerCase(), api.metric('Count', name)])
    this.alarms.add('Requests refused', {
      means: 'In two of three times 5 minutes, a route got more requests than its throttle lets through.',
      metric: new MathExpression({
        label: 'Refuses',
        expression: `IF(${[`FILL(refused,0) >= ${MANY_REFUSED}`, ...near].join(' || ')}, 1, 0)`,
        usingMetrics: { refused, ...Object.fromEntries(counts) },
        period,
      }),
      ...LASTING,
    })
  }

  private watchFunctions(): void {
    const functions = Object.values(this.monitored.functions)
    const errors = functions.map((each) => each.metricErrors())
    const throttles = functions.map((each) => each.metricThrottles())
    // Handlers answer every other error themselves.
    const means = 'A function crashed, ran out of time or out of memory.'
    this.alarms.add('Function crashed', { means, metric: sum(errors) })
    this.alarms.add('Function throttled', {
      means: 'Lambda had no capacity left for a function.',
      metric: sum(throttles),
    })
  }

  private watchTables(): void {
    const { jokes, words } = this.monitored
    const inAll = (metricName: string) => [
      ...OPERATIONS.jokes.map((operation) => metricOf(jokes, metricName, { Operation: operation })),
      ...OPERATIONS.words.map((operation) => metricOf(words, metricName, { Operation: operation })),
    ]
    this.alarms.add('Database failing', {
      means: 'In two of three times 5 minutes, DynamoDB answered with errors of its own.',
      metric: sum(inAll('SystemErrors')),
      ...LASTING,
    })
    this.alarms.add('Database throttled', {
      means: 'In two of three times 5 minutes, DynamoDB refused calls for load.',
      metric: sum(inAll('ThrottledRequests')),
      ...LASTING,
    })
    const bounded = (table: DataTable, kind: 'Read' | 'Write', indexNames: string[]) =>
      [{}, ...indexNames.map((name) => ({ GlobalSecondaryIndexName: name }))].map((dimensions) =>
        metricOf(table, `${kind}MaxOnDemandThroughputThrottleEvents`, dimensions),
      )
    this.alarms.add('Database bounded', {
      means: 'In two of three times 5 minutes, maxReadUnits or maxWriteUnits, which are ours, refused calls.',
      metric: sum([
        ...bounded(jokes, 'Read', jokes.indexNames),
        // An alarm takes ten metrics. The other indexes are written with the table, and never more than it.
        ...bounded(jokes, 'Write', ['byThumbsUp', 'byDateAdded']),
        ...bounded(words, 'Read', []),
        ...bounded(words, 'Write', []),
      ]),
      ...LASTING,
    })
  }

  /** One budget for the account, which production brings along. */
  private watchMoney(settings: Settings): void {
    if (!keepsData(settings)) return
    const { alarmEmail, monthlyBudget } = settings
    if (alarmEmail === undefined) {
      Annotations.of(this).addWarningV2(
        'joke-service:alarmEmail',
        'Nobody will hear of alarms or of the bill: set alarmEmail for prod in cdk.json.',
      )
      return
    }
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: Stack.of(this).stackName,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyBudget, unit: 'USD' },
      },
      notificationsWithSubscribers: [80, 100].map((threshold) => ({
        notification: { notificationType: 'ACTUAL', comparisonOperator: 'GREATER_THAN', threshold },
        subscribers: [{ subscriptionType: 'EMAIL', address: alarmEmail }],
      })),
    })
  }

  private drawDashboard(): void {
    const { api, functions, jokes, words } = this.monitored
    const facade = new MonitoringFacade(this, Stack.of(this).stackName)
    // Imported by name: the library's types reject the constructs under `exactOptionalPropertyTypes`.
    const httpApi = HttpApi.fromHttpApiAttributes(this, 'HttpApi', { httpApiId: api.httpApi.apiId })
    facade.addLargeHeader('API')
    for (const name of FUNCTION_NAMES) {
      const { method, path } = ROUTES[name]
      facade.monitorApiGatewayV2HttpApi({
        api: httpApi,
        apiMethod: method,
        apiResource: path,
        humanReadableName: `${method} ${path}`,
        alarmFriendlyName: name,
      })
    }
    facade.addLargeHeader('Functions')
    for (const name of FUNCTION_NAMES)
      facade.monitorLambdaFunction({
        lambdaFunction: functions[name],
        humanReadableName: name,
        alarmFriendlyName: name,
        isIterator: false,
      })
    const coldStarts = FUNCTION_NAMES.map((name) => this.coldStarts(name))
    facade.monitorCustom({
      humanReadableName: 'Cold starts',
      alarmFriendlyName: 'ColdStarts',
      metricGroups: [
        { title: 'Count', metrics: coldStarts.map((metric) => metric(Stats.SAMPLE_COUNT)) },
        { title: 'Milliseconds, p90', metrics: coldStarts.map((metric) => metric(Stats.percentile(90))) },
      ],
    })
    facade.addLargeHeader('Tables')
    for (const [name, { tableName, indexNames }] of Object.entries({ Jokes: jokes, JokeWords: words })) {
      const table = Table.fromTableName(this, name, tableName)
      facade.monitorDynamoTable({
        table,
        billingMode: BillingMode.PAY_PER_REQUEST,
        humanReadableName: name,
        alarmFriendlyName: name,
      })
      for (const index of indexNames)
        facade.monitorDynamoTableGlobalSecondaryIndex({
          table,
          globalSecondaryIndexName: index,
          humanReadableName: `${name} ${index}`,
          alarmFriendlyName: `${name}-${index}`,
        })
    }
  }

  /** Lambda has no metric for these, but reports how long each took in the function's log. */
  private coldStarts(name: FunctionName): (statistic: string) => Metric {
    const filter = new MetricFilter(this, `${name}ColdStarts`, {
      logGroup: this.monitored.functions[name].logGroup,
      filterPattern: FilterPattern.numberValue('$.record.metrics.initDurationMs', '>', 0),
      metricNamespace: Stack.of(this).stackName,
      metricName: `${name}ColdStart`,
      metricValue: '$.record.metrics.initDurationMs',
    })
    return (statistic) => filter.metric({ statistic, label: name })
  }

  private saveQueries(): void {
    const { api, functions } = this.monitored
    const logs = { Access: api.accessLog, ...mapFunctions((name) => functions[name].logGroup) }
    for (const [name, { of, query }] of Object.entries(QUERIES))
      new CfnQueryDefinition(this, name.replaceAll(' ', ''), {
        name: `${Stack.of(this).stackName}/${name}`,
        logGroupNames: of.map((log) => logs[log].logGroupName),
        queryString: query.trim(),
      })
  }
}

// The access log and the function's lines of one request have the same invocation. A function that runs out of time or
// memory has no line of its own, but a report. The access log holds texts, which would be sorted by their first digit.
const QUERIES: Record<string, { of: ('Access' | FunctionName)[]; query: string }> = {
  'What failed': {
    of: ['Access', ...FUNCTION_NAMES],
    query: `
fields coalesce(functionRequestId, record.requestId, requestId) as invocation, @timestamp, apiRequestId, status
| fields coalesce(message.route, routeKey) as route, message.query as query, message.error.message as error
| fields coalesce(message.error.cause.name, message.error.name, record.status, integrationError) as cause
| fields message.error.cause.databaseRequestId as databaseRequestId, @message
| filter status >= 500 or level = "ERROR" or record.status in ["timeout", "error", "failure"]
| sort @timestamp desc | limit 100`,
  },
  'What was slow': {
    of: ['Access'],
    query: `
fields @timestamp, responseLatency * 1 as milliseconds, routeKey, path, status, functionRequestId
| sort milliseconds desc | limit 50`,
  },
  'Who calls most': {
    of: ['Access'],
    query: 'stats count(*) as requests by routeKey, sourceIp, userAgent | sort requests desc | limit 25',
  },
  'What was refused': {
    of: ['Access'],
    query: 'filter status = 429 | stats count(*) as requests by routeKey, bin(5m) | sort requests desc | limit 100',
  },
  'Which joke is voted on most': {
    of: ['Access'],
    query: `
filter routeKey = "${ROUTES.ThumbsUp.method} ${ROUTES.ThumbsUp.path}"
| stats count(*) as upvotes, count_distinct(sourceIp) as addresses by path | sort upvotes desc | limit 25`,
  },
  'Who adds most': {
    of: ['Create'],
    query: `
filter ispresent(message.added)
| stats count(*) as jokes, min(@timestamp) as first, max(@timestamp) as last by message.forwardedFor
| sort jokes desc | limit 25`,
  },
  'Who added what': {
    of: ['Create'],
    query: `
filter ispresent(message.added)
| fields @timestamp, message.added, message.forwardedFor, message.apiRequestId | sort @timestamp desc | limit 10000`,
  },
}

function metricOf({ tableName }: DataTable, metricName: string, dimensions: Record<string, string> = {}): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    statistic: Stats.SUM,
    dimensionsMap: { TableName: tableName, ...dimensions },
  })
}
