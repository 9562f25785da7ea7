/** Builds the files of the page and of the API reference. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { HTML } from '../shared/site.ts'

export interface SiteFile {
  contentType: string
  body: string | Buffer
}

/** Sets the layout of a single joke before the browser first draws the page, so that nothing moves later. */
const FIRST_SCRIPT = "if (/[?&]id=./.test(location.search)) document.documentElement.className = 'single'"

/** Lets the files load only each other, and call only the service. */
export const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(FIRST_SCRIPT).digest('base64')}'`,
    "style-src 'self'",
    // The style sheets hold their images as data URLs.
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  // Subdomains may belong to others.
  'strict-transport-security': 'max-age=31536000',
}

/** The page that answers an unknown URL. */
export const NOT_FOUND = { contentType: HTML, body: readFileSync(new URL('./notFound.html', import.meta.url), 'utf8') }

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

/** Files that are served as they are, by their URL path. */
const UNCHANGED_FILES = {
  '/manifest.webmanifest': { contentType: 'application/manifest+json', file: './manifest.webmanifest' },
  '/icon.svg': { contentType: 'image/svg+xml', file: './icon.svg' },
  '/icon-180.png': { contentType: 'image/png', file: './icon-180.png' },
  '/icon-512.png': { contentType: 'image/png', file: './icon-512.png' },
  '/favicon.ico': { contentType: 'image/x-icon', file: './favicon.ico' },
  '/card.png': { contentType: 'image/png', file: './card.png' },
  '/openapi.json': { contentType: 'application/json; charset=utf-8', file: '../openapi.json' },
  '/docs.html': { contentType: HTML, file: './docs/index.html' },
  '/docs/swagger-ui-bundle.js': { contentType: SCRIPT, file: 'swagger-ui-dist/swagger-ui-bundle.js' },
  '/docs/swagger-ui.css': { contentType: STYLE, file: 'swagger-ui-dist/swagger-ui.css' },
}

/**
 * @param contact URL at which readers can report a joke, such as `mailto:…`
 * @returns all files, by their URL path
 */
export async function buildSite(contact = ''): Promise<Map<string, SiteFile>> {
  const site = new Map<string, SiteFile>([
    ['/', { contentType: HTML, body: await prerender(contact) }],
    ['/page.js', { contentType: SCRIPT, body: await bundle('hydrate.tsx', contact) }],
    ['/page.css', { contentType: STYLE, body: await bundle('page.css') }],
    ['/docs/start.js', { contentType: SCRIPT, body: await bundle('docs/start.ts') }],
    ['/docs/docs.css', { contentType: STYLE, body: await bundle('docs/docs.css') }],
  ])
  for (const [path, { contentType, file }] of Object.entries(UNCHANGED_FILES))
    site.set(path, { contentType, body: await read(file) })
  return site
}

/** The page's HTML without jokes. The browser shows it before it has loaded the script. */
async function prerender(contact: string): Promise<string> {
  const script = Buffer.from(await bundle('prerender.tsx', contact)).toString('base64')
  const { html } = await import(`data:text/javascript;base64,${script}`)
  return String(await read('./index.html'))
    .replace('<!--script-->', `<script>${FIRST_SCRIPT}</script>`)
    .replace('<!--page-->', html)
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
