/** The HTTP API in front of the functions. */
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib'
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import { CorsHttpMethod, HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CORS, FUNCTION_NAMES, type FunctionName, ROUTES } from '../routes.ts'
import type { Settings } from '../settings.ts'

export class JokeApi extends Construct {
  readonly httpApi: HttpApi
  readonly accessLog: LogGroup
  /** Base address of the service. */
  readonly url: string

  constructor(scope: Construct, id: string, functions: Record<FunctionName, IFunction>, settings: Settings) {
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
    for (const name of FUNCTION_NAMES) {
      const { method, path } = ROUTES[name]
      this.httpApi.addRoutes({
        path,
        methods: [HttpMethod[method]],
        integration: new HttpLambdaIntegration(name, functions[name]),
      })
    }

    Validations.of(this.httpApi).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'The interface defines no authentication (its section 5): anybody may use the service.',
    })

    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      autoDeploy: true,
      detailedMetricsEnabled: true,
      throttle: { rateLimit: settings.throttleRate, burstLimit: settings.throttleBurst },
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLog), format: accessLogFormat() },
    })
    this.url = stage.url
  }
}

/** One JSON object a request. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: AccessLogField.contextRequestId(),
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
