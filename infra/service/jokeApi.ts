/** The HTTP API in front of the functions. */
import { Duration, Fn, Stack } from 'aws-cdk-lib'
import { AccessLogField } from 'aws-cdk-lib/aws-apigateway'
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CORS, type FunctionName, mapFunctions, ROUTE_NAMES, ROUTES, type RouteName, routeKeyOf } from '../routes.ts'
import { logOptions, type Settings } from '../settings.ts'
import type { RouteFunction } from './serviceFunction.ts'

/** The throttle of a route accepts a burst of all requests that its rate allows in this time. */
const BURST_SECONDS = 2

/** Requests that API Gateway accepts at once from an account in every region. */
const MAX_BURST = 1_250

export class JokeApi extends Construct {
  readonly httpApi: apigateway.HttpApi
  readonly accessLog: LogGroup
  /** The domain of the operators, if they have set one. */
  readonly domain?: apigateway.DomainName
  /** The URL that people use, with a slash at its end. */
  readonly url: string

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
    // One permission for each function, not for each of its routes.
    const integrations = mapFunctions(
      (name) => new HttpLambdaIntegration(name, functions[name], { scopePermissionToRoute: false }),
    )
    const routes = ROUTE_NAMES.flatMap((name) =>
      this.httpApi.addRoutes({
        path: ROUTES[name].path,
        methods: [apigateway.HttpMethod[ROUTES[name].method]],
        integration: integrations[ROUTES[name].target],
      }),
    )
    const { stackName, stackId } = Stack.of(this)
    this.accessLog = new LogGroup(this, 'AccessLog', {
      // Log groups with other names need room in a policy of the account, whose size is limited. The first group
      // of the UUID in the stack's id is its time, so it differs from that of an earlier stack, whose log was perhaps kept.
      logGroupName: `/aws/vendedlogs/${stackName}-${Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', stackId))))}`,
      ...logOptions(settings),
    })
    // `logGroupArn` ends in `:*`, but API Gateway's value does not, so CloudFormation would always report drift.
    const destinationArn = Fn.select(0, Fn.split(':*', this.accessLog.logGroupArn))
    const stage = new apigateway.CfnStage(this, 'Stage', {
      apiId: this.httpApi.apiId,
      // Requests to this stage have no prefix in their paths.
      stageName: '$default',
      autoDeploy: true,
      // These settings are for routes without their own throttle, such as those added by hand.
      defaultRouteSettings: {
        throttlingRateLimit: settings.listRate,
        throttlingBurstLimit: burst(settings.listRate),
      },
      // The CDK does not translate this property, so its names are CloudFormation's.
      routeSettings: Object.fromEntries(ROUTE_NAMES.map((name) => [routeKeyOf(name), routeSettings(name, settings)])),
      accessLogSettings: { destinationArn, format: JSON.stringify(ACCESS_LOG_FIELDS) },
    })
    // API Gateway rejects a stage with settings for a route that does not exist yet.
    stage.node.addDependency(...routes)
    if (settings.domain) {
      const { name: domainName, certificateArn } = settings.domain
      const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn)
      const securityPolicy = apigateway.SecurityPolicy.TLS_1_2
      this.domain = new apigateway.DomainName(this, 'Domain', { domainName, certificate, securityPolicy })
      const mapping = { apiId: this.httpApi.apiId, domainName: this.domain.name, stage: stage.ref }
      new apigateway.CfnApiMapping(this, 'Mapping', mapping)
    }
    this.url = `${settings.domain ? `https://${settings.domain.name}` : this.httpApi.apiEndpoint}/`
  }

  /** Returns a metric of API Gateway for all requests. Those of single routes would cost more than all alarms. */
  metric(metricName: string, statistic = Stats.SUM): Metric {
    return this.httpApi.metric(metricName, { statistic })
  }
}

function routeSettings(name: RouteName, settings: Settings) {
  const route = ROUTES[name]
  const rate = typeof route.rate === 'number' ? route.rate : settings[route.rate]
  return { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst(rate), DetailedMetricsEnabled: false }
}

function burst(rate: number): number {
  return Math.min(BURST_SECONDS * rate, MAX_BURST)
}

/** The fields of the access log. Clients cannot make them long, because logs are billed by size. */
const ACCESS_LOG_FIELDS = {
  apiRequestId: AccessLogField.contextRequestId(),
  // The function's log has the same id.
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
