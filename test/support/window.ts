/** Shared by the tests in a browser: a window that collects complaints, and an accessibility check. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** The script of axe, run within a page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Adds up layout shifts (https://web.dev/articles/cls). */
export const WATCH_SHIFTS = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value
  }).observe({ type: 'layout-shift', buffered: true })
`

/** Opens a window without animations. Errors and warnings of its page are added to `complaints`. */
export async function openWindow(browser: Browser | undefined, options: BrowserContextOptions = {}) {
  if (browser === undefined) throw new Error('No browser runs here.')
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const complaints: unknown[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return
    // The browser reports every failed request to the API, which the page itself shows to its user.
    const isFailedRequest =
      message.text().startsWith('Failed to load') && /\/(joke|thumbsUp)\b/.test(message.location().url)
    if (!isFailedRequest) complaints.push(message.text())
  })
  return { context, page, complaints }
}

/** The accessibility rules that a page violates, and the HTML that violates them. */
export async function violations(page: Page, options = {}): Promise<[rule: string, html: string[]][]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE)
  // axe is faster without the details of rules that are not violated.
  return page.evaluate(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })})
      .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
  )
}
