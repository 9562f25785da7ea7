/** The arguments of a handler: API Gateway's event, and Lambda's context. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { FUNCTION_LIMITS, type FunctionName, type RouteName, routeKeyOf } from '../routes.ts'

/** The route of a request, and the parameters in its path. */
export interface Route {
  name: RouteName
  pathParameters: Record<string, string>
}

/** Returns the event of an HTTP API, in version 2.0 of its payload format. */
export function toEvent(
  request: IncomingMessage,
  { name, pathParameters }: Route,
  body: Buffer,
): APIGatewayProxyEventV2 {
  const { method = 'GET', url = '/', httpVersion, socket } = request
  const [rawPath = '/', ...afterPath] = url.split('?')
  const rawQueryString = afterPath.join('?')
  const query = queryOf(rawQueryString)
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(',')]),
  )
  const isText = isUtf8(body)
  const now = new Date()
  return {
    version: '2.0',
    routeKey: routeKeyOf(name),
    rawPath,
    rawQueryString,
    headers,
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    requestContext: {
      accountId: 'local',
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'localhost',
      http: {
        method,
        path: rawPath,
        protocol: `HTTP/${httpVersion}`,
        sourceIp: socket.remoteAddress ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: routeKeyOf(name),
      stage: '$default',
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    // API Gateway decides by the content type. The handlers read both forms.
    body: body.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  }
}

export function lambdaContext(functionName: FunctionName): Context {
  const { timeoutMs, memoryMb } = FUNCTION_LIMITS[functionName]
  const deadline = Date.now() + timeoutMs
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    logGroupName: '',
    logStreamName: '',
    memoryLimitInMB: String(memoryMb),
    getRemainingTimeInMillis: () => deadline - Date.now(),
    // For handlers that return no promises.
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}

/** Parses a query as API Gateway does: it joins the values of a repeated parameter with commas. */
function queryOf(rawQueryString: string): Record<string, string> {
  const query = new URLSearchParams(rawQueryString)
  const names = new Set(query.keys())
  return Object.fromEntries(Array.from(names, (name) => [name, query.getAll(name).join(',')]))
}
