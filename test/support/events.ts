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
