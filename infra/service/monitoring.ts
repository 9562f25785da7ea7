/** What an operator looks at: a dashboard, alarms, and saved queries. What to do about each alarm: docs/operations.md. */
import { Duration, Stack } from 'aws-cdk-lib'
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2'
import { ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { BillingMode, type ITable, Operation, Table } from 'aws-cdk-lib/aws-dynamodb'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { FilterPattern, type ILogGroup, MetricFilter, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { MetricStatistic, MonitoringFacade, SnsAlarmActionStrategy } from 'cdk-monitoring-constructs'
import { Construct } from 'constructs'
import { FUNCTION_NAMES, type FunctionName, ROUTES } from '../routes.ts'
import type { Settings } from '../settings.ts'
import type { DataTable } from './dataTable.ts'
import type { JokeApi } from './jokeApi.ts'
import type { ServiceFunction, Tables } from './serviceFunction.ts'

/** One failed request among few is noise; failing on in two periods of three is not. Periods are 5 minutes. */
const LASTING = { evaluationPeriods: 3, datapointsToAlarm: 2 }

const MAX_FAULT_RATE = 0.01

/** Far above what the slowest search or a cold start takes, and below the 5 s after which the service gives up. */
const MAX_P99_LATENCY = Duration.seconds(2)

export interface Monitored extends Tables {
  api: JokeApi
  functions: Record<FunctionName, ServiceFunction>
}

export class Monitoring extends Construct {
  private readonly facade: MonitoringFacade

  constructor(scope: Construct, id: string, { api, functions, jokes, words }: Monitored, settings: Settings) {
    super(scope, id)

    const topic = this.alarmTopic(settings)
    this.facade = new MonitoringFacade(this, Stack.of(this).stackName, {
      alarmFactoryDefaults: {
        alarmNamePrefix: Stack.of(this).stackName,
        actionsEnabled: true,
        action: new SnsAlarmActionStrategy({ onAlarmTopic: topic, onOkTopic: topic }),
        datapointsToAlarm: 1,
      },
    })
    this.monitorApi(api)
    this.facade.addLargeHeader('Functions')
    for (const name of FUNCTION_NAMES) this.monitorFunction(name, functions[name])
    this.monitorColdStarts(functions)
    this.facade.addLargeHeader('Tables')
    this.monitorTable('Jokes', jokes, [
      Operation.PUT_ITEM,
      Operation.UPDATE_ITEM,
      Operation.BATCH_GET_ITEM,
      Operation.QUERY,
    ])
    this.monitorTable('JokeWords', words, [Operation.BATCH_WRITE_ITEM, Operation.QUERY])
    this.saveQueries(
      api.accessLog,
      FUNCTION_NAMES.map((name) => functions[name].logGroup),
    )
  }

  private alarmTopic({ alarmEmail }: Settings): Topic {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true })
    // A policy of its own takes the place of the one by which alarms of the account may publish.
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }

  private monitorApi({ httpApi }: JokeApi): void {
    // Seen from outside, as the library's types do not take the construct itself where optional properties are exact.
    const api = HttpApi.fromHttpApiAttributes(this, 'HttpApi', { httpApiId: httpApi.apiId })
    this.facade.addLargeHeader('API').monitorApiGatewayV2HttpApi({
      api,
      humanReadableName: 'All routes',
      alarmFriendlyName: 'Api',
      add5xxRateAlarm: {
        Critical: { maxErrorRate: MAX_FAULT_RATE, ...LASTING, runbookLink: runbook('api-fault-rate') },
      },
      addLatencyP99Alarm: {
        Warning: { maxLatency: MAX_P99_LATENCY, ...LASTING, runbookLink: runbook('api-latency-p99') },
      },
    })
    for (const name of FUNCTION_NAMES) {
      const { method, path } = ROUTES[name]
      this.facade.monitorApiGatewayV2HttpApi({
        api,
        apiMethod: method,
        apiResource: path,
        humanReadableName: `${method} ${path}`,
        alarmFriendlyName: name,
      })
    }
  }

  private monitorFunction(name: FunctionName, lambdaFunction: ServiceFunction): void {
    this.facade.monitorLambdaFunction({
      lambdaFunction,
      humanReadableName: name,
      alarmFriendlyName: name,
      isIterator: false,
      // Handlers answer every error, so that one that gets out is a crash, a timeout or a lack of memory.
      addFaultCountAlarm: { Critical: { maxErrorCount: 0, runbookLink: runbook('function-fault-count') } },
      addThrottlesCountAlarm: { Critical: { maxErrorCount: 0, runbookLink: runbook('function-throttled-count') } },
    })
  }

  /** Lambda has no metric for these, but reports how long each took in the function's log. */
  private monitorColdStarts(functions: Record<FunctionName, ServiceFunction>): void {
    const metricNamespace = Stack.of(this).stackName
    const metrics = FUNCTION_NAMES.map((name) => {
      const filter = new MetricFilter(this, `${name}ColdStarts`, {
        logGroup: functions[name].logGroup,
        filterPattern: FilterPattern.numberValue('$.record.metrics.initDurationMs', '>', 0),
        metricNamespace,
        metricName: `${name}ColdStart`,
        metricValue: '$.record.metrics.initDurationMs',
      })
      return { name, metric: (statistic: MetricStatistic) => filter.metric({ statistic, label: name }) }
    })
    this.facade.monitorCustom({
      humanReadableName: 'Cold starts',
      alarmFriendlyName: 'ColdStarts',
      metricGroups: [
        { title: 'Count', metrics: metrics.map(({ metric }) => metric(MetricStatistic.N)) },
        { title: 'Milliseconds, p90', metrics: metrics.map(({ metric }) => metric(MetricStatistic.P90)) },
      ],
    })
  }

  private monitorTable(name: string, { tableName, indexNames }: DataTable, operations: Operation[]): void {
    // Seen from outside; see monitorApi.
    const table = Table.fromTableName(this, name, tableName)
    const throttled = {
      Warning: { maxThrottledEventsThreshold: 0, ...LASTING, runbookLink: runbook('table-or-index-throttled') },
    }
    this.facade.monitorDynamoTable({
      table,
      billingMode: BillingMode.PAY_PER_REQUEST,
      humanReadableName: name,
      alarmFriendlyName: name,
      addReadThrottledEventsCountAlarm: throttled,
      addWriteThrottledEventsCountAlarm: throttled,
    })
    for (const index of indexNames) {
      this.facade.monitorDynamoTableGlobalSecondaryIndex({
        table,
        globalSecondaryIndexName: index,
        humanReadableName: `${name} ${index}`,
        alarmFriendlyName: `${name}-${index}`,
        addReadThrottledEventsCountAlarm: throttled,
        addWriteThrottledEventsCountAlarm: throttled,
      })
    }
    this.facade.monitorCustom({
      humanReadableName: `${name} system errors`,
      alarmFriendlyName: name,
      metricGroups: [
        {
          title: 'Answers of DynamoDB with 5xx',
          metrics: [
            {
              metric: systemErrors(table, operations),
              alarmFriendlyName: 'System-Errors',
              addAlarm: {
                Warning: {
                  additionalDescription: 'DynamoDB answers with errors of its own.',
                  threshold: 0,
                  comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
                  treatMissingDataOverride: TreatMissingData.NOT_BREACHING,
                  ...LASTING,
                  runbookLink: runbook('table-system-errors'),
                },
              },
            },
          ],
        },
      ],
    })
  }

  private saveQueries(accessLog: ILogGroup, functionLogs: ILogGroup[]): void {
    const save = (name: string, logGroups: ILogGroup[], query: QueryString) =>
      new QueryDefinition(this, name.replaceAll(' ', ''), {
        queryDefinitionName: `${Stack.of(this).stackName}/${name}`,
        queryString: query,
        logGroups,
      })
    save(
      'What failed',
      [accessLog, ...functionLogs],
      new QueryString({
        fields: ['@timestamp', '@log', 'requestId', 'routeKey', 'path', 'status', '@message'],
        // A function that runs out of time or memory has no line of its own, but a report.
        filterStatements: ['status >= 500 or level = "ERROR" or record.status in ["timeout", "error", "failure"]'],
        sort: '@timestamp desc',
        limit: 100,
      }),
    )
    save(
      'What was slow',
      [accessLog],
      new QueryString({
        // The access log holds texts, which would be sorted by their first digit.
        fields: ['@timestamp', 'responseLatency * 1 as milliseconds', 'routeKey', 'path', 'status', 'requestId'],
        sort: 'milliseconds desc',
        limit: 50,
      }),
    )
    save(
      'Who calls most',
      [accessLog],
      new QueryString({
        statsStatements: ['count(*) as requests, max(responseLatency * 1) as slowest by sourceIp, userAgent'],
        sort: 'requests desc',
        limit: 25,
      }),
    )
  }
}

/** In all operations that the service does: DynamoDB counts these by operation only, and only once there are some. */
function systemErrors(table: ITable, operations: Operation[]): MathExpression {
  const metrics = operations.map((operation) => ({
    name: `errors${operation}`,
    metric: table.metric('SystemErrors', {
      dimensionsMap: { TableName: table.tableName, Operation: operation },
      statistic: MetricStatistic.SUM,
    }),
  }))
  return new MathExpression({
    label: 'System errors',
    // Without FILL, one operation without errors leaves the sum without a value.
    expression: metrics.map(({ name }) => `FILL(${name},0)`).join('+'),
    usingMetrics: Object.fromEntries(metrics.map(({ name, metric }) => [name, metric])),
  })
}

function runbook(section: string): string {
  return `docs/operations.md#${section}`
}
