/** The API reference in a browser. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import samples from '../sample-jokes.json' with { type: 'json' }
import { connectBrowser } from '../support/browser.ts'
import { startService } from '../support/service.ts'
import { openWindow, violations } from '../support/window.ts'

const browser = await connectBrowser()
const service = await startService()
await service.add(...samples)
afterAll(async () => {
  await browser?.close()
  await service.stop()
})

describe.skipIf(browser === undefined)('the API reference', () => {
  let context: BrowserContext
  let page: Page
  let complaints: unknown[]
  beforeEach(async () => {
    ;({ context, page, complaints } = await openWindow(browser))
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  it('opens with examples that work for each operation, and links to the page', async () => {
    await page.goto(`${service.url}/docs`)
    for (const [name, status] of Object.entries({ listJokes: 200, thumbUp: 200, addJoke: 201 })) {
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

  it('is accessible in light and dark colours', async () => {
    await page.goto(`${service.url}/docs/`)
    const operations = page.locator('.opblock-summary-control')
    await operations.nth(2).waitFor()
    for (const operation of await operations.all()) await operation.click()
    await page.getByRole('button', { name: 'Execute' }).nth(2).waitFor()
    expect(await violations(page)).toEqual([])

    await page.emulateMedia({ colorScheme: 'dark' })
    await page.waitForFunction("getComputedStyle(document.documentElement).backgroundColor === 'rgb(28, 32, 34)'")
    expect(await violations(page, { runOnly: ['color-contrast'] })).toEqual([])
  })

  it('can be read while the service is unavailable', async () => {
    await page.route(/\/joke\b/, (route) => route.fulfill({ status: 503, json: { status: 503 } }))
    await page.goto(`${service.url}/docs`)
    await page.locator('.opblock').nth(2).waitFor()
  })
})
