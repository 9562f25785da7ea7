/** GET / and GET /{file+}: the page, the API reference, and their files. */
import { readFileSync } from 'node:fs'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { acceptsHtml, gatewayNotFound, http, respondFile } from '../shared/http.ts'
import { logError } from '../shared/log.ts'
import { withPreview } from '../shared/preview.ts'
import { type EncodedFile, encodeFile, QUALITY, type Site } from '../shared/site.ts'
import { readJoke } from '../shared/store/jokes.ts'
import { type Store, storeOfEnvironment } from '../shared/store/store.ts'

/** @param originOf returns the scheme and host under which people open the page. Clients must not choose them. */
export const page = (site: () => Site | Promise<Site>, store: () => Store, originOf = publicOrigin) => {
  const general = keepLatest((built: Site, origin: string) =>
    encodeFile(built.headers, withPreview(built.html, origin), QUALITY.best),
  )
  return http().handler(async (event) => {
    const built = await site()
    if (event.rawPath !== '/') {
      const file = built.files[event.rawPath]
      if (file) return respondFile(event, file)
      return acceptsHtml(event) ? respondFile(event, built.notFound, UNKNOWN, 404) : gatewayNotFound()
    }
    const id = event.queryStringParameters?.id
    if (!id) return respondFile(event, general(built, originOf(event)))
    const joke = await jokeOf(store(), id, event)
    const file = joke
      ? encodeFile(built.headers, withPreview(built.html, originOf(event), joke), QUALITY.fast)
      : general(built, originOf(event))
    return respondFile(event, file, NOT_CACHED)
  })
}

const NOT_CACHED = { 'cache-control': 'no-store' }

/** The response to an unknown path depends on what the client accepts. */
const UNKNOWN = { ...NOT_CACHED, vary: 'Accept, Accept-Encoding, Origin' }

/** Keeps the latest result, because the best compression takes a tenth of a second. A container has one origin. */
function keepLatest(encode: (site: Site, origin: string) => EncodedFile): typeof encode {
  let latest: { site: Site; origin: string; file: EncodedFile } | undefined
  return (site, origin) => {
    if (latest?.site !== site || latest.origin !== origin) latest = { site, origin, file: encode(site, origin) }
    return latest.file
  }
}

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
