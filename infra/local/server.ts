/** A local HTTP server that calls the handlers as API Gateway's HTTP API does. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { create } from '../../functions/create.ts'
import { list } from '../../functions/list.ts'
import { page } from '../../functions/page.ts'
import { thumbsUp } from '../../functions/thumbsUp.ts'
import type { HttpResponse } from '../../shared/http/responses.ts'
import type { Site } from '../../shared/site/files.ts'
import type { Store } from '../../shared/store/store.ts'
import { CORS, type FunctionName, GATEWAY_MESSAGES, ROUTE_NAMES, ROUTES } from '../routes.ts'
import { codeOf, messageOf } from './causes.ts'
import { type Route, toEvent } from './event.ts'
import { type Address, CannotStart, LOCALHOST } from './startup.ts'

export type Handlers = Record<FunctionName, (event: APIGatewayProxyEventV2, context: Context) => Promise<HttpResponse>>

/** The handlers read nothing of Lambda's context. */
export const NO_CONTEXT: Context = Object({})

/** Returns the handlers on a store. */
export function handlersOf(store: Store, getSite: () => Promise<Site>): Handlers {
  const open = () => store
  return {
    Create: create(open),
    List: list(open),
    ThumbsUp: thumbsUp(open),
    Page: page(getSite, open, ({ requestContext }) => `http://${requestContext.domainName}`),
  }
}

/**
 * Starts the server, which logs a line for each request. Port 0 is any free port. `stop` waits for pending requests.
 *
 * @throws {CannotStart} if it cannot listen on the address
 */
export async function startServer(
  handlers: Handlers,
  port: number,
  log: (line: string) => void,
  host = LOCALHOST,
): Promise<Address & { stop: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    const start = performance.now()
    const { statusCode, headers, body, isBase64Encoded } = await answer(handlers, request)
    const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
    const length = [204, 304].includes(statusCode) ? {} : { 'content-length': bytes.length }
    response.writeHead(statusCode, { ...headers, ...length, ...corsHeaders(request) }).end(bytes)
    log(`${request.method} ${request.url} ${statusCode} ${Math.round(performance.now() - start)} ms`)
  })
  // After the default of 5 seconds, a slow client might send a request just when its connection ends.
  server.keepAliveTimeout = 60_000
  server.listen(port, host)
  await once(server, 'listening').catch((error) => {
    const reason = codeOf(error) === 'EADDRINUSE' ? 'another program uses it' : messageOf(error)
    throw new CannotStart(`Cannot listen on port ${port} of ${host}: ${reason}. Set PORT or HOST.`)
  })
  const address = server.address()
  return {
    host,
    port: address !== null && typeof address === 'object' ? address.port : port,
    stop: async () => {
      server.close()
      // A client may never send the rest of its request, or never read the response.
      const limit = setTimeout(() => server.closeAllConnections(), 2_500)
      await once(server, 'close')
      clearTimeout(limit)
    },
  }
}

async function answer(handlers: Handlers, request: IncomingMessage): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return { statusCode: 204, headers: {}, body: '' }
  try {
    const route = findRoute(request)
    if (route === undefined) return gatewayError(404)
    const event = toEvent(request, route, await buffer(request))
    return await handlers[ROUTES[route.name].target](event, NO_CONTEXT)
  } catch (error) {
    // decodeURIComponent rejects an invalid path.
    if (error instanceof URIError) return gatewayError(400)
    if (request.complete) console.error(error)
    return gatewayError(500)
  }
}

function gatewayError(statusCode: number): HttpResponse {
  const body = JSON.stringify({ message: GATEWAY_MESSAGES[statusCode] })
  return { statusCode, headers: { 'content-type': 'application/json' }, body }
}

/** @throws {URIError} if a path parameter is not properly percent-encoded */
function findRoute({ method, url = '/' }: IncomingMessage): Route | undefined {
  const [rawPath = '/'] = url.split('?', 1)
  for (const name of ROUTE_NAMES) {
    const route = ROUTES[name]
    const pattern = new RegExp(`^${route.path.replace(/{(\w+)\+}/, '(?<$1>.+)').replace(/{(\w+)}/, '(?<$1>[^/]+)')}$`)
    const match = method === route.method && pattern.exec(rawPath)
    if (!match) continue
    const parameters = Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)])
    return { name, pathParameters: Object.fromEntries(parameters) }
  }
  return undefined
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
