/** The HTTP API as data: read by the stack and by the local server. */

/** Which function answers which request. */
export const ROUTES = {
  Create: { method: 'POST', path: '/joke', entry: 'functions/create.ts' },
  List: { method: 'GET', path: '/joke', entry: 'functions/list.ts' },
  ThumbsUp: { method: 'POST', path: '/thumbsUp/{id}', entry: 'functions/thumbsUp.ts' },
} as const

/** The functions' construct ids. */
export const FUNCTION_NAMES = ['Create', 'List', 'ThumbsUp'] as const satisfies (keyof typeof ROUTES)[]
export type FunctionName = (typeof FUNCTION_NAMES)[number]

/** A value for each function. */
export function mapFunctions<Value>(make: (name: FunctionName) => Value): Record<FunctionName, Value> {
  return { Create: make('Create'), List: make('List'), ThumbsUp: make('ThumbsUp') }
}

export const CORS = {
  allowOrigins: ['*'],
  allowMethods: ['GET', 'POST'],
  allowHeaders: ['content-type'],
  exposeHeaders: ['link', 'retry-after'],
  maxAgeSeconds: 86_400,
} as const
