/** The API reference in a browser. */
import { expect, it } from 'vitest'
import { describeInBrowser, expectAccessible, get, page, startSamples, visit } from '../support/window.ts'

await startSamples()

describeInBrowser('API reference', () => {
  it('the API reference lets everyone try each operation', async () => {
    await visit('/docs.html')
    const operationOf = (name: string) => page.locator(`#operations-Jokes-${name}`)
    const statuses = Object.entries({ list: 200, thumbsUp: 404, create: 201 })
    for (const [name] of statuses) await operationOf(name).locator('.opblock-summary-control').click()
    await get('button', 'Execute').nth(2).waitFor()
    expect(await get('button', 'Cancel').count()).toBe(0)
    await expectAccessible({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })
    await page.emulateMedia({ colorScheme: 'dark' })
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
})
