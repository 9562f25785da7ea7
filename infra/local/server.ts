/** A local HTTP server that calls the handlers as API Gateway's HTTP API does. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http'
import { finished } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { create } from '../../functions/create.ts'
import { list } from '../../functions/list.ts'
import { page } from '../../functions/page.ts'
import { thumbsUp } from '../../functions/thumbsUp.ts'
import type { HttpResponse } from '../../shared/http/responses.ts'
import type { Site } from '../../shared/page/files.ts'
import type { Store } from '../../shared/store/store.ts'
import { encodedSite } from '../../web/site.ts'
import { CORS, type FunctionName, GATEWAY_MESSAGES, ROUTE_NAMES, ROUTES } from '../routes.ts'
import { codeOf } from './causes.ts'
import { lambdaContext, type Route, toEvent } from './invocation.ts'
import { type Address, cannotListen, LOCALHOST } from './startup.ts'

export type Handlers = Record<FunctionName, (event: APIGatewayProxyEventV2, context: Context) => Promise<HttpResponse>>

/** API Gateway's limit, 10 MB. */
const MAX_BODY_BYTES = 10 * 2 ** 20

/** Time that `stop` gives to pending requests, because a client may never send the rest of one. */
const STOP_MS = 2_500

/** Status and message for requests that Node.js refuses before a handler could. */
const TOO_LONG = [431, `Send a URL and headers of at most ${maxHeaderSize / 1_024} kB together.`] as const
const MALFORMED = [
  400,
  "Send a whole request with a percent-encoded URL, such as: curl -G --data-urlencode 'searchString=café' URL",
] as const

/** Returns the handlers on a store. The page is built again each time it is opened, to show changes. */
export function handlersOf(store: Store, getSite = encodedSite): Handlers {
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

/**
 * Starts the server. Port 0 is any free port. Requests wait for the handlers, and `stop` waits some time for pending
 * requests. The server logs a line for each request.
 *
 * @throws {CannotStart} if it cannot listen on the address
 */
export async function startServer(
  handlers: Promise<Handlers>,
  port: number,
  log: (line: string) => void,
  host = LOCALHOST,
): Promise<Address & { stop: () => Promise<void> }> {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const start = performance.now()
    const { statusCode, headers, body, isBase64Encoded } = await answer(await handlers, request)
    const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
    const length = [204, 304].includes(statusCode) ? {} : { 'content-length': bytes.length }
    response.writeHead(statusCode, { ...headers, ...length, ...corsHeaders(request) })
    response.end(bytes)
    log(`${request.method} ${request.url} ${statusCode} ${Math.round(performance.now() - start)} ms`)
    // Fails if the client has disconnected, which is no error.
    await finished(response).catch(() => {})
  }
  const pending = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const served = serve(request, response).finally(() => pending.delete(served))
    pending.add(served)
  })
  server.on('clientError', (error, socket) => {
    const code = codeOf(error)
    // The client has gone.
    if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const [status, message] = code === 'HPE_HEADER_OVERFLOW' ? TOO_LONG : MALFORMED
    log(`${status} ${code}`)
    // Node.js would send no body.
    const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'connection: close', 'content-type: application/json']
    socket.end(`${head.join('\r\n')}\r\n\r\n${JSON.stringify({ message })}`, () => socket.destroy())
  })
  // After the default of 5 seconds, a slow client might send a request just when its connection ends.
  server.keepAliveTimeout = 60_000
  server.listen(port, host)
  await once(server, 'listening').catch((error) => {
    throw cannotListen({ host, port }, error)
  })
  const address = server.address()
  return {
    host,
    port: address !== null && typeof address === 'object' ? address.port : port,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      await Promise.race([Promise.all(pending), setTimeout(STOP_MS, undefined, { ref: false })])
      // Browsers keep unused connections open.
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(handlers: Handlers, request: IncomingMessage): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return { statusCode: 204, headers: {}, body: '' }
  try {
    const route = findRoute(request)
    if (route === undefined) return gatewayError(404)
    const body = await bodyOf(request)
    // The rest of the body would be taken for the next request.
    if (body === undefined) return gatewayError(413, { connection: 'close' })
    const { target } = ROUTES[route.name]
    return await handlers[target](toEvent(request, route, body), lambdaContext(target))
  } catch (error) {
    // decodeURIComponent rejects an invalid path.
    if (error instanceof URIError) return gatewayError(400)
    if (request.complete) console.error(error)
    return gatewayError(500)
  }
}

/** Returns the body of a request, or `undefined` once it is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function gatewayError(statusCode: number, more: Record<string, string> = {}): HttpResponse {
  const body = JSON.stringify({ message: GATEWAY_MESSAGES[statusCode] })
  return { statusCode, headers: { 'content-type': 'application/json', ...more }, body }
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
