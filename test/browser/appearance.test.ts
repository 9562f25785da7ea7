/** How the page looks: sizes, colours, print. */
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import samples from '../sample-jokes.json' with { type: 'json' }
import { connectBrowser } from '../support/browser.ts'
import { startService } from '../support/service.ts'
import { openWindow, violations, WATCH_SHIFTS } from '../support/window.ts'

const browser = await connectBrowser()
let context: BrowserContext
let page: Page
let complaints: unknown[]

const service = await startService()
await service.add(...samples)
afterAll(async () => {
  await browser?.close()
  await service.stop()
})

describe.skipIf(browser === undefined)('the look of the page', () => {
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  it('folds long texts, without stretching the jokes beside them', async () => {
    const [first, ...others] = await service.jokes({ category: 'School' })
    const long = { ...first, joke: 'Far '.repeat(200), punchline: 'w'.repeat(400) }
    await open()
    await page.route('**/joke?*', (route) => route.fulfill({ json: [long, ...others] }))
    await visit('/')
    const card = page.getByRole('article').filter({ hasText: 'Far Far' })
    const folded = await heightOf(card)
    expect(folded).toBeLessThan(700)
    expect(await heightOf(page.getByRole('article').nth(1))).toBeLessThan(folded / 1.5)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await expectAccessible()
    await card.getByRole('button', { name: 'Read on' }).first().click()
    expect(await heightOf(card)).toBeGreaterThan(folded)
    await card.getByRole('button', { name: 'Read less' }).click()
    expect(await heightOf(card)).toBe(folded)
    await card.getByRole('link').click()
    await page.locator('.single').waitFor()
    expect(await page.getByRole('button', { name: 'Read on' }).count()).toBe(0)
  })

  it('prints jokes with their punchlines, without controls', async () => {
    await open()
    await visit('/?search=comma')
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByText('It only wanted a break').isVisible()).toBe(true)
    for (const control of await page.locator('button, input, select').all())
      expect(await control.isVisible()).toBe(false)
  })

  it('keeps the search visible while scrolling on a phone', async () => {
    await open({ viewport: { width: 390, height: 800 } })
    await visit('/')
    await page.evaluate('scrollTo(0, 2000)')
    const box = await page.getByRole('searchbox').boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect(box?.y).toBeLessThan(100)
  })

  it('shows borders, categories and the chosen option in forced colours', async () => {
    await open({ forcedColors: 'active' })
    await visit('/?category=School')
    await expectAccessible()
    const styleOf = (selector: string, property: string, pseudo = '') =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '${pseudo}')['${property}']`)
    expect(await styleOf('article', 'borderTopStyle')).toBe('solid')
    expect(await styleOf('article .category', 'backgroundColor', '::before')).toBe('rgb(22, 163, 74)')
    expect(await styleOf('.chip :checked + span', 'backgroundColor')).not.toBe(
      await styleOf('.chip :not(:checked) + span', 'backgroundColor'),
    )
  })

  it.each([320, 768, 1_440])('fits %i px, is accessible and loads without layout shifts', async (width) => {
    await open({ viewport: { width, height: 800 } })
    await page.addInitScript({ content: WATCH_SHIFTS })
    await visit('/')
    await expectAccessible()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await page.evaluate('shift')).toBeLessThan(0.01)
  })

  it('has enough contrast in dark colours', async () => {
    await open({ colorScheme: 'dark' })
    await visit('/')
    expect(await violations(page, { runOnly: ['color-contrast'] })).toEqual([])
  })
})

async function open(options: BrowserContextOptions = {}): Promise<void> {
  ;({ context, page, complaints } = await openWindow(browser, options))
}

/** Opens a view, and waits for its jokes. */
async function visit(path: string): Promise<void> {
  await page.goto(service.url + path)
  await page.getByRole('article').first().waitFor()
}

async function heightOf(card: Locator): Promise<number> {
  return (await card.boundingBox())?.height ?? 0
}

async function expectAccessible(): Promise<void> {
  expect(await violations(page)).toEqual([])
}
