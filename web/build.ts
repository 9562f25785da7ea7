/** The files for people, made ready to be served: the page and the API reference. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export interface SiteFile {
  contentType: string
  body: string
}

/** What the files may do in a browser: nothing beyond themselves and the service. */
export const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Pictures within style sheets.
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

/** Bundles and collects all files, by their path. */
export async function buildSite(): Promise<Map<string, SiteFile>> {
  const [page, style, docs, docsStyle] = await Promise.all(
    ['page.tsx', 'page.css', 'docs/start.ts', 'docs/docs.css'].map(bundle),
  )
  return new Map([
    ['/', { contentType: HTML, body: await read('index.html') }],
    ['/page.js', { contentType: SCRIPT, body: page ?? '' }],
    ['/page.css', { contentType: STYLE, body: style ?? '' }],
    ['/icon.svg', { contentType: 'image/svg+xml', body: await read('icon.svg') }],
    ['/openapi.json', { contentType: 'application/json', body: await read('../openapi.json') }],
    ['/docs', { contentType: HTML, body: await read('docs/index.html') }],
    ['/docs/start.js', { contentType: SCRIPT, body: docs ?? '' }],
    ['/docs/docs.css', { contentType: STYLE, body: docsStyle ?? '' }],
    [
      '/docs/swagger-ui-bundle.js',
      { contentType: SCRIPT, body: await readPackaged('swagger-ui-dist/swagger-ui-bundle.js') },
    ],
    ['/docs/swagger-ui.css', { contentType: STYLE, body: await readPackaged('swagger-ui-dist/swagger-ui.css') }],
  ])
}

async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // What every browser of the last two years understands, as the style sheet's light-dark() needs.
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  })
  return outputFiles.map(({ text }) => text).join('')
}

function read(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8')
}

function readPackaged(path: string): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve(path), 'utf8')
}
