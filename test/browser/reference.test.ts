/** The API reference, as people use it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import samples from '../sample-jokes.json' with { type: 'json' }
import { connectBrowser } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'

const browser = await connectBrowser()

/** The script of axe, to be run in a page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let service: Service
let context: BrowserContext | undefined
let complaints: string[]

beforeAll(async () => {
  service = await startService()
  await service.add(...samples)
})
afterEach(async () => {
  await context?.close()
  expect(complaints).toEqual([])
})
afterAll(async () => {
  await browser?.close()
  await service.stop()
})

describe.skipIf(browser === undefined)('in a browser', () => {
  it('lets each operation be tried as it opens, and leads home', async () => {
    const page = await open('/docs')
    for (const [name, status] of [
      ['listJokes', 200],
      ['thumbUp', 200],
      ['addJoke', 201],
    ] as const) {
      const operation = page.locator(`#operations-Jokes-${name}`)
      await operation.locator('.opblock-summary-control').click()
      const answered = page.waitForResponse(/\/(joke|thumbsUp)\b/)
      await operation.getByRole('button', { name: 'Execute' }).click()
      expect((await answered).status()).toBe(status)
      await operation.locator('.live-responses-table').getByText(String(status), { exact: true }).waitFor()
    }
    await page.getByRole('link', { name: 'All jokes' }).click()
    await page.waitForURL(`${service.url}/`)
  })

  it('keeps nobody out, in the light and in the dark', async () => {
    const page = await open('/docs/')
    const operations = page.locator('.opblock-summary-control')
    await operations.nth(2).waitFor()
    for (const operation of await operations.all()) await operation.click()
    await page.getByRole('button', { name: 'Execute' }).nth(2).waitFor()
    await page.evaluate(AXE)
    expect(await violations(page, '{}')).toEqual([])

    await page.emulateMedia({ colorScheme: 'dark' })
    await page.waitForFunction("getComputedStyle(document.documentElement).backgroundColor === 'rgb(28, 32, 34)'")
    expect(await violations(page, "{ runOnly: ['color-contrast'] }")).toEqual([])
  })

  it('can be read while the service is away', async () => {
    const page = await open('/docs', 503)
    await page.locator('.opblock').nth(2).waitFor()
    // The browser's own words on that answer.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('503')])
  })
})

/** @param status what the service answers instead; absent: it is there */
async function open(path: string, status?: number): Promise<Page> {
  if (browser === undefined) throw new Error('No browser.')
  complaints = []
  context = await browser.newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  if (status !== undefined) await page.route(/\/joke\b/, (route) => route.fulfill({ status, json: { status } }))
  await page.goto(service.url + path)
  return page
}

/** What axe finds, by its rules and where. */
async function violations(page: Page, options: string): Promise<[id: string, targets: string[]][]> {
  return page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map((node) => node.target)]))`,
  )
}
