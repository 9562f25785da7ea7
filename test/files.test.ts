/** The encodings of a file, and what clients already have of it. */
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { encodeFile, respondFile } from '../shared/site/files.ts'

const TYPE = { 'content-type': 'text/plain' }
const SMALL = 'Why? '.repeat(20_000)
const LARGE = `${SMALL}!`

function respondTo(headers: Record<string, string>, content: string | Buffer) {
  const { body, ...response } = respondFile(Object({ headers }), encodeFile(TYPE, content))
  const bytes = Buffer.from(body, response.isBase64Encoded ? 'base64' : 'utf8')
  const isZipped = response.headers['content-encoding'] === 'gzip' && bytes.length > 0
  return { ...response, content: String(isZipped ? gunzipSync(bytes) : bytes) }
}

it.each([
  ['gzip, deflate, br', SMALL, 'gzip'],
  ['*', SMALL, 'gzip'],
  ['br, gzip;q=0', SMALL, undefined],
  ['', SMALL, undefined],
  [undefined, SMALL, undefined],
  ['gzip', LARGE, 'gzip'],
  // Without the header, a client accepts any encoding.
  [undefined, LARGE, 'gzip'],
  // It would not shrink.
  ['gzip', 'Why?', undefined],
])('a client that accepts "%s" gets a file in the encoding that suits both', (accepted, content, encoding) => {
  const response = respondTo(accepted === undefined ? {} : { 'accept-encoding': accepted }, content)
  expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, encoding])
  expect(response.content).toBe(content)
})

it.each(['', 'identity', 'br, gzip;q=0'])('a client that accepts "%s" gets no large file', (accepted) => {
  const { statusCode, headers, content } = respondTo({ 'accept-encoding': accepted }, LARGE)
  const expected = { 'cache-control': 'no-store', vary: expect.stringContaining('Accept-Encoding') }
  expect([statusCode, headers]).toMatchObject([406, expected])
  expect(content).toContain('gzip only')
})

it('a client gets 304 if it names the version that it has, weakly or not', () => {
  const { etag } = respondTo({}, SMALL).headers
  const opaque = `${etag}`.slice(2)
  const statusFor = (header: string) => respondTo({ 'if-none-match': header }, SMALL).statusCode
  expect([`${etag}`, opaque, `"a,", ${etag}`, '*'].map(statusFor)).toEqual([304, 304, 304, 304])
  expect(['', '"other"', `"a${opaque.slice(1)}`, opaque.slice(1, -1)].map(statusFor)).toEqual([200, 200, 200, 200])
})
