/** A service whose problem documents have other sentences, as after an edit of every `detail`. */
import { handlersOf, startServer } from '../../infra/local/server.ts'
import { FUNCTION_NAMES } from '../../infra/routes.ts'
import type { HttpResponse } from '../../shared/http.ts'
import type { Store } from '../../shared/store/store.ts'

export async function startReworded(store: Store): Promise<{ url: string; stop: () => Promise<void> }> {
  const handlers = handlersOf(store)
  for (const name of FUNCTION_NAMES) {
    const handler = handlers[name]
    handlers[name] = async (event, context) => reworded(await handler(event, context))
  }
  const { port, stop } = await startServer(Promise.resolve(handlers), 0, () => {})
  return { url: `http://127.0.0.1:${port}`, stop }
}

function reworded(response: HttpResponse): HttpResponse {
  return { ...response, body: response.body.replaceAll(/"detail":"(?:\\.|[^"\\])*"/g, '"detail":"Other words."') }
}
