import { lambdaContext } from '../../infra/local/invocation.ts'
import type { Handlers } from '../../infra/local/server.ts'
import type { FunctionName } from '../../infra/routes.ts'

/** Calls a handler. Unlike its type, the event may lack fields: no handler reads them all. */
export function invoke(handlers: Handlers, name: FunctionName, event: object) {
  return handlers[name](Object(event), lambdaContext(name))
}
