/** GET / and GET /{file+}: the page, the API reference, and their files. */
import { readFileSync } from 'node:fs'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { ID_LENGTH } from '../shared/clientLimits.ts'
import { http } from '../shared/http/requests.ts'
import { respond } from '../shared/http/responses.ts'
import { logError } from '../shared/log.ts'
import { encodeFile, respondFile, type Site } from '../shared/site/files.ts'
import { withPreview } from '../shared/site/preview.ts'
import { readJoke } from '../shared/store/jokes.ts'
import { type Store, storeOfEnvironment } from '../shared/store/store.ts'

/** @param originOf returns the scheme and host under which people open the page. Clients must not choose them. */
export const page = (getSite: () => Site | Promise<Site>, getStore: () => Store, originOf = publicOrigin) =>
  http().handler(async (event) => {
    const { html, headers, files, notFound } = await getSite()
    if (event.rawPath !== '/') {
      const file = files[event.rawPath]
      if (file) return respondFile(event, file)
      const isBrowser = event.headers?.accept?.includes('text/html')
      return isBrowser
        ? respondFile(event, notFound, HEADERS_OF_404, 404)
        : respond(404, { message: 'Not Found' }, HEADERS_OF_404)
    }
    // Messengers append what follows a link, such as a full stop.
    const id = event.queryStringParameters?.id?.slice(0, ID_LENGTH)
    if (!id) return respondFile(event, encodeFile(headers, withPreview(html, originOf(event))))
    const { joke, status } = await readJoke(getStore(), id).then(
      (joke) => ({ joke, status: joke ? 200 : 404 }),
      // If the joke can't be read in time, the page opens nevertheless.
      (error) => ({ joke: logError(error, event), status: 200 }),
    )
    return respondFile(event, encodeFile(headers, withPreview(html, originOf(event), joke)), NOT_CACHED, status)
  })

const NOT_CACHED = { 'cache-control': 'no-store' }

/** The response to an unknown path depends on what the client accepts. */
const HEADERS_OF_404 = { ...NOT_CACHED, vary: 'Accept, Accept-Encoding, Origin' }

function publicOrigin({ requestContext }: APIGatewayProxyEventV2): string {
  return `https://${process.env.DOMAIN_NAME ?? requestContext.domainName}`
}

let site: Site | undefined

/** Reads the files that the stack has laid beside the bundle. */
function siteOfBundle(): Site {
  const read: Site = site ?? JSON.parse(readFileSync(new URL('./site.json', import.meta.url), 'utf8'))
  site = read
  return read
}

export const handler = page(siteOfBundle, storeOfEnvironment)
