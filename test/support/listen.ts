import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** Starts a server on a free local port. Without a handler, it never answers. */
export async function listen(handler: RequestListener = () => {}) {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return { server, port: address.port, url: `http://127.0.0.1:${address.port}` }
}
