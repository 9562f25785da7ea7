/** The look of the page: sizes, colours, large text and paper. Below it, the API reference. */
import { expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import {
  click,
  expectAccessible,
  expectReadable,
  get,
  layoutShift,
  page,
  says,
  service,
  showFaults,
  startSamples,
  visit,
} from '../support/window.ts'

await startSamples()

it.each([320, 768, 1_920])('the list at %i pixels fits the window and never shifts', async (width) => {
  await page.setViewportSize({ width, height: 900 })
  await page.route('**/joke?*', async (route) => {
    // The browser draws the page before the jokes arrive.
    await page.evaluate('new Promise((draw) => requestAnimationFrame(() => requestAnimationFrame(draw)))')
    await route.fallback()
  })
  await visit('/', 24)
  await expectReadable()
  expect(await layoutShift()).toBe(0)
  expect((await page.locator('.bubble').first().boundingBox())?.y).toBeLessThan(300)
  // Fingers need 44 pixels in a joke. Elsewhere, axe expects 24.
  expect((await get('button', 'Share').first().boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await expectAccessible({ runOnly: ['wcag22aa'] })
  // The keyboard goes through the filters as the eye does: by lines, from the left.
  const areInOrder = `Array.from(document.querySelectorAll('search :is(input, select)'), (each) => each.getBoundingClientRect())
    .every(({ left, top }, index, all) => index === 0 || left > all[index - 1].left || top > all[index - 1].bottom)`
  expect(await page.evaluate(areInOrder)).toBe(true)
})

it('the list shows the beginning of a long joke, which is whole by itself and on paper', async () => {
  const [first] = await service.jokes()
  const long = { ...first, joke: 'Far '.repeat(200), punchline: `${'w'.repeat(60)}\n`.repeat(12) }
  await page.route('**/joke?*', (route) => route.fulfill({ json: [long] }))
  await visit('/?categories=School', 1)
  const areCut = `Array.from(document.querySelectorAll('.jokes p'), (text) => text.scrollHeight > text.clientHeight)`
  // Paper shows all texts, and nothing to press.
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('.bubble.punch').isVisible()).toBe(true)
  expect(await page.locator(':is(button, input, select, .button):visible').count()).toBe(0)
  expect(await page.evaluate(areCut)).toEqual([false, false])
  await page.emulateMedia({ media: 'screen' })
  await page.locator('.jokes .tell').click()
  expect(await page.evaluate(areCut)).toEqual([true, true])
  await expectReadable()
  await get('link', 'Read on').click()
  await page.locator('.single').waitFor()
  expect(await page.evaluate(areCut)).toEqual([false, false])
})

it('both colour schemes have the contrast that the user prefers', async () => {
  await visit('/?search=didnt', 1)
  await click('Punchline')
  await page.locator('.punch mark').waitFor()
  for (const change of [async () => {}, showFaults])
    for (const colorScheme of ['light', 'dark'] as const) {
      await change()
      await page.emulateMedia({ colorScheme, contrast: 'no-preference' })
      await expectAccessible({ runOnly: ['color-contrast'] })
      await page.emulateMedia({ colorScheme, contrast: 'more' })
      await expectAccessible({ runOnly: ['color-contrast', 'color-contrast-enhanced'] })
      await page.keyboard.press('Escape')
    }
})

it.each([320, 1_280])('texts of twice the size are readable in a window of %i pixels', async (width) => {
  await page.setViewportSize({ width, height: 640 })
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
  await visit(`/?search=${'xylophone'.repeat(20)}`)
  await says('Nobody has told that one yet')
  await expectReadable()
  await visit('/?search=the')
  await get('button', 'Punchline').first().click()
  await expectReadable()
  await page.getByRole('article').first().getByRole('link').click()
  await page.locator('.single').waitFor()
  await expectReadable()
  await showFaults()
  await expectReadable()
})

it('nothing moves for users who prefer less motion', async () => {
  await visit('/', 24)
  const moving = `Array.from(document.querySelectorAll('*'), (each) => getComputedStyle(each))
    .filter(({ animationName, transitionDuration }) => animationName !== 'none' || transitionDuration !== '0s').length`
  await get('button', 'Punchline').first().click()
  expect(await page.evaluate(moving)).toBe(0)
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await get('button', 'Punchline').first().click()
  expect(await page.evaluate(moving)).toBeGreaterThan(0)
})

it('the search and the random button of a phone stay in sight and hide no focus ring', async () => {
  await page.setViewportSize({ width: 320, height: 640 })
  await visit('/', 24)
  await page.locator('.upvote').nth(12).focus()
  // Each focused element has a ring, and is below the search and above the random button.
  const boxes = "['.find', ':focus', '#surprise'].map((name) => document.querySelector(name).getBoundingClientRect())"
  const room = `const [top, box, bottom] = ${boxes}; Math.min(box.top - top.bottom, bottom.top - box.bottom)`
  for (let presses = 0; presses < 12; presses++) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outline')).toMatch(/solid 3px$/)
    expect(await page.evaluate(room)).toBeGreaterThan(5)
  }
  expect((await get('searchbox', 'Search').boundingBox())?.y).toEqual(expect.closeTo(8, -1))
  // A new search shows its list from the top.
  await get('searchbox', 'Search').fill('chicken')
  await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  // With all its faults, the dialog keeps its buttons in sight.
  await click('Add a joke')
  await get('textbox', 'Punchline').fill('x'.repeat(1_007))
  await click('Add it', 'Choose a category.')
  const button = await get('button', 'Add it').boundingBox()
  expect((button?.y ?? 640) + (button?.height ?? 0)).toBeLessThan(640)
})

it('forced colours keep the page usable', async () => {
  await page.emulateMedia({ forcedColors: 'active' })
  await visit('/?search=didnt&categories=School', 1)
  await expectAccessible()
  const colourOf = (selector: string, pseudo = '') =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '${pseudo}').backgroundColor`)
  const dots = CATEGORIES.map((category) => colourOf(`.chip[data-category="${category}"]`, '::before'))
  expect(new Set(await Promise.all(dots)).size).toBe(CATEGORIES.length)
  expect(await colourOf('.chip:has(:checked)')).not.toBe(await colourOf('.chip:not(:has(:checked))'))
})

it('the API reference lets everyone try each operation', async () => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await visit('/docs.html')
  const operationOf = (name: string) => page.locator(`#operations-Jokes-${name}`)
  const statuses = Object.entries({ list: 200, thumbsUp: 404, create: 201 })
  for (const [name] of statuses) await operationOf(name).locator('.opblock-summary-control').click()
  await get('button', 'Execute').nth(2).waitFor()
  await expectAccessible()
  for (const [name, status] of statuses) {
    await operationOf(name).getByRole('button', { name: 'Execute' }).click()
    await operationOf(name).locator('.live-responses-table').getByText(String(status), { exact: true }).waitFor()
  }
  await get('link', 'All jokes').click()
  await page.waitForURL('/')
})
