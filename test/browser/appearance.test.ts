/** How the page looks: sizes, colours, large text, print. */
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import samples from '../sample-jokes.json' with { type: 'json' }
import { connectBrowser } from '../support/browser.ts'
import { startService } from '../support/service.ts'
import { openWindow, violations, WATCH_SHIFTS } from '../support/window.ts'

const browser = await connectBrowser()

/** Scripts for the page can use these functions. */
const COLOURS = `
  globalThis.styleOf = (element) => getComputedStyle(element)
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\\d.]+/g).map((value) => ((value / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  /** The contrast of two opaque colours (WCAG 2.2). */
  globalThis.contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }
  globalThis.backgroundOf = (element) => {
    const { backgroundColor } = styleOf(element)
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? backgroundOf(element.parentElement) : backgroundColor
  }
`

/** The lowest contrast of the borders of fields and options, with what is inside and around them. */
const CONTRAST_OF_BORDERS = `
  Math.min(...Array.from(document.querySelectorAll('[type=search], select, textarea, .chip span'), (field) => {
    const { borderTopColor } = styleOf(field)
    const around = contrast(borderTopColor, backgroundOf(field.parentElement))
    // A filled area needs no border.
    const inside = contrast(backgroundOf(field), backgroundOf(field.parentElement))
    return Math.max(inside, Math.min(around, contrast(borderTopColor, backgroundOf(field))))
  }))
`

/** The ring around what has the focus: the class of the element that it is around, and its contrast. */
const FOCUS_RING = `
  (() => {
    const focused = document.activeElement
    const ring = [focused, focused.nextElementSibling, focused.parentElement].find((element) => {
      const { outlineStyle, outlineWidth } = element ? styleOf(element) : {}
      return outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2
    })
    if (!ring) return [focused.outerHTML, 0]
    return [ring.className, contrast(styleOf(ring).outlineColor, backgroundOf(ring.parentElement))]
  })()
`

/** What is cut off, sticks out, or is broken within a word. Only jokes and searches may have words that need it. */
const UNREADABLE = `
  (() => {
    const found = []
    if (document.documentElement.scrollWidth > innerWidth) found.push('scrolls sideways')
    const root = document.querySelector('dialog[open]') ?? document.body
    const isSeen = (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.closest('.folded') && styleOf(element).clipPath === 'none'
    const check = (box, element, name) => {
      const frame = (element.closest('.bubble, button, article, .panel, dialog') ?? root).getBoundingClientRect()
      const right = Math.min(frame.right, innerWidth)
      if (box.left < Math.max(frame.left, 0) - 1 || box.right > right + 1) found.push('sticks out: ' + name)
    }
    const widthOf = (node, parent) => {
      parent.append(node)
      const { width } = node.getBoundingClientRect()
      node.remove()
      return width
    }
    for (const element of root.querySelectorAll('*')) {
      if (!isSeen(element)) continue
      const { overflowX, paddingLeft, paddingRight } = styleOf(element)
      if (overflowX !== 'visible' && !element.matches('input') && element.scrollWidth > element.clientWidth) found.push('cut off: ' + element.className)
      if (element.matches('button, select, textarea, [type=search], .bubble, .chip span'))
        check(element.getBoundingClientRect(), element.parentElement, element.outerHTML.slice(0, 80))
      if (element.matches('select')) {
        const whole = element.cloneNode(true)
        whole.style.cssText = 'position: absolute; width: max-content'
        if (widthOf(whole, element.parentElement) > element.offsetWidth + 1) found.push('cut off: ' + element.id)
      }
      if (element.matches('[type=search]')) {
        const text = document.createElement('b')
        text.textContent = element.placeholder
        text.style.cssText = 'position: absolute; font-weight: 400'
        const space = element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
        if (widthOf(text, element.parentElement) > space) found.push('cut off: ' + element.placeholder)
      }
    }
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode
      if (!isSeen(parentElement) || parentElement.closest('select, textarea')) continue
      for (const { 0: word, index } of data.matchAll(/[^\\s-]+/g)) {
        const range = new Range()
        range.setStart(texts.currentNode, index)
        range.setEnd(texts.currentNode, index + word.length)
        check(range.getBoundingClientRect(), parentElement, word)
        const lines = new Set(Array.from(range.getClientRects(), ({ top }) => top))
        if (lines.size > 1 && !parentElement.closest('.bubble, .summary')) found.push('broken: ' + word)
      }
    }
    return found
  })()
`

/** The least text spacing that must not harm a page (WCAG 2.2, 1.4.12). */
const TEXT_SPACING = `
  (() => {
    const spacing = new CSSStyleSheet()
    spacing.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }' +
      'p { margin-bottom: 2em !important }'
    )
    document.adoptedStyleSheets.push(spacing)
  })()
`

