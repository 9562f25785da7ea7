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

/**
 * Returns the event of an HTTP API, in version 2.0 of its payload format.
 *
 * @param domainName the host of the server. That of the request may be forged.
 */
export function toEvent(
  request: IncomingMessage,
  { name, pathParameters }: Route,
  body: Buffer,
  domainName: string,
): APIGatewayProxyEventV2 {
  const { method = 'GET', url = '/', httpVersion, socket } = request
  const [rawPath = '/', ...afterPath] = url.split('?')
  const rawQueryString = afterPath.join('?')
  const query = queryOf(rawQueryString)
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(',')]),
  )
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
      domainName,
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
    ...encodeBody(body, headers['content-type']),
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

/** Passes a body on as API Gateway does: as text if its content type says so, otherwise as base64. */
function encodeBody(body: Buffer, contentType = ''): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  if (body.length === 0) return { isBase64Encoded: false }
  const isText = isUtf8(body) && /^(text\/|application\/(json|javascript|xml|[\w.-]+\+json))/.test(contentType)
  return isText
    ? { body: body.toString(), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true }
}
