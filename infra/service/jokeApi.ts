/** The HTTP API in front of the functions. */
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  CfnStage,
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CORS, FUNCTION_NAMES, type FunctionName, ROUTES } from '../routes.ts'
import type { Settings } from '../settings.ts'
import type { ServiceFunction } from './serviceFunction.ts'

/** A burst may be of so many seconds' requests. */
const BURST_SECONDS = 2

export class JokeApi extends Construct {
  readonly httpApi: HttpApi
  readonly accessLog: LogGroup
  /** Base address of the service. */
  readonly url: string
  private readonly stage: HttpStage

  constructor(scope: Construct, id: string, functions: Record<FunctionName, ServiceFunction>, settings: Settings) {
    super(scope, id)

    this.httpApi = new HttpApi(this, 'HttpApi', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      corsPreflight: {
        allowOrigins: [...CORS.allowOrigins],
        allowMethods: CORS.allowMethods.map((method) => CorsHttpMethod[method]),
        allowHeaders: [...CORS.allowHeaders],
        exposeHeaders: [...CORS.exposeHeaders],
        maxAge: Duration.seconds(CORS.maxAgeSeconds),
      },
    })
    const routes = FUNCTION_NAMES.flatMap((name) =>
      this.httpApi.addRoutes({
        path: ROUTES[name].path,
        methods: [HttpMethod[ROUTES[name].method]],
        integration: new HttpLambdaIntegration(name, functions[name].live),
      }),
    )

    Validations.of(this.httpApi).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'The interface defines no authentication (its section 5): anybody may use the service.',
    })

    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      autoDeploy: true,
      // For a route added later, or one that loses its own by hand.
      throttle: { rateLimit: settings.listRate, burstLimit: BURST_SECONDS * settings.listRate },
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLog), format: accessLogFormat() },
    })
    // The stage refuses settings for a route that is not there yet.
    this.stage.node.addDependency(...routes)
    const { defaultChild } = this.stage.node
    if (!CfnStage.isCfnStage(defaultChild)) throw new Error('The stage has no CloudFormation resource.')
    // CloudFormation takes this property as it is, so its names are CloudFormation's.
    defaultChild.routeSettings = Object.fromEntries(
      FUNCTION_NAMES.map((name) => [
        `${ROUTES[name].method} ${ROUTES[name].path}`,
        {
          ThrottlingRateLimit: rateOf(name, settings),
          ThrottlingBurstLimit: BURST_SECONDS * rateOf(name, settings),
          DetailedMetricsEnabled: true,
        },
      ]),
    )
    this.url = this.stage.url
  }

  /** A metric of API Gateway over all routes, or of one function's. */
  metric(metricName: string, route?: FunctionName, statistic = Stats.SUM): Metric {
    return new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      statistic,
      dimensionsMap: {
        ApiId: this.httpApi.apiId,
        ...(route && { Stage: this.stage.stageName, Method: ROUTES[route].method, Resource: ROUTES[route].path }),
      },
    })
  }
}

/** Requests a second that a route lets through. */
export function rateOf(name: FunctionName, { addRate, listRate, upvoteRate }: Settings): number {
  return { Create: addRate, List: listRate, ThumbsUp: upvoteRate }[name]
}

/** One JSON object a request. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      apiRequestId: AccessLogField.contextRequestId(),
      // The same as in the function's own log.
      functionRequestId: '$context.integration.requestId',
      time: AccessLogField.contextRequestTime(),
      sourceIp: AccessLogField.contextIdentitySourceIp(),
      userAgent: AccessLogField.contextIdentityUserAgent(),
      routeKey: '$context.routeKey',
      method: AccessLogField.contextHttpMethod(),
      path: AccessLogField.contextPath(),
      status: AccessLogField.contextStatus(),
      responseLength: AccessLogField.contextResponseLength(),
      responseLatency: AccessLogField.contextResponseLatency(),
      integrationLatency: AccessLogField.contextIntegrationLatency(),
      integrationError: AccessLogField.contextIntegrationErrorMessage(),
    }),
  )
}
