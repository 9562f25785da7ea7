/** GET / and GET /{file+}: the page, the API reference, and their files. */
import { readFileSync } from 'node:fs'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { acceptsHtml, gatewayNotFound, http, respondFile } from '../shared/http.ts'
import { logError } from '../shared/log.ts'
import { withPreview } from '../shared/preview.ts'
import { encodeFile, HTML, QUALITY, type Site } from '../shared/site.ts'
import { readJoke } from '../shared/store/jokes.ts'
import { type Store, storeOfEnvironment } from '../shared/store/store.ts'

/** @param originOf returns the scheme and host under which people open the page. Clients must not choose them. */
export const page = (site: () => Site | Promise<Site>, store: () => Store, originOf = publicOrigin) =>
  http().handler(async (event) => {
    const { headers, html, files, notFound } = await site()
    if (event.rawPath === '/') {
      const id = event.queryStringParameters?.id
      const joke = id ? await jokeOf(store(), id, event) : undefined
      const file = encodeFile(HTML, withPreview(html, originOf(event), joke), QUALITY.fast)
      return respondFile(event, file, { ...headers, ...(id && { 'cache-control': 'no-store' }) })
    }
    const file = files[event.rawPath]
    if (file) return respondFile(event, file, headers)
    return acceptsHtml(event) ? respondFile(event, notFound, { ...headers, ...UNKNOWN }, 404) : gatewayNotFound()
  })

/** The response to an unknown path depends on what the client accepts. */
const UNKNOWN = { 'cache-control': 'no-store', vary: 'Accept, Accept-Encoding, Origin' }

/** Returns a listed joke, or `undefined` if it cannot be read in time, so that the page opens nevertheless. */
async function jokeOf(store: Store, id: string, event: APIGatewayProxyEventV2) {
  try {
    return await readJoke(store, id)
  } catch (error) {
    logError(error, event)
    return undefined
  }
}

function publicOrigin({ requestContext }: APIGatewayProxyEventV2): string {
  return `https://${process.env.DOMAIN_NAME ?? requestContext.domainName}`
}

let files: Site | undefined

/** Reads the files that the stack has laid beside the bundle. */
function filesOfBundle(): Site {
  const read: Site = files ?? JSON.parse(readFileSync(new URL('./site.json', import.meta.url), 'utf8'))
  files = read
  return read
}

export const handler = page(filesOfBundle, storeOfEnvironment)
