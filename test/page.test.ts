/** The function of the page: its files, their headers, and the preview of a joke. */
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { page } from '../functions/page.ts'
import { configOf } from '../infra/local/localDatabase.ts'
import { NO_CONTEXT } from '../infra/local/server.ts'
import { withPreview } from '../shared/site/preview.ts'
import { openStore } from '../shared/store/store.ts'
import { SECURITY_HEADERS } from '../web/site.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { buildSiteOnce } from './support/service.ts'

const HOST = 'api.example.com'
const BROWSER = { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'gzip, deflate, br, zstd' }

const store = openStore({ jokesTable: 'Jokes' }, configOf('http://127.0.0.1:1'))
const handler = page(buildSiteOnce, () => store)

/** Asks the function for a file, as API Gateway does. Returns its response with the decoded body. */
async function get(path: string, headers: Record<string, string> = {}, id?: string) {
  const event = {
    rawPath: path,
    headers: { host: 'forged.example.com', 'x-forwarded-host': 'forged.example.com', ...headers },
    ...(id !== undefined && { queryStringParameters: { id } }),
    requestContext: { domainName: HOST },
  }
  const response = await handler(Object(event), NO_CONTEXT)
  const sent = Buffer.from(response.body, response.isBase64Encoded ? 'base64' : 'utf8')
  const isZipped = response.headers['content-encoding'] === 'gzip' && sent.length > 0
  const content = isZipped ? gunzipSync(sent) : sent
  return { ...response, sent, content, text: content.toString() }
}

const { files, html } = await buildSiteOnce()
const linked = Array.from(html.matchAll(/<link [^>]*href="(\/[^"]+)"/g), ([, path]) => `${path}`)
const paths = new Set(['/', ...linked, ...Object.keys(files)])

it.each([...paths])('%s is served once, with its type and the security headers', async (path) => {
  const { statusCode, headers, content } = await get(path, BROWSER)
  const cached = /icon|manifest/.test(path) ? 'max-age=86400' : 'no-cache'
  const shared = { ...SECURITY_HEADERS, 'cache-control': cached, vary: expect.any(String) }
  expect([statusCode, headers]).toMatchObject([200, shared])
  expect(headers['content-type']).toMatch(/^(text\/.+|application\/json); charset=utf-8$|^image\/|\/manifest\+json$/)
  expect(headers.etag).toBe(`W/"${createHash('sha256').update(content).digest('base64url')}"`)
  const again = await get(path, { ...BROWSER, 'if-none-match': `${headers.etag}` })
  expect(again).toMatchObject({ statusCode: 304, body: '', headers })
})

it.each(['/', '/nothing'])('%s is one file, whose policy allows its own script and style alone', async (path) => {
  const { headers, text, sent } = await get(path, BROWSER)
  const inline = Array.from(text.matchAll(/<(script|style)[^>]*>(.+?)<\/\1>/gs), ([, , content]) => `${content}`)
  const hashes = inline.map((content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
  const { 'content-security-policy': policy = '' } = headers
  expect(policy.match(/'sha256-.+?'/g)?.toSorted()).toEqual(hashes.toSorted())
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'"]) expect(policy).toContain(rule)
  expect(policy).not.toMatch(/(script|style)-src[^;]+('self'|unsafe)/)
  expect(text.match(/<script src|rel="stylesheet"|<!--(?!joke)|\sstyle="/)).toBe(null)
  expect(sent.length).toBeLessThan(25_000)
})

it('browsers draw the page only once they have all of it, so that nothing moves', () => {
  expect(html).toMatch(/<link rel="expect" href="#end" blocking="render">.+<\/main>.+<noscript id="end">/s)
})

it.each(['/nothing', '//icon.svg', '/__proto__', '/../package.json'])('%s gets 404 as page or JSON', async (path) => {
  const shared = { 'cache-control': 'no-store', vary: expect.stringContaining('Accept, ') }
  const shown = await get(path, BROWSER)
  expect(shown).toMatchObject({ statusCode: 404, headers: { ...shared, 'content-type': 'text/html; charset=utf-8' } })
  expect(shown.text).toContain('Not this page.')
  const told = await get(path, { accept: '*/*' })
  expect(told).toMatchObject({ statusCode: 404, headers: shared, text: '{"message":"Not Found"}' })
})

it.each([
  [undefined, 200, 'no-cache'],
  ['unknown', 404, 'no-store'],
  ['a,b', 404, 'no-store'],
])('the page of the id %s, which shows no joke, is the general one with status %i', async (id, status, caching) => {
  const { statusCode, headers, text } = await get('/', BROWSER, id)
  expect([statusCode, headers['cache-control']]).toEqual([status, caching])
  // Its URLs have the host of API Gateway, which clients cannot forge.
  const preview = { title: 'Joke Service', url: `https://${HOST}/`, image: `https://${HOST}/card.png` }
  expect(previewIn(text)).toMatchObject(preview)
  expect(text).not.toContain('forged')
})

const TEXTS = ['<script>\nalert(1)</script>', `"Who's there?" & 'Nobody'`, "$' $& $` $1 $<name>"]
it.each(TEXTS)('the page of a joke shows its text unchanged, but spoils no punchline: %s', (text) => {
  const joke = { ...numberedJoke(0), joke: text, punchline: `${text}!` }
  const shown = withPreview(html, `https://${HOST}`, joke)
  expect(previewIn(shown)).toMatchObject({
    title: text,
    description: 'Tap for the punchline.',
    url: `https://${HOST}/?id=${joke.id}`,
    image: `https://${HOST}/card.png`,
  })
  expect(decode(`${/<title>(.+?)<\/title>/s.exec(shown)?.[1]}`)).toBe(`${text} · Joke Service`)
  // The layout is that of a single joke before the script runs, so that nothing moves.
  expect(shown).toContain('<html class="single"')
  const body = Array.from(shown.matchAll(/<p class="bubble \w+">(.*?)<\/p>/gs), ([, part]) => decode(`${part}`))
  expect(body).toEqual([text, `${text}!`])
  const pun = withPreview(html, '', { ...joke, punchline: '' })
  expect(previewIn(pun)).toMatchObject({ title: text, description: previewIn(html).description })
  expect(pun).not.toContain('<p class="bubble punch"')
})

/** The values of a preview, as a browser reads them. */
function previewIn(html: string): Record<string, string> {
  const found = html.matchAll(/<meta property="og:(\w+)" content="([^"]*)">/g)
  return Object.fromEntries(Array.from(found, ([, name, value]) => [name, decode(`${value}`)]))
}

function decode(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
}
