/** The events in `test/events/`, as API Gateway sends them. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { type FunctionName, ROUTE_NAMES, ROUTES, routeKeyOf } from '../../infra/routes.ts'

/** The event files and the status of their responses. In this order, each finds the jokes that it needs. */
export const EVENTS = {
  create: 201,
  'create-pun': 201,
  'create-duplicate': 409,
  'create-invalid': 400,
  'create-not-json': 400,
  list: 200,
  'list-by-upvotes': 200,
  'list-by-downvotes': 200,
  'list-search': 200,
  'list-random': 200,
  'list-by-id': 200,
  'list-invalid': 400,
  thumbsUp: 200,
  'thumbsUp-unknown': 404,
  page: 200,
  'page-joke': 200,
  file: 200,
  'file-unknown': 404,
}

const Event = v.looseObject({ version: v.literal('2.0'), routeKey: v.string() })

/** Reads an event, and finds the function that API Gateway would invoke with it. */
export function readEvent(name: string): { file: string; event: v.InferOutput<typeof Event>; target: FunctionName } {
  const file = `test/events/${name}.json`
  const event = v.parse(Event, JSON.parse(readFileSync(file, 'utf8')))
  const route = ROUTE_NAMES.find((name) => routeKeyOf(name) === event.routeKey)
  if (route === undefined) throw new Error(`${file} has an unknown route.`)
  return { file, event, target: ROUTES[route].target }
}
