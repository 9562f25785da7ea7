/** The HTTP API and its functions as data, for the stack, the local server and the OpenAPI document. */
import { STATUS_CODES } from 'node:http'

/** The operations of the contract. Each has a function and a route of the same name. */
export const OPERATION_NAMES = ['Create', 'List', 'ThumbsUp'] as const
export type OperationName = (typeof OPERATION_NAMES)[number]

/** The functions, by their construct ids. Deployed resources have these ids, so renaming one would replace it. */
export const FUNCTION_NAMES = [...OPERATION_NAMES, 'Page'] as const
export type FunctionName = (typeof FUNCTION_NAMES)[number]

/**
 * The routes. `File` leads to the function of the page too, and takes all paths that no other route has. Programs that check
 * links or uptime send `HEAD`, which gets the headers of a `GET` (RFC 9110, section 9.3.2).
 */
export const ROUTE_NAMES = [...FUNCTION_NAMES, 'File', 'ListHead', 'PageHead', 'FileHead'] as const
export type RouteName = (typeof ROUTE_NAMES)[number]

/** A `rate` is the requests per second that a route accepts, or the setting that has them. Few programs send `HEAD`. */
export const ROUTES = {
  Create: { method: 'POST', path: '/joke', target: 'Create', rate: 'createRate' },
  List: { method: 'GET', path: '/joke', target: 'List', rate: 'listRate' },
  ThumbsUp: { method: 'POST', path: '/thumbsUp/{id}', target: 'ThumbsUp', rate: 'thumbsUpRate' },
  Page: { method: 'GET', path: '/', target: 'Page', rate: 'pageRate' },
  File: { method: 'GET', path: '/{file+}', target: 'Page', rate: 'pageRate' },
  ListHead: { method: 'HEAD', path: '/joke', target: 'List', rate: 5 },
  PageHead: { method: 'HEAD', path: '/', target: 'Page', rate: 5 },
  FileHead: { method: 'HEAD', path: '/{file+}', target: 'Page', rate: 5 },
} as const satisfies Record<RouteName, { method: string; path: string; target: FunctionName; rate: string | number }>

export function mapFunctions<Value>(make: (name: FunctionName) => Value): Record<FunctionName, Value> {
  return { Create: make('Create'), List: make('List'), ThumbsUp: make('ThumbsUp'), Page: make('Page') }
}

/** Returns API Gateway's name for a route, such as `POST /joke`. */
export function routeKeyOf(name: RouteName) {
  return `${ROUTES[name].method} ${ROUTES[name].path}` as const
}

/** The memory is for speed: Lambda gives CPU in proportion to it, and a cold start spends its time loading code. */
const USUAL_LIMITS = { timeoutMs: 10_000, memoryMb: 1_024 }

export const FUNCTION_LIMITS = {
  ...mapFunctions(() => USUAL_LIMITS),
  // Reading all jokes may take 20 s, and API Gateway waits for 30 s. This memory comes with one vCPU.
  List: { timeoutMs: 29_000, memoryMb: 1_769 },
}

/** The calls that each function may make to the table, which are those of its operation. */
export const TABLE_CALLS: Record<FunctionName, string[]> = {
  Create: ['GetItem', 'PutItem'],
  List: ['GetItem', 'Query', 'Scan'],
  ThumbsUp: ['UpdateItem'],
  Page: ['GetItem'],
}

export const CORS = {
  allowOrigins: ['*'],
  allowMethods: ['GET', 'POST'],
  // Tracing libraries add headers of their own.
  allowHeaders: ['*'],
  exposeHeaders: ['link', 'location', 'retry-after', 'x-total-count'],
  maxAgeSeconds: 86_400,
} as const

/** API Gateway's error messages, by status. For 413, it uses an older name than Node.js. */
export const GATEWAY_MESSAGES: typeof STATUS_CODES = { ...STATUS_CODES, 413: 'Request Entity Too Large' }
