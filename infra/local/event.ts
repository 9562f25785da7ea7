/** The event of API Gateway's HTTP APIs, in version 2.0 of its payload format. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { type RouteName, routeKeyOf } from '../routes.ts'

/** The route of a request, and the parameters in its path. */
export interface Route {
  name: RouteName
  pathParameters: Record<string, string>
}

export function toEvent(
  { method = 'GET', url = '/', headersDistinct }: IncomingMessage,
  { name, pathParameters }: Route,
  body: Buffer,
): APIGatewayProxyEventV2 {
  const [rawPath = '/', rawQueryString = ''] = url.split(/\?(.*)/s)
  const headers = Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(',')]))
  const isText = isUtf8(body)
  const now = new Date()
  return {
    version: '2.0',
    routeKey: routeKeyOf(name),
    rawPath,
    rawQueryString,
    headers,
    queryStringParameters: queryOf(rawQueryString),
    pathParameters,
    requestContext: {
      accountId: 'local',
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'localhost',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '', userAgent: headers['user-agent'] ?? '' },
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

/** Parses a query as API Gateway does: it joins the values of a repeated parameter with commas. */
function queryOf(rawQueryString: string): Record<string, string> {
  const query = new URLSearchParams(rawQueryString)
  return Object.fromEntries(Array.from(query.keys(), (name) => [name, query.getAll(name).join(',')]))
}
