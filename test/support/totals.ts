/** A proxy that adds `X-Total-Count` to the listings of a service that does not send it yet. */
import { buffer } from 'node:stream/consumers'
import { listen } from './listen.ts'
import { Service, type StartedService } from './service.ts'

/** Returns the service as its clients see it through the proxy. */
export async function withTotals(service: StartedService): Promise<StartedService> {
  const { server, url } = await listen(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const { accept = '*/*', 'content-type': type = '' } = headers
    const body = method === 'POST' ? await buffer(request) : null
    const answer = await fetch(service.url + url, { method, headers: { accept, 'content-type': type }, body })
    const answered = new Headers(answer.headers)
    for (const name of ['content-encoding', 'content-length', 'connection', 'keep-alive']) answered.delete(name)
    const { pathname, searchParams } = new URL(url, service.url)
    const isListing = pathname === '/joke' && method === 'GET' && answer.ok && !searchParams.has('id')
    if (isListing && !answered.has('x-total-count')) answered.set('x-total-count', await count(service, searchParams))
    response.writeHead(answer.status, Object.fromEntries(answered)).end(Buffer.from(await answer.arrayBuffer()))
  })
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await service.stop()
  }
  return Object.assign(new Service(url, stop), { store: service.store })
}

async function count(service: Service, query: URLSearchParams): Promise<string> {
  const { searchString = '', category = '', categories = '' } = Object.fromEntries(query)
  const pages = await service.pages({ searchString, category, categories, numberofJokes: '250' })
  return `${pages.flat().length}`
}
