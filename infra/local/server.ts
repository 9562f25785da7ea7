/** The handlers behind a local HTTP server that does what API Gateway's HTTP API does around them. */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import compression from 'compression'
import etag from 'etag'
import fresh from 'fresh'
import { type Answer, respond } from '../../shared/http.ts'
import { buildSite, SECURITY_HEADERS, type SiteFile } from '../../web/build.ts'
import { CORS, FUNCTION_NAMES, type FunctionName, ROUTES } from '../routes.ts'
import { type Address, cannotListen, THIS_MACHINE } from './startup.ts'

/** What the functions answer, and what files are made of. */
type LocalAnswer = Omit<Answer, 'body'> & { body: SiteFile['body'] }
type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Answer>
export type Handlers = Record<FunctionName, Handler>

/** API Gateway takes at most 10 MB. */
const MAX_BODY_BYTES = 10 * 2 ** 20
/** The functions' timeout. */
const TIMEOUT_MS = 10_000

/** As CloudFront does it: answers to GET of 1,000 bytes and more, of types that gain by it. */
const compress = compression({
  threshold: 1_000,
  filter: (request, response) => request.method === 'GET' && compression.filter(request, response),
})

/** Loads the handlers, which read their settings from the environment at that moment. */
export async function loadHandlers(): Promise<Handlers> {
  const [create, list, thumbsUp] = await Promise.all([
    import('../../functions/create.ts'),
    import('../../functions/list.ts'),
    import('../../functions/thumbsUp.ts'),
  ])
  return { Create: create.handler, List: list.handler, ThumbsUp: thumbsUp.handler }
}

/**
 * Starts to listen; `stop` lets requests under way finish.
 *
 * @param handlers requests that come before they are there wait for them
 * @param port 0: any that is free
 * @param log gets a line for each request
 * @throws {CannotStart} where it cannot listen there
 */
export async function startServer(
  handlers: Promise<Handlers>,
  port: number,
  log: (line: string) => void,
  host = THIS_MACHINE,
): Promise<Address & { stop: () => Promise<void> }> {
  const underWay = new Set<Promise<void>>()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const start = performance.now()
    const { statusCode, headers, body } = await answer(await handlers, request)
    compress(request, response, () => {
      const length = body.length > 0 && { 'content-length': Buffer.byteLength(body) }
      response.writeHead(statusCode, { ...headers, ...length, ...corsHeaders(request) }).end(body)
    })
    log(`${request.method} ${request.url} ${statusCode} ${Math.round(performance.now() - start)} ms`)
    // A client that goes away before the end is no fault of the service.
    await finished(response).catch(() => {})
  }
  const server = createServer((request, response) => {
    const served = serve(request, response).finally(() => underWay.delete(served))
    underWay.add(served)
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen({ host, port }, error)
  }
  const address = server.address()
  return {
    host,
    port: address !== null && typeof address === 'object' ? address.port : port,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      await Promise.all(underWay)
      // Browsers hold on to connections that they have not used yet.
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(handlers: Handlers, request: IncomingMessage): Promise<LocalAnswer> {
  if (request.method === 'OPTIONS') return { statusCode: 204, headers: {}, body: '' }
  try {
    const route = findRoute(request)
    if (route === undefined) return (await findFile(request)) ?? respond(404, { message: 'Not Found' })
    const body = await readBody(request)
    if (body === undefined) return respond(413, { message: 'Request Entity Too Large' })
    return await handlers[route.name](toEvent(request, route, body), lambdaContext(route.name))
  } catch (error) {
    // A path that cannot be decoded.
    if (error instanceof URIError) return respond(400, { message: 'Bad Request' })
    if (request.complete) console.error(error)
    return respond(500, { message: 'Internal Server Error' })
  }
}

let site: ReturnType<typeof buildSite> | undefined

/** The page and the reference, which CloudFront serves where the service is deployed with them. */
async function findFile({ method = '', url = '/', headers }: IncomingMessage): Promise<LocalAnswer | undefined> {
  if (!['GET', 'HEAD'].includes(method)) return undefined
  const [path = '/'] = url.split('?', 1)
  // Anew whenever the page is opened, so that what is changed there shows.
  if (site === undefined || path === '/') site = buildSite()
  const file = (await site).get(path) ?? (await site).get(path.replace(/(?<=[^/])\/$/, ''))
  if (file === undefined) return undefined
  const tag = etag(file.body, { weak: true })
  const validation = { 'cache-control': 'no-cache', etag: tag }
  if (fresh(headers, { etag: tag })) return { statusCode: 304, headers: validation, body: '' }
  return {
    statusCode: 200,
    headers: { ...SECURITY_HEADERS, ...validation, 'content-type': file.contentType },
    body: file.body,
  }
}

interface Match {
  name: FunctionName
  routeKey: string
  pathParameters: Record<string, string>
}

/** @throws {URIError} where a path parameter is not properly percent-encoded */
function findRoute({ method, url = '/' }: IncomingMessage): Match | undefined {
  const [rawPath = '/'] = url.split('?', 1)
  for (const name of FUNCTION_NAMES) {
    const route = ROUTES[name]
    const pattern = new RegExp(`^${route.path.replaceAll(/{(\w+)}/g, '(?<$1>[^/]+)')}$`)
    const match = method === route.method && pattern.exec(rawPath)
    if (!match) continue
    const parameters = Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)])
    return {
      name,
      routeKey: `${route.method} ${route.path}`,
      pathParameters: Object.fromEntries(parameters),
    }
  }
  return undefined
}

