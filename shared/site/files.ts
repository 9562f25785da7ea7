/** The files of the page, and the responses with them. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { acceptsGzip } from '../http/accept.ts'
import type { HttpResponse } from '../http/responses.ts'

export interface Site {
  /** The page at `/`, before its preview is set. */
  html: string
  /** Headers of the page at `/`. */
  headers: HttpResponse['headers']
  /** The other files, by their URL path. */
  files: Record<string, EncodedFile>
  /** The page that answers an unknown URL. */
  notFound: EncodedFile
}

export interface EncodedFile {
  headers: HttpResponse['headers']
  /** Weak (RFC 9110, section 8.8.1), because both encodings have the same one. */
  etag: string
  /** Base64, because Lambda returns binary bodies as text. */
  plain: string
  /** Absent for pictures and others that hardly shrink. */
  gzip?: string
}

export function encodeFile(headers: HttpResponse['headers'], content: string | Buffer): EncodedFile {
  const plain = Buffer.from(content)
  const gzip = gzipSync(plain)
  return {
    headers,
    etag: `W/"${createHash('sha256').update(plain).digest('base64url')}"`,
    plain: plain.toString('base64'),
    ...(gzip.length < 0.9 * plain.length && { gzip: gzip.toString('base64') }),
  }
}

/** A file, or 304 if the client has it. Browsers ask again each time, so they never mix files of different versions. */
export function respondFile(
  { headers: sent }: APIGatewayProxyEventV2,
  { headers: own, etag, plain, gzip }: EncodedFile,
  more: HttpResponse['headers'] = {},
  statusCode = 200,
): HttpResponse {
  const zipped = acceptsGzip(sent?.['accept-encoding']) ? gzip : undefined
  const headers = {
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding, Origin',
    etag,
    ...(zipped && { 'content-encoding': 'gzip' }),
    'x-content-type-options': 'nosniff',
    ...own,
    ...more,
  }
  // API Gateway would give a 304 without a type one of its own, and caches would keep that for the file.
  if (statusCode === 200 && sent?.['if-none-match']?.includes(etag)) return { statusCode: 304, headers, body: '' }
  return { statusCode, headers, body: zipped ?? plain, isBase64Encoded: true }
}
