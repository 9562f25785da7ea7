import { lambdaContext } from '../../infra/local/invocation.ts'
import type { Handlers } from '../../infra/local/server.ts'
import type { FunctionName } from '../../infra/routes.ts'

/** Calls a handler. The event may lack required fields, because no handler reads all of them. */
export function invoke(handlers: Handlers, name: FunctionName, event: object) {
  return handlers[name](Object(event), lambdaContext(name))
}
