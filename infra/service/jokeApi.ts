/** The HTTP API in front of the functions. */
import { ArnFormat, Duration, Fn, Stack } from 'aws-cdk-lib'
import { AccessLogField } from 'aws-cdk-lib/aws-apigateway'
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CORS, FUNCTION_NAMES, type FunctionName, ROUTES, routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { logOptions, type RouteFunction } from './serviceFunction.ts'

/** A route lets through a burst of as many requests as its rate allows in this time. */
const BURST_SECONDS = 2

/** Requests that an account lets through at once, in all of its regions. */
const MAX_BURST = 1_250

/** Requests to a stage of this name have no prefix in their paths. */
const API_STAGE = '$default'

export class JokeApi extends Construct {
  readonly httpApi: apigateway.HttpApi
  readonly accessLog: LogGroup

  constructor(scope: Construct, id: string, functions: Record<FunctionName, RouteFunction>, settings: Settings) {
    super(scope, id)
    this.httpApi = new apigateway.HttpApi(this, 'HttpApi', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      corsPreflight: {
        allowOrigins: [...CORS.allowOrigins],
        allowMethods: CORS.allowMethods.map((method) => apigateway.CorsHttpMethod[method]),
        allowHeaders: [...CORS.allowHeaders],
        exposeHeaders: [...CORS.exposeHeaders],
        maxAge: Duration.seconds(CORS.maxAgeSeconds),
      },
    })
    const routes = FUNCTION_NAMES.flatMap((name) =>
      this.httpApi.addRoutes({
        path: ROUTES[name].path,
        methods: [apigateway.HttpMethod[ROUTES[name].method]],
        integration: new HttpLambdaIntegration(name, functions[name].live),
      }),
    )
    const { stackName, stackId } = Stack.of(this)
    this.accessLog = new LogGroup(this, 'AccessLog', {
      // API Gateway adds groups of other names to a policy of the account, whose size is limited. The stack's id ends in a
      // part that differs from that of an earlier stack, whose log may have been kept.
      logGroupName: `/aws/vendedlogs/${stackName}-${Fn.select(4, Fn.split('-', Fn.select(2, Fn.split('/', stackId))))}`,
      ...logOptions(settings),
    })
    // `logGroupArn` ends in `:*`, and API Gateway's own value does not, so drift would never end.
    const destinationArn = Stack.of(this).formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: this.accessLog.logGroupName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
    const stage = new apigateway.CfnStage(this, 'Stage', {
      apiId: this.httpApi.apiId,
      stageName: API_STAGE,
      autoDeploy: true,
      // For routes without a throttle of their own: added later, or changed by hand.
      defaultRouteSettings: {
        throttlingRateLimit: settings.listRate,
        throttlingBurstLimit: burst(settings.listRate),
      },
      // The CDK does not translate this property, so its names are CloudFormation's.
      routeSettings: Object.fromEntries(
        FUNCTION_NAMES.map((name) => [routeKeyOf(name), routeSettings(rateOf(name, settings))]),
      ),
      accessLogSettings: { destinationArn, format: JSON.stringify(ACCESS_LOG_FIELDS) },
    })
    // API Gateway rejects a stage with settings for a route that does not exist yet.
    stage.node.addDependency(...routes)
  }

  /** A metric of API Gateway for one route, or for all of them. */
  metric(metricName: string, route?: FunctionName, statistic = Stats.SUM): Metric {
    const { apiId } = this.httpApi
    if (route === undefined) return this.httpApi.metric(metricName, { statistic })
    const { method: Method, path: Resource } = ROUTES[route]
    return this.httpApi.metric(metricName, {
      statistic,
      dimensionsMap: { ApiId: apiId, Stage: API_STAGE, Method, Resource },
    })
  }
}

function routeSettings(rate: number) {
  return { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst(rate), DetailedMetricsEnabled: true }
}

function burst(rate: number): number {
  return Math.min(BURST_SECONDS * rate, MAX_BURST)
}

/** Requests per second that a route lets through. */
export function rateOf(name: FunctionName, { addRate, listRate, upvoteRate }: Settings): number {
  return { Create: addRate, List: listRate, ThumbsUp: upvoteRate }[name]
}

/** The access log has one JSON object for each request. Each field is short, whatever clients send: logs are billed by size. */
const ACCESS_LOG_FIELDS = {
  apiRequestId: AccessLogField.contextRequestId(),
  // As in the function's log.
  functionRequestId: '$context.integration.requestId',
  time: AccessLogField.contextRequestTime(),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  routeKey: '$context.routeKey',
  status: AccessLogField.contextStatus(),
  responseLength: AccessLogField.contextResponseLength(),
  responseLatency: AccessLogField.contextResponseLatency(),
  integrationLatency: AccessLogField.contextIntegrationLatency(),
  integrationError: AccessLogField.contextIntegrationErrorMessage(),
}
