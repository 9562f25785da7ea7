/** The HTTP API and its functions as data, for the stack, the local server and the OpenAPI document. */
import { STATUS_CODES } from 'node:http'

/** The functions, by their construct ids. Deployed resources have these ids, so renaming one would replace it. */
export const FUNCTION_NAMES = ['Create', 'List', 'ThumbsUp'] as const
export type FunctionName = (typeof FUNCTION_NAMES)[number]

export const ROUTES = {
  Create: { method: 'POST', path: '/joke', entry: 'functions/create.ts' },
  List: { method: 'GET', path: '/joke', entry: 'functions/list.ts' },
  ThumbsUp: { method: 'POST', path: '/thumbsUp/{id}', entry: 'functions/thumbsUp.ts' },
} as const satisfies Record<FunctionName, object>

export function mapFunctions<Value>(make: (name: FunctionName) => Value): Record<FunctionName, Value> {
  return { Create: make('Create'), List: make('List'), ThumbsUp: make('ThumbsUp') }
}

/** Returns API Gateway's name for the route of a function, such as `POST /joke`. */
export function routeKeyOf(name: FunctionName) {
  return `${ROUTES[name].method} ${ROUTES[name].path}` as const
}

export interface FunctionLimits {
  timeoutMs: number
  memoryMb: number
}

/** The memory is for speed: Lambda gives CPU in proportion to it, and a cold start spends its time loading code. */
export const USUAL_LIMITS: FunctionLimits = { timeoutMs: 10_000, memoryMb: 1_024 }

export const FUNCTION_LIMITS: Record<FunctionName, FunctionLimits> = {
  Create: USUAL_LIMITS,
  // Reading all jokes may take 20 s, and API Gateway waits for 30 s. This memory comes with one vCPU.
  List: { timeoutMs: 29_000, memoryMb: 1_769 },
  ThumbsUp: USUAL_LIMITS,
}

export const CORS = {
  allowOrigins: ['*'],
  allowMethods: [...new Set(Object.values(ROUTES).map(({ method }) => method))].toSorted(),
  // Tracing libraries add headers of their own.
  allowHeaders: ['*'],
  exposeHeaders: ['link', 'location', 'retry-after', 'x-total-count'],
  maxAgeSeconds: 86_400,
} as const

/** API Gateway's error messages, by status. For 413, it uses an older name than Node.js. */
export const GATEWAY_MESSAGES: typeof STATUS_CODES = { ...STATUS_CODES, 413: 'Request Entity Too Large' }
