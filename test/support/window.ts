/** A browser window for each test, with the steps and expectations that tests share. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeEach, expect, inject } from 'vitest'
import { PROBLEMS, type ProblemCode } from '../../shared/errors.ts'
import type { Joke } from '../../shared/joke.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import { startService } from './service.ts'

export let service: Awaited<ReturnType<typeof startService>>
export let page: Page
let oldest: Joke | undefined

/** The page's request for the joke of the day. */
export const DAY_URL = '**/joke?sortBy=random&seed=*'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Starts a service with the sample jokes, which have no, one and two upvotes in turn, and opens a window for each test
 * of the file. Skips the tests if this machine has no browser.
 */
export async function startSamples(): Promise<void> {
  // Test files share the modules of their worker, but each has a browser and a service of its own.
  const options = inject('browser')
  const browser = options && (await chromium.launch(options))
  service = await startService()
  afterAll(async () => {
    await browser?.close()
    await service.stop()
  })
  const added = await service.add(...samples)
  oldest = added[0]
  for (const [index, { id }] of added.entries())
    for (let votes = index % 3; votes > 0; votes--) await service.thumbUp(id)
  beforeEach(({ skip }) => (browser ? openWindow(browser) : skip()))
}

/** Opens a window without animations. Returns its end, which fails the test on errors and warnings of the browser. */
async function openWindow(browser: Browser): Promise<() => Promise<void>> {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', baseURL: service.url })
  page = await context.newPage()
  // The page waits for a second before it repeats a request.
  await page.addInitScript('const wait = setTimeout; setTimeout = (work, ms) => wait(work, ms === 1_000 ? 10 : ms)')
  // Playwright can lose a request while it removes its last route, so one always remains.
  await page.route('https://unused.invalid/', (route) => route.abort())
  // The joke of the day is the oldest one, because the list does not repeat it, and tests count the list.
  await page.route(DAY_URL, (route) => route.fulfill({ json: [oldest] }))
  page.setDefaultTimeout(60_000)
  return async () => {
    const errors = await page.pageErrors({ filter: 'all' })
    const messages = await page.consoleMessages({ filter: 'all' })
    await context.close()
    const complaints = messages.filter((each) => /error|warning/.test(each.type())).map((each) => each.text())
    // The page itself shows failed requests to its user. Requests to others fail by its policy, which is another error.
    expect([...errors, ...complaints.filter((text) => !text.startsWith('Failed to load'))]).toEqual([])
  }
}

/** Opens a view. With `count`, waits until it shows this many jokes. */
export async function visit(path: string, count?: number): Promise<void> {
  await page.goto(path)
  if (count !== undefined) await shows(count)
}

/** Waits until the page shows this many jokes and has finished loading. */
export async function shows(count: number): Promise<void> {
  await page.locator('.jokes[aria-busy=false]').waitFor()
  await expect.poll(() => page.locator('.jokes article').count()).toBe(count)
}

/** Waits until the page shows these texts. */
export async function says(...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await page.getByText(text).waitFor()
}

/** Presses the button of this name, and waits until the page shows these texts. */
export async function click(name: string, ...texts: (string | RegExp)[]): Promise<void> {
  await get('button', name).click()
  await says(...texts)
}

/** Opens the dialog over a list that no test counts. */
export async function openDialog(): Promise<void> {
  await visit('/?categories=KnockKnock')
  await click('Add a joke')
}

/** Fills in the dialog. */
export async function write(joke: string, punchline = ''): Promise<void> {
  await get('textbox', 'Setup').fill(joke)
  await get('textbox', 'Punchline').fill(punchline)
  await get('radio', 'Knock, knock').check()
}

/** Opens the dialog, and submits it as it is to show its faults. */
export async function showFaults(): Promise<void> {
  await click('Add a joke')
  await click('Add it', 'Choose a category.')
}

export function get(role: Parameters<Page['getByRole']>[0], name: string): Locator {
  return page.getByRole(role, { name })
}

/** An answer with a problem document (RFC 9457). Its detail is for programs, so the page never shows it. */
export function problem(code: ProblemCode, members: object = {}) {
  const { status } = PROBLEMS[code]
  const mayRetry = code === 'unavailable' || code === 'not-counted'
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...(mayRetry && { 'retry-after': '1' }) },
    json: { status, code, detail: 'GET /joke', ...members },
  }
}

export async function expectAccessible(options: object = {}): Promise<void> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE)
  // axe is faster without the details of rules that are not violated.
  const violations = `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })})
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`
  expect(await page.evaluate(violations)).toEqual([])
}

/** Expects no element to stick out of the window, and no text to be cut off. Placeholders may be, and chips scroll. */
export async function expectReadable(): Promise<void> {
  const unreadable = `Array.from(document.querySelectorAll('body :not(input, textarea)')).filter((element) => {
    const { left, right } = element.getBoundingClientRect()
    const isCut = element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1
    const isFree = element.closest('.skip, search .chips')
    return element.checkVisibility() && !isFree && (left < -1 || right > innerWidth + 1 || isCut)
  }).map(({ outerHTML }) => outerHTML.slice(0, 80))`
  expect(await page.evaluate(unreadable)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
}

/** The layout shift since the page was opened (https://web.dev/articles/cls). */
export function layoutShift(): Promise<number> {
  return page.evaluate(`
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    observer.takeRecords().reduce((sum, { value }) => sum + value, 0)
  `)
}

export async function idOf(searchString: string): Promise<string> {
  const [joke] = await service.jokes({ searchString })
  return `${joke?.id}`
}

/** Holds back the next request to a URL until the test releases it. */
export async function hold(url: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, (route) => promise.then(() => route.continue()), { times: 1 })
  return { release: resolve }
}

/** Does to the page what Chrome's translation does: replaces each text by an element within another. */
export async function translate(): Promise<void> {
  await page.evaluate(`
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts = Array.from({ length: 2_000 }, () => walk.nextNode()).filter((text) => text?.data.trim())
    for (const text of texts) {
      const [outer, inner] = [document.createElement('font'), document.createElement('font')]
      inner.textContent = text.data.toUpperCase()
      outer.append(inner)
      text.replaceWith(outer)
    }
  `)
}

/** The setups of all jokes in the list. */
export function setups(): Promise<string[]> {
  return page.locator('.jokes .lead p').allTextContents()
}

/** The upvotes of all jokes in the list. */
export async function counts(): Promise<number[]> {
  return (await page.locator('.jokes .upvote').allTextContents()).map(Number)
}
