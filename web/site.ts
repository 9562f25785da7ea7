/** The page as its function serves it: built, compressed, with its headers. */
import { encodeFile, QUALITY, type Site } from '../shared/site.ts'
import { buildSite, type SiteFile } from './build.ts'

/**
 * @param contact URL at which readers can report a joke, such as `mailto:…`
 * @param quality how well to compress, one of {@link QUALITY}
 */
export async function encodedSite(contact?: string, quality = QUALITY.best): Promise<Site> {
  const { page, notFound, files } = await buildSite(contact)
  const encode = ({ headers, body }: SiteFile) => encodeFile(headers, body, quality)
  return {
    html: String(page.body),
    headers: page.headers,
    files: Object.fromEntries(Array.from(files, ([path, file]) => [path, encode(file)])),
    notFound: encode(notFound),
  }
}
