/** The API reference in a browser. */
import { expect, it } from 'vitest'
import {
  button,
  describeInBrowser,
  expectAccessible,
  link,
  page,
  problem,
  service,
  startSamples,
  visit,
} from '../support/window.ts'

await startSamples()

describeInBrowser('the API reference', () => {
  it('opens with examples that work for each operation, and links to the page', async () => {
    await visit('/docs')
    for (const [name, status] of Object.entries({ listJokes: 200, thumbUp: 200, addJoke: 201 })) {
      const operation = page.locator(`#operations-Jokes-${name}`)
      await operation.locator('.opblock-summary-control').click()
      const answered = page.waitForResponse(/\/(joke|thumbsUp)\b/)
      await operation.getByRole('button', { name: 'Execute' }).click()
      expect((await answered).status()).toBe(status)
      await operation.locator('.live-responses-table').getByText(String(status), { exact: true }).waitFor()
    }
    await link('All jokes').click()
    await page.waitForURL(`${service.url}/`)
  })

  it('is accessible in light and dark colours', async () => {
    await visit('/docs/')
    const operations = page.locator('.opblock-summary-control')
    await operations.nth(2).waitFor()
    for (const operation of await operations.all()) await operation.click()
    await button('Execute').nth(2).waitFor()
    await expectAccessible()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.waitForFunction("getComputedStyle(document.documentElement).backgroundColor === 'rgb(28, 32, 34)'")
    await expectAccessible({ runOnly: ['color-contrast'] })
  })

  it('can be read while the service is unavailable', async () => {
    await page.route(/\/joke\b/, (route) => route.fulfill(problem(503, 'The database is having a nap.')))
    await visit('/docs')
    await page.locator('.opblock').nth(2).waitFor()
  })
})
