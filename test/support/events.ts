/** Events as API Gateway sends them, made from the one in `test/events/`. */
import { ROUTE_NAMES, ROUTES, routeKeyOf } from '../../infra/routes.ts'
import create from '../events/create.json' with { type: 'json' }

/** Returns the event of a request that a browser sends, and the function that API Gateway would invoke with it. */
export function eventOf(method: 'GET' | 'POST', rawPath: string, rawQueryString = '', body?: string) {
  for (const name of ROUTE_NAMES) {
    const route = ROUTES[name]
    const pattern = new RegExp(`^${route.path.replace(/{(\w+)\+?}/, '(?<$1>.+)')}$`)
    const match = route.method === method && pattern.exec(rawPath)
    if (!match) continue
    const routeKey = routeKeyOf(name)
    const { body: _, ...bodiless } = create
    const { 'content-type': contentType, 'content-length': __, ...headers } = create.headers
    const event = {
      ...bodiless,
      routeKey,
      rawPath,
      rawQueryString,
      headers: {
        ...headers,
        accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        'accept-encoding': 'gzip, deflate, br',
        ...(body !== undefined && { 'content-type': contentType, 'content-length': `${Buffer.byteLength(body)}` }),
      },
      ...(rawQueryString && { queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)) }),
      ...(match.groups && { pathParameters: { ...match.groups } }),
      requestContext: {
        ...create.requestContext,
        http: { ...create.requestContext.http, method, path: rawPath },
        routeKey,
      },
      ...(body !== undefined && { body }),
    }
    return { event, target: route.target }
  }
  throw new Error(`No route leads to ${method} ${rawPath}.`)
}

const pun = Buffer.from('{"joke": "I used to be a banker, but I lost interest.", "category": "Word game"}')
const { event: rawPun } = eventOf('POST', '/joke', '', pun.toString('base64'))
const id = 'nQ2ufoS3dvzzsHc_kaeQGF'

/** Events, and the status of their responses. In this order, each finds the jokes that it needs. */
export const EVENTS = {
  create: { status: 201, target: 'Create', event: create },
  'create-pun': { status: 201, target: 'Create', event: { ...rawPun, isBase64Encoded: true } },
  'create-duplicate': { status: 409, ...eventOf('POST', '/joke', '', create.body.replace('Why', 'WHY ')) },
  'create-invalid': { status: 400, ...eventOf('POST', '/joke', '', '{"joke": "", "category": "Puns", "thumbsUp": 7}') },
  'create-not-json': { status: 400, ...eventOf('POST', '/joke', '', 'joke=Why') },
  list: { status: 200, ...eventOf('GET', '/joke') },
  'list-by-upvotes': {
    status: 200,
    ...eventOf('GET', '/joke', 'category=Classic&sortBy=thumbsUp&sortOrder=desc&numberofJokes=10'),
  },
  'list-by-downvotes': { status: 200, ...eventOf('GET', '/joke', 'sortBy=thumbsDown&sortOrder=asc') },
  'list-search': { status: 200, ...eventOf('GET', '/joke', 'searchString=chick') },
  'list-random': { status: 200, ...eventOf('GET', '/joke', 'sortBy=random&numberofJokes=1') },
  'list-by-id': { status: 200, ...eventOf('GET', '/joke', `id=${id}`) },
  'list-invalid': { status: 400, ...eventOf('GET', '/joke', 'sortBy=funniness&limit=5') },
  thumbsUp: { status: 200, ...eventOf('POST', `/thumbsUp/${id}`) },
  'thumbsUp-unknown': { status: 404, ...eventOf('POST', '/thumbsUp/0000000000000000000000') },
  page: { status: 200, ...eventOf('GET', '/') },
  'page-joke': { status: 200, ...eventOf('GET', '/', `id=${id}`) },
  file: { status: 200, ...eventOf('GET', '/docs.html') },
  'file-unknown': { status: 404, ...eventOf('GET', '/nothing') },
} as const
