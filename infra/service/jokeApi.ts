/** The HTTP API in front of the functions. */
import { Duration, Fn, Stack } from 'aws-cdk-lib'
import { AccessLogField } from 'aws-cdk-lib/aws-apigateway'
import * as apigateway from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CORS, type FunctionName, mapFunctions, ROUTE_NAMES, ROUTES, type RouteName, routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { addLogGroup, type ServiceFunction } from './serviceFunction.ts'

export class JokeApi extends Construct {
  readonly httpApi: apigateway.HttpApi
  /** The domain of the operators, if they have set one. */
  readonly domain?: apigateway.DomainName
  readonly accessLog: LogGroup

  constructor(scope: Construct, id: string, functions: Record<FunctionName, ServiceFunction>, settings: Settings) {
    super(scope, id)
    const ipAddressType = apigateway.IpAddressType.DUAL_STACK
    this.httpApi = new apigateway.HttpApi(this, 'HttpApi', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      ipAddressType,
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
    // For a log with another name, API Gateway needs room in a policy of the account, whose size is limited.
    this.accessLog = addLogGroup(this, 'AccessLog', `/aws/vendedlogs/${Stack.of(this).stackName}-Access`)
    const stage = new apigateway.CfnStage(this, 'Stage', {
      apiId: this.httpApi.apiId,
      // Requests to this stage have no prefix in their paths.
      stageName: '$default',
      autoDeploy: true,
      // Each route has settings of its own.
      defaultRouteSettings: { throttlingRateLimit: settings.listRate, throttlingBurstLimit: 2 * settings.listRate },
      // The CDK does not translate this property, so its names are CloudFormation's.
      routeSettings: Object.fromEntries(ROUTE_NAMES.map((name) => [routeKeyOf(name), throttleOf(name, settings)])),
      accessLogSettings: {
        // The ARN ends in `:*`, but API Gateway's value does not, so CloudFormation would always report drift.
        destinationArn: Fn.select(0, Fn.split(':*', this.accessLog.logGroupArn)),
        format: JSON.stringify(ACCESS_LOG_FIELDS),
      },
    })
    // API Gateway rejects a stage with settings for a route that does not exist yet.
    stage.node.addDependency(...routes)
    if (settings.domain) {
      const { name: domainName, certificateArn } = settings.domain
      const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn)
      const securityPolicy = apigateway.SecurityPolicy.TLS_1_2
      const options = { domainName, certificate, securityPolicy, ipAddressType }
      this.domain = new apigateway.DomainName(this, 'Domain', options)
      const mapping = { apiId: this.httpApi.apiId, domainName: this.domain.name, stage: stage.ref }
      new apigateway.CfnApiMapping(this, 'Mapping', mapping)
    }
  }
}

function throttleOf(name: RouteName, settings: Settings) {
  const route = ROUTES[name]
  const rate = typeof route.rate === 'number' ? route.rate : settings[route.rate]
  return { ThrottlingRateLimit: rate, ThrottlingBurstLimit: 2 * rate, DetailedMetricsEnabled: false }
}

/** The fields of the access log. Clients cannot make them long, because logs are billed by size. */
const ACCESS_LOG_FIELDS = {
  // The functions' logs have the same id.
  apiRequestId: AccessLogField.contextRequestId(),
  time: AccessLogField.contextRequestTime(),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  routeKey: '$context.routeKey',
  status: AccessLogField.contextStatus(),
  responseLength: AccessLogField.contextResponseLength(),
  responseLatency: AccessLogField.contextResponseLatency(),
  // The answer of Lambda itself, such as 429 if it had no capacity. An error's message could hold quotation marks, which
  // would break the line, so that no alarm would count it.
  lambdaStatus: '$context.integration.integrationStatus',
}
