/** The page and the API reference as their function serves them: built, compressed, with their headers. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { encodeFile, type Site } from '../shared/site/files.ts'
import { CATEGORY_LOOKS, keysOf } from './urlState.ts'

export const SECURITY_HEADERS = {
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  // Subdomains may belong to others.
  'strict-transport-security': 'max-age=31536000',
}

/** The policy of each HTML file, which may load its icons, and ask the service. */
const POLICY = [
  "default-src 'none'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
]

/** Files that are served as they are, by their URL path. */
const UNCHANGED_FILES = {
  '/manifest.webmanifest': './manifest.webmanifest',
  '/icon.svg': './icon.svg',
  '/icon-180.png': './icon-180.png',
  '/icon-512.png': './icon-512.png',
  // Browsers ask for this one where no page names an icon. They know a PNG by its type.
  '/favicon.ico': './icon-32.png',
  '/card.png': './card.png',
  '/openapi.json': '../openapi.json',
  '/docs/swagger-ui-bundle.js': 'swagger-ui-dist/swagger-ui-bundle.js',
  '/docs/swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt',
  '/docs/swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

/** Browsers ask for these with each page. A new icon may take a day to appear. */
const KEPT_FOR_A_DAY = /icon|manifest/

/** @param contact URL at which readers can report a joke, such as `mailto:…` */
export async function encodedSite(contact = ''): Promise<Site> {
  const prerender = Buffer.from(await bundle('prerender.tsx', contact)).toString('base64')
  const { html } = await import(`data:text/javascript;base64,${prerender}`)
  const hues = keysOf(CATEGORY_LOOKS).map((name) => `[data-category="${name}"]{--hue:${CATEGORY_LOOKS[name].hue}}`)
  const style = inline('style', (await bundle('page.css')) + hues.join(''))
  const script = inline('script', await bundle('hydrate.tsx', contact), ' type="module"')

  const page = await fill('./index.html', { page: html, style: style.html, script: script.html })
  const pagePolicy = policy(`script-src ${script.source}`, `style-src ${style.source}`)
  const notFound = await fill('./notFound.html', { style: style.html })
  const encode = (ending: string, body: string | Buffer, headers = {}) => encodeFile(headersOf(ending, headers), body)
  const files: Site['files'] = {
    '/docs.html': encode('.html', await read('./docs/index.html'), policy("script-src 'self'", "style-src 'self'")),
    '/docs/start.js': encode('.js', await bundle('docs/start.ts')),
    '/docs/docs.css': encode('.css', await bundle('docs/docs.css')),
  }
  for (const [path, from] of Object.entries(UNCHANGED_FILES)) {
    const caching = KEPT_FOR_A_DAY.test(path) ? { 'cache-control': 'max-age=86400' } : {}
    files[path] = encode(extname(from), await read(from), caching)
  }
  return {
    html: page,
    headers: headersOf('.html', pagePolicy),
    files,
    notFound: encode('.html', notFound, policy(`style-src ${style.source}`)),
  }
}

function headersOf(ending: string, more: Record<string, string>): Record<string, string> {
  return { ...SECURITY_HEADERS, 'content-type': `${TYPES[ending]}`, ...more }
}

function policy(...more: string[]) {
  return { 'content-security-policy': [...POLICY, ...more].join('; ') }
}

/** An inline script or style, with the source expression that allows it (CSP 3, 2.3.1). */
function inline(tag: 'script' | 'style', text: string, attributes = '') {
  const hash = createHash('sha256').update(text).digest('base64')
  return { html: `<${tag}${attributes}>${text}</${tag}>`, source: `'sha256-${hash}'` }
}

/** Replaces the comments of an HTML file, such as `<!--page-->`. */
async function fill(path: string, parts: Record<string, string>): Promise<string> {
  const template = String(await read(path))
  // `replace` would expand `$&` in a text, but not in what a function returns.
  return template.replace(/<!--(\w+)-->/g, (comment, name: string) => parts[name] ?? comment)
}

async function bundle(entry: string, contact = ''): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // Browsers are supported since 2024. The style sheet's light-dark() needs them anyway.
    target: 'es2024',
    // Builds that packages offer for browsers include code for old ones.
    platform: 'neutral',
    charset: 'utf8',
    define: { CONTACT: JSON.stringify(contact) },
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** @param file relative to this folder, or within an installed package */
function read(file: string): Promise<Buffer> {
  return readFile(createRequire(import.meta.url).resolve(file))
}