/** The whole body, or nothing where it is too long. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return length <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined
}

/** The event in the format that HTTP APIs send, payload version 2.0. */
function toEvent(request: IncomingMessage, route: Match, body: Buffer): APIGatewayProxyEventV2 {
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
    routeKey: route.routeKey,
    rawPath,
    rawQueryString,
    headers,
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(Object.keys(route.pathParameters).length > 0 && { pathParameters: route.pathParameters }),
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
      routeKey: route.routeKey,
      stage: '$default',
      time: now.toISOString(),
      timeEpoch: now.getTime(),
    },
    ...encodeBody(body, headers['content-type']),
  }
}

/** API Gateway joins the values of a repeated parameter with commas. */
function queryOf(rawQueryString: string): Record<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const before = query.get(name)
    query.set(name, before === undefined ? value : `${before},${value}`)
  }
  return Object.fromEntries(query)
}

/** API Gateway hands on as text what its content type says is text, all else base64-encoded. */
function encodeBody(body: Buffer, contentType = ''): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  if (body.length === 0) return { isBase64Encoded: false }
  const isText = isUtf8(body) && /^(text\/|application\/(json|javascript|xml|[\w.-]+\+json))/.test(contentType)
  return isText
    ? { body: body.toString(), isBase64Encoded: false }
    : { body: body.toString('base64'), isBase64Encoded: true }
}

/** What Lambda hands to a handler beside the event. */
export function lambdaContext(functionName: string): Context {
  const deadline = Date.now() + TIMEOUT_MS
  const unsupported = () => {
    throw new Error('Handlers return promises.')
  }
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    logGroupName: '',
    logStreamName: '',
    memoryLimitInMB: '1024',
    getRemainingTimeInMillis: () => deadline - Date.now(),
    done: unsupported,
    fail: unsupported,
    succeed: unsupported,
  }
}

function corsHeaders({ method, headers }: IncomingMessage): Record<string, string> {
  if (headers.origin === undefined) return {}
  const allowed = { 'access-control-allow-origin': CORS.allowOrigins.join() }
  if (method !== 'OPTIONS') return { ...allowed, 'access-control-expose-headers': CORS.exposeHeaders.join() }
  return {
    ...allowed,
    'access-control-allow-methods': CORS.allowMethods.join(),
    'access-control-allow-headers': CORS.allowHeaders.join(),
    'access-control-max-age': String(CORS.maxAgeSeconds),
  }
}
