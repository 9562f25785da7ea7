/** The page as its function serves it: built, compressed, with its headers. */
import { encodeFile, QUALITY, type Site } from '../shared/site.ts'
import { buildSite, NOT_FOUND, SECURITY_HEADERS } from './build.ts'

/**
 * @param contact URL at which readers can report a joke, such as `mailto:…`
 * @param quality how well to compress, one of {@link QUALITY}
 */
export async function encodedSite(contact?: string, quality = QUALITY.best): Promise<Site> {
  const built = await buildSite(contact)
  const files = Array.from(built, ([path, { contentType, body }]) => [path, encodeFile(contentType, body, quality)])
  return {
    headers: SECURITY_HEADERS,
    html: String(built.get('/')?.body),
    files: Object.fromEntries(files),
    notFound: encodeFile(NOT_FOUND.contentType, NOT_FOUND.body, quality),
  }
}