const WRAP_CATEGORIES = "document.querySelector('.chips').style.flexWrap = 'wrap'"

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

  it('gives the jokes of a row the same height, with category and buttons at the bottom, and fills the last row', async () => {
    for (const [width, columns] of [
      [390, 1],
      [768, 2],
      [1_440, 2],
    ] as const) {
      await open({ viewport: { width, height: 800 } })
      await visit('/')
      const rows: Record<string, number[][]> = await page.evaluate(`
        Object.groupBy(
          Array.from(document.querySelectorAll('article'), (joke) => {
            const { top, bottom } = joke.getBoundingClientRect()
            return [top, bottom, joke.querySelector('.facts').getBoundingClientRect().bottom]
          }),
          ([top]) => top,
        )`)
      for (const row of Object.values(rows)) {
        expect(row).toHaveLength(columns)
        expect(new Set(row.map(String)).size).toBe(1)
      }
      await context.close()
    }
    await open()
  })

  it('folds long texts', async () => {
    await open()
    await serveLongJoke()
    await visit('/')
    const card = page.getByRole('article').filter({ hasText: 'Far Far' })
    const folded = await heightOf(card)
    expect(folded).toBeLessThan(700)
    expect(await page.evaluate(COLOURS + UNREADABLE)).toEqual([])
    await expectAccessible()
    await card.getByRole('button', { name: 'Read on' }).first().click()
    expect(await heightOf(card)).toBeGreaterThan(folded)
    await card.getByRole('button', { name: 'Read less' }).click()
    expect(await heightOf(card)).toBe(folded)
    await card.getByRole('link').click()
    await page.locator('.single').waitFor()
    expect(await page.getByRole('button', { name: 'Read on' }).count()).toBe(0)
  })

  it.each([
    [390, 844],
    [1_440, 900],
  ])(
    'shows a short joke in a window of %i by %i pixels without scrolling, with the footer at its bottom',
    async (width, height) => {
      await open({ viewport: { width, height } })
      const [joke] = await service.jokes({ searchString: 'comma' })
      await visit(`/?id=${joke?.id}`)
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height)
      const link = await page.getByRole('link', { name: 'openapi.json' }).boundingBox()
      // On phones, "Another one" is below it.
      expect(link?.y).toBeGreaterThan(height - 140)
    },
  )

  it('emphasizes reading: "Surprise me" comes first, and is yellow', async () => {
    await open()
    await visit('/')
    const buttons = page.locator('header button')
    expect(await buttons.allTextContents()).toEqual([' Surprise me', ' Add a joke'])
    await page.evaluate(COLOURS)
    const colours = await page.evaluate("Array.from(document.querySelectorAll('header button'), backgroundOf)")
    expect(colours).toEqual(['rgb(255, 210, 51)', 'rgb(255, 255, 255)'])
  })

  it('has links and buttons of at least 24 pixels', async () => {
    await open({ viewport: { width: 390, height: 844 } })
    await visit('/')
    for (const target of await page.locator(':is(a, button:not(.skip), .chip):visible').all()) {
      const box = await target.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0), await target.innerText()).toBeGreaterThanOrEqual(24)
    }
  })

  it('leaves no single short word on the last line of a joke', async () => {
    await open()
    const joke = { ...(await service.jokes())[0], joke: 'Que dit le E au É qui rentre de vacances chez lui ?' }
    await page.route('**/joke?*', (route) => route.fulfill({ json: [joke] }))
    await visit('/')
    const words = await page.evaluate(`
      (() => {
        const text = document.querySelector('.lead p')
        const range = new Range()
        const isAlone = () => range.getBoundingClientRect().left === text.getBoundingClientRect().left
        range.setStart(text.firstChild, text.textContent.length - 1)
        range.setEnd(text.firstChild, text.textContent.length)
        const alone = []
        // Of all widths, some would leave the last character alone.
        for (let width = 100; width < 400; width++) {
          text.style.width = width + 'px'
          if (isAlone()) alone.push(width)
        }
        return alone
      })()`)
    expect(words).toEqual([])
  })

  it('breaks no words but those of jokes and searches', async () => {
    await open()
    await visit('/?search=the')
    const breaking: string[] = await page.evaluate(`
      Array.from(document.querySelectorAll('body :not(textarea)'))
        .filter((element) => getComputedStyle(element).overflowWrap !== 'normal')
        .map((element) => element.closest('.bubble, .summary')?.className)`)
    expect(new Set(breaking)).toEqual(new Set(['bubble lead', 'bubble punch', 'summary']))
  })

  it('makes the field for a joke as high as its text', async () => {
    await open()
    await visit('/')
    await page.getByRole('button', { name: 'Add a joke' }).click()
    const joke = page.getByRole('textbox', { name: 'Joke' })
    const empty = await heightOf(joke)
    await joke.fill('Knock, knock!\n'.repeat(8))
    expect(await heightOf(joke)).toBeGreaterThan(empty * 1.5)
    expect(await page.evaluate('document.activeElement.scrollHeight - document.activeElement.clientHeight')).toBe(0)
  })

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it.each([
      ['no-preference', 'color-contrast', 3],
      ['more', 'color-contrast-enhanced', 7],
    ] as const)('has enough contrast with the preference "%s"', async (contrast, rule, leastOfBorders) => {
      await open({ colorScheme, contrast })
      await visit('/?search=the')
      await tell()
      await page.locator('.punch mark').first().waitFor()
      await page.evaluate(COLOURS)
      for (const change of [async () => {}, showFaults]) {
        await change()
        expect(await violations(page, { runOnly: [rule] })).toEqual([])
        expect(await page.evaluate(CONTRAST_OF_BORDERS)).toBeGreaterThanOrEqual(leastOfBorders)
      }
    })

    it('shows the focus with at least 3 : 1, and around the whole bubble', async () => {
      await open({ colorScheme })
      await serveLongJoke()
      await visit('/')
      await page.evaluate(COLOURS)
      const rings = new Set<string>()
      const press = async (key: string) => {
        await page.keyboard.press(key)
        const [ring, contrast]: [string, number] = await page.evaluate(FOCUS_RING)
        expect(contrast, ring).toBeGreaterThanOrEqual(3)
        rings.add(ring)
      }
      while (!rings.has('tell')) await press('Tab')
      await press('Enter')
      while (!rings.has('upvote')) await press('Tab')
      await page.locator('footer a').first().focus()
      await press('Tab')
      await showFaults()
      for (let presses = 0; presses < 4; presses++) await press('Tab')
      expect([...rings]).toEqual(expect.arrayContaining(['skip', 'primary', 'bubble punch', 'read-on', 'share']))
    })
  })

  describe.each([
    { name: 'text spacing at 320 pixels', width: 320, fontSize: 16, script: TEXT_SPACING },
    // There, the categories are in a row that scrolls.
    { name: 'text spacing at 390 pixels', width: 390, fontSize: 16, script: `${TEXT_SPACING}; ${WRAP_CATEGORIES}` },
    { name: 'text of 24 pixels at 390', width: 390, fontSize: 24, script: '' },
    { name: 'text of 32 pixels at 320', width: 320, fontSize: 32, script: '' },
  ])('with $name', ({ width, fontSize, script }) => {
    const enlarge = async () => {
      const session = await context.newCDPSession(page)
      await session.send('Page.setFontSizes', { fontSizes: { standard: fontSize } })
      await page.evaluate(COLOURS + script)
    }
    const expectReadable = async () => expect(await page.evaluate(UNREADABLE)).toEqual([])

    it('shows jokes, a single joke and the dialog whole', async () => {
      await open({ viewport: { width, height: 640 } })
      await visit('/?search=the')
      await enlarge()
      await tell()
      for (let votes = 0; votes < 2; votes++) await page.getByRole('button', { name: 'Upvote' }).first().click()
      await page.getByText('You have already upvoted this joke.').waitFor()
      await expectReadable()
      await page.getByRole('article').first().getByRole('link').click()
      await page.locator('.single').waitFor()
      await expectReadable()
      await page.getByRole('link', { name: 'Back to the list' }).click()
      await showFaults()
      await expectReadable()
    })

    it('shows whole why there is no joke', async () => {
      await open({ viewport: { width, height: 640 } })
      await page.goto(`${service.url}/?search=${'xylophone'.repeat(20)}`)
      await page.getByRole('heading', { name: 'Nobody has told that one yet' }).waitFor()
      await enlarge()
      await expectReadable()
      await context.setOffline(true)
      await page.getByRole('radio', { name: 'School' }).check()
      await page.getByRole('heading', { name: 'No connection' }).waitFor()
      await expectReadable()
    })
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
    await open({ viewport: { width, height: 900 } })
    await page.addInitScript({ content: WATCH_SHIFTS })
    await page.route('**/joke?*', async (route) => {
      // Lets the browser draw the placeholders before.
      await page.evaluate('new Promise((draw) => requestAnimationFrame(() => requestAnimationFrame(draw)))')
      await route.continue()
    })
    await visit('/')
    await expectAccessible()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await page.evaluate('shift')).toBeLessThan(0.01)
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

/** Lets the service answer with a joke that is folded, before others. */
async function serveLongJoke(): Promise<void> {
  const [first, ...others] = await service.jokes({ category: 'School' })
  const long = { ...first, joke: 'Far '.repeat(200), punchline: 'w'.repeat(400) }
  await page.route('**/joke?*', (route) => route.fulfill({ json: [long, ...others] }))
}

/** Tells the punchline of the first joke that has one. */
async function tell(): Promise<void> {
  await page.getByRole('button', { name: 'Tell the punchline' }).first().click()
}

/** Opens the dialog, and lets it find faults. */
async function showFaults(): Promise<void> {
  await page.getByRole('button', { name: 'Add a joke' }).click()
  await page.getByRole('button', { name: 'Add it' }).click()
  await page.getByText('Please choose a category.').waitFor()
}

async function heightOf(card: Locator): Promise<number> {
  return (await card.boundingBox())?.height ?? 0
}

async function expectAccessible(): Promise<void> {
  expect(await violations(page)).toEqual([])
}
