/** Builds the files of the page and of the API reference. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export interface SiteFile {
  contentType: string
  body: string | Buffer
}

/** Lets the files load only each other, and call only the service. */
export const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Images in style sheets.
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const PNG = 'image/png'
const STYLE = 'text/css; charset=utf-8'

/** @returns all files, by their URL path */
export async function buildSite(): Promise<Map<string, SiteFile>> {
  const [html, page, style, docs, docsStyle] = await Promise.all([
    prerender(),
    bundle('hydrate.tsx'),
    bundle('page.css'),
    bundle('docs/start.ts'),
    bundle('docs/docs.css'),
  ])
  return new Map<string, SiteFile>([
    ['/', { contentType: HTML, body: html }],
    ['/page.js', { contentType: SCRIPT, body: page }],
    ['/page.css', { contentType: STYLE, body: style }],
    ['/manifest.webmanifest', { contentType: 'application/manifest+json', body: await read('manifest.webmanifest') }],
    ['/icon.svg', { contentType: 'image/svg+xml', body: await read('icon.svg') }],
    ['/icon-180.png', { contentType: PNG, body: await readBytes('icon-180.png') }],
    ['/icon-512.png', { contentType: PNG, body: await readBytes('icon-512.png') }],
    ['/favicon.ico', { contentType: 'image/x-icon', body: await readBytes('favicon.ico') }],
    ['/card.png', { contentType: PNG, body: await readBytes('card.png') }],
    ['/openapi.json', { contentType: 'application/json', body: await read('../openapi.json') }],
    ['/docs', { contentType: HTML, body: await read('docs/index.html') }],
    ['/docs/start.js', { contentType: SCRIPT, body: docs }],
    ['/docs/docs.css', { contentType: STYLE, body: docsStyle }],
    [
      '/docs/swagger-ui-bundle.js',
      { contentType: SCRIPT, body: await readPackaged('swagger-ui-dist/swagger-ui-bundle.js') },
    ],
    ['/docs/swagger-ui.css', { contentType: STYLE, body: await readPackaged('swagger-ui-dist/swagger-ui.css') }],
  ])
}

/** The page's HTML, with everything but the jokes. So it shows before the script has been loaded. */
async function prerender(): Promise<string> {
  const script = Buffer.from(await bundle('prerender.tsx')).toString('base64')
  const { html } = await import(`data:text/javascript;base64,${script}`)
  return (await read('index.html')).replace('<!--page-->', html)
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // Browsers since 2024. The style sheet's light-dark() needs them anyway.
    target: 'es2024',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  return outputFiles.map(({ text }) => text).join('')
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8')
}

function readBytes(path: string): Promise<Buffer> {
  return readFile(new URL(path, import.meta.url))
}

function readPackaged(path: string): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve(path), 'utf8')
}
