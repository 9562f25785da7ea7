/** The API reference in a browser. */
import type { Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible, get, page, problem, startSamples, visit } from '../support/window.ts'

await startSamples()

describeInBrowser('API reference', () => {
  it('the API reference lets everyone try each operation', async () => {
    await visit('/docs')
    const operationOf = (name: string) => page.locator(`#operations-Jokes-${name}`)
    const statuses = Object.entries({ listJokes: 200, thumbUp: 200, addJoke: 201 })
    for (const [name] of statuses) await operationOf(name).locator('.opblock-summary-control').click()
    await get('button', 'Execute').nth(2).waitFor()
    expect(await get('button', 'Cancel').count()).toBe(0)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.setViewportSize({ width: 1_280, height: 720 })
    await expectAccessible()
    await page.emulateMedia({ colorScheme: 'dark' })
    const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    await expect.poll(background).toBe('rgb(28, 32, 34)')
    await expectAccessible({ runOnly: ['color-contrast'] })
    for (const [name, status] of statuses) {
      const answered = page.waitForResponse(/\/(joke|thumbsUp)\b/)
      await operationOf(name).getByRole('button', { name: 'Execute' }).click()
      expect((await answered).status()).toBe(status)
      await operationOf(name).locator('.live-responses-table').getByText(String(status), { exact: true }).waitFor()
    }
    await get('link', 'All jokes').click()
    await page.waitForURL('/')
  })

  it.each<[string, answer: (route: Route) => Promise<void>]>([
    ['is unavailable', (route) => route.fulfill(problem(503, 'The database is having a nap.'))],
    ['does not answer', (route) => route.abort()],
  ])('the API reference can be read while the service %s', async (_, answer) => {
    await page.route(/\/joke\b/, answer)
    await page.emulateMedia({ colorScheme: 'dark' })
    await visit('/docs/')
    expect(await page.evaluate('document.documentElement.className')).toBe('dark-mode')
    await page.locator('.opblock').nth(2).waitFor()
  })
})
