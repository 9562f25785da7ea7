/** The page as its function serves it: built, compressed, with its headers. */
import { encodeFile, QUALITY, type Site } from '../shared/site.ts'
import { buildSite, NOT_FOUND, SECURITY_HEADERS, type SiteFile } from './build.ts'

/**
 * @param contact URL at which readers can report a joke, such as `mailto:…`
 * @param quality how well to compress, one of {@link QUALITY}
 */
export async function encodedSite(contact?: string, quality = QUALITY.best): Promise<Site> {
  const { '/': page, ...others } = Object.fromEntries(await buildSite(contact))
  const encode = ({ contentType, body }: SiteFile) => encodeFile(contentType, body, quality)
  return {
    headers: SECURITY_HEADERS,
    html: String(page?.body),
    files: Object.fromEntries(Object.entries(others).map(([path, file]) => [path, encode(file)])),
    notFound: encode(NOT_FOUND),
  }
}
