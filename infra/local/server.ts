/** A local HTTP server that calls the handlers as API Gateway's HTTP API does. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { create } from '../../functions/create.ts'
import { list } from '../../functions/list.ts'
import { page } from '../../functions/page.ts'
import { thumbsUp } from '../../functions/thumbsUp.ts'
import type { HttpResponse } from '../../shared/http.ts'
import { QUALITY, type Site } from '../../shared/site.ts'
import type { Store } from '../../shared/store/store.ts'
import { encodedSite } from '../../web/site.ts'
import { CORS, type FunctionName, GATEWAY_MESSAGES, ROUTE_NAMES, ROUTES } from '../routes.ts'
import { lambdaContext, type Route, toEvent } from './invocation.ts'
import { type Address, cannotListen, LOCALHOST, urlOf } from './startup.ts'

export type Handlers = Record<FunctionName, (event: APIGatewayProxyEventV2, context: Context) => Promise<HttpResponse>>

/** API Gateway's limit, 10 MB. */
const MAX_BODY_BYTES = 10 * 2 ** 20

/** Returns the handlers on a store. The page is built again each time it is opened, to show changes. */
export function handlersOf(store: Store, getSite = buildFast): Handlers {
  const open = () => store
  let site: Promise<Site> | undefined
  const current = () => {
    site ??= getSite()
    return site
  }
  const servePage = page(current, open, ({ requestContext }) => `http://${requestContext.domainName}`)
  return {
    Create: create(open),
    List: list(open),
    ThumbsUp: thumbsUp(open),
    Page: (event, context) => {
      if (event.rawPath === '/') site = undefined
      return servePage(event, context)
    },
  }
}

function buildFast(): Promise<Site> {
  return encodedSite(undefined, QUALITY.fast)
}

/**
 * Starts the server. Port 0 is any free port. Requests wait for the handlers, and `stop` waits for pending requests.
 * The server logs a line for each request.
 *
 * @throws {CannotStart} if it cannot listen on the address
 */
export async function startServer(
  handlers: Promise<Handlers>,
  port: number,
  log: (line: string) => void,
  host = LOCALHOST,
): Promise<Address & { stop: () => Promise<void> }> {
  let domainName = ''
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const start = performance.now()
    const { statusCode, headers, body, isBase64Encoded } = await answer(await handlers, request, domainName)
    response.writeHead(statusCode, { ...headers, ...corsHeaders(request) })
    response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
    log(`${request.method} ${request.url} ${statusCode} ${Math.round(performance.now() - start)} ms`)
    // Fails if the client has disconnected, which is no error.
    await finished(response).catch(() => {})
  }
  const pending = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const served = serve(request, response).finally(() => pending.delete(served))
    pending.add(served)
  })
  // After the default of 5 seconds, a slow client might send a request just when its connection ends.
  server.keepAliveTimeout = 60_000
  server.listen(port, host)
  await once(server, 'listening').catch((error) => {
    throw cannotListen({ host, port }, error)
  })
  const address = server.address()
  const taken = { host, port: address !== null && typeof address === 'object' ? address.port : port }
  domainName = new URL(urlOf(taken, 'localhost')).host
  return {
    ...taken,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      await Promise.all(pending)
      // Browsers keep unused connections open.
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(handlers: Handlers, request: IncomingMessage, domainName: string): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return { statusCode: 204, headers: {}, body: '' }
  try {
    const route = findRoute(request)
    if (route === undefined) return gatewayError(404)
    const body = await buffer(request)
    if (body.length > MAX_BODY_BYTES) return gatewayError(413)
    const { target } = ROUTES[route.name]
    return await handlers[target](toEvent(request, route, body, domainName), lambdaContext(target))
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
