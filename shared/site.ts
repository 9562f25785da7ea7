/** The files of the page, in the form in which their function sends them. */
import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

export interface Site {
  /** The page at `/`, before its preview is set. */
  html: string
  /** Headers of the page at `/`. */
  headers: Headers
  /** The other files, by their URL path. */
  files: Record<string, EncodedFile>
  /** The page that answers an unknown URL. */
  notFound: EncodedFile
}

type Headers = Record<string, string>

export interface EncodedFile {
  headers: Headers
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
export const QUALITY = { best: 11, fast: 5 }

/** For a longer file, better levels than {@link MAX_QUALITY_OF_LONG} would take seconds. */
const MAX_BEST_BYTES = 200_000
const MAX_QUALITY_OF_LONG = 9

/** A longer file is never sent without compression, because it would cost too much. Its readers are browsers, which know gzip. */
const MAX_PLAIN_BYTES = 50_000

/** Pictures are compressed already, and shrink by less than this share. */
const MIN_SAVED = 0.1

/** Compresses a file, unless it hardly shrinks. */
export function encodeFile(headers: Headers, content: string | Buffer, quality: number): EncodedFile {
  const plain = Buffer.from(content)
  const level = plain.length > MAX_BEST_BYTES ? Math.min(quality, MAX_QUALITY_OF_LONG) : quality
  const brotli = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: level } })
  const identity = bodyOf('identity', plain)
  if (brotli.length > (1 - MIN_SAVED) * plain.length) return { headers, compressed: [], fallback: identity }
  const gzip = bodyOf('gzip', gzipSync(plain))
  return {
    headers,
    compressed: [bodyOf('br', brotli), gzip],
    fallback: plain.length > MAX_PLAIN_BYTES ? gzip : identity,
  }
}

function bodyOf(encoding: EncodedBody['encoding'], bytes: Buffer): EncodedBody {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  return { encoding, base64: bytes.toString('base64'), etag }
}
