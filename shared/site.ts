/** The files of the page, in the form in which their function sends them. */
import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export interface Site {
  /** Headers of all files. */
  headers: Record<string, string>
  /** The page at `/`, before its preview is set. */
  html: string
  /** The other files, by their URL path. */
  files: Record<string, EncodedFile>
  /** The page that answers an unknown URL. */
  notFound: EncodedFile
}

export interface EncodedFile {
  contentType: string
  /** The preferred one comes first. */
  compressed: EncodedBody[]
  /** For clients that accept none of the others. */
  fallback: EncodedBody
}

interface EncodedBody {
  encoding: 'br' | 'gzip' | 'identity'
  /** Base64, because Lambda returns binary bodies as text. */
  base64: string
  etag: string
}

export const HTML = 'text/html; charset=utf-8'

/** Brotli's levels of compression. The best one is slow, so it is for files that are compressed once. */
export const QUALITY = { best: constants.BROTLI_MAX_QUALITY, fast: 5 }

/** The longest body that is sent without compression. All programs that read longer ones, such as browsers, know gzip. */
const MAX_PLAIN_BYTES = 100_000

/** Pictures are compressed already, and shrink by less than this share. */
const MIN_SAVED = 0.1

/** Compresses a file, unless it hardly shrinks. */
export function encodeFile(contentType: string, content: string | Buffer, quality: number): EncodedFile {
  const plain = Buffer.from(content)
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })
  const identity = bodyOf('identity', plain)
  if (brotli.length > (1 - MIN_SAVED) * plain.length) return { contentType, compressed: [], fallback: identity }
  const gzip = bodyOf('gzip', gzipSync(plain))
  const fallback = plain.length > MAX_PLAIN_BYTES ? gzip : identity
  return { contentType, compressed: [bodyOf('br', brotli), gzip], fallback }
}

function bodyOf(encoding: EncodedBody['encoding'], bytes: Buffer): EncodedBody {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  return { encoding, base64: bytes.toString('base64'), etag }
}
