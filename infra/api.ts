/** The HTTP API as data: read by the stack and by the local server. */

/** Which function answers which request; `name` is the function's construct id. */
export const ROUTES = [
  { name: 'Create', method: 'POST', path: '/joke', entry: 'functions/create.ts' },
  { name: 'List', method: 'GET', path: '/joke', entry: 'functions/list.ts' },
  { name: 'ThumbsUp', method: 'POST', path: '/thumbsUp/{id}', entry: 'functions/thumbsUp.ts' },
] as const
export type FunctionName = (typeof ROUTES)[number]['name']

export const CORS = {
  allowOrigins: ['*'],
  allowMethods: ['GET', 'POST'],
  allowHeaders: ['content-type'],
  exposeHeaders: ['link', 'retry-after'],
  maxAgeSeconds: 86_400,
} as const
