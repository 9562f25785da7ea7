/** The files of the page, and the responses with them. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { acceptsGzip } from '../http/accept.ts'
import { type HttpResponse, respond } from '../http/responses.ts'

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

/** A file in one or two encodings, each in base64, because Lambda returns binary bodies as text. */
export interface EncodedFile {
  headers: HttpResponse['headers']
  /** Weak (RFC 9110, section 8.8.1), because both encodings have the same one. */
  etag: string
  /** Absent for large files that shrink. */
  plain?: string
  /** Absent for pictures and others that hardly shrink. */
  gzip?: string
}

/** Larger files that shrink leave as gzip only. Otherwise, a flood of requests for them would cost four times as much. */
const MAX_PLAIN_BYTES = 100_000

export function encodeFile(headers: HttpResponse['headers'], content: string | Buffer): EncodedFile {
  const bytes = Buffer.from(content)
  const zipped = gzipSync(bytes)
  const shrinks = zipped.length < 0.9 * bytes.length
  return {
    headers,
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"`,
    ...((!shrinks || bytes.length <= MAX_PLAIN_BYTES) && { plain: bytes.toString('base64') }),
    ...(shrinks && { gzip: zipped.toString('base64') }),
  }
}

/** A file, or 304 if the client has it. Browsers ask again each time, so they never mix files of different versions. */
export function respondFile(
  { headers: sent }: APIGatewayProxyEventV2,
  { headers: own, etag, plain, gzip }: EncodedFile,
  more: HttpResponse['headers'] = {},
  statusCode = 200,
): HttpResponse {
  // Who names no encoding accepts each of them (RFC 9110, section 12.5.3), but may not expect gzip.
  const accepted = sent?.['accept-encoding'] ?? (plain === undefined ? '*' : '')
  const zipped = acceptsGzip(accepted) ? gzip : undefined
  const body = zipped ?? plain
  const varying = { vary: 'Accept-Encoding, Origin' }
  if (body === undefined) return respond(406, { message: 'This file comes as gzip only. Please accept it.' }, varying)
  const headers = {
    'cache-control': 'no-cache',
    ...varying,
    etag,
    ...(zipped && { 'content-encoding': 'gzip' }),
    'x-content-type-options': 'nosniff',
    ...own,
    ...more,
  }
  // API Gateway would give a 304 without a type one of its own, and caches would keep that for the file.
  if (statusCode === 200 && isListed(etag, sent?.['if-none-match'])) return { statusCode: 304, headers, body: '' }
  return { statusCode, headers, body, isBase64Encoded: true }
}

/** Whether `If-None-Match` names a version of the file. It compares weakly: without `W/` (RFC 9110, section 13.1.2). */
function isListed(etag: string, ifNoneMatch = ''): boolean {
  const opaqueTags = Array.from(ifNoneMatch.matchAll(/"[^"]*"/g), ([tag]) => tag)
  return ifNoneMatch.trim() === '*' || opaqueTags.includes(etag.replace('W/', ''))
}
