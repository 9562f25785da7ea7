/** The look of the page: sizes, colours, large text, print. */
import { expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import {
  AXE,
  click,
  describeInBrowser,
  expectAccessible,
  get,
  page,
  says,
  service,
  shows,
  startSamples,
  visit,
  watchShifts,
} from '../support/window.ts'

const COLOUR_SCHEMES = ['light', 'dark'] as const

/** Functions for the scripts that tests run in the page. */
const COLOURS = `
  ${AXE}
  const { Color, getContrast } = axe.commons.color
  globalThis.styleOf = (element) => getComputedStyle(element)
  globalThis.contrast = (...colours) => getContrast(...colours.map((colour) => new Color().parseString(colour)))
  globalThis.backgroundOf = (element) => {
    const { backgroundColor } = styleOf(element)
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? backgroundOf(element.parentElement) : backgroundColor
  }
`

/** The lowest contrast of a border of a field or option with the colours on both sides. */
const CONTRAST_OF_BORDERS = `
  Math.min(...Array.from(document.querySelectorAll('[type=search], select, textarea, .chip span'), (field) => {
    const { borderTopColor } = styleOf(field)
    const around = contrast(borderTopColor, backgroundOf(field.parentElement))
    // A filled area needs no border.
    const inside = contrast(backgroundOf(field), backgroundOf(field.parentElement))
    return Math.max(inside, Math.min(around, contrast(borderTopColor, backgroundOf(field))))
  }))
`

/** The ring that shows the focus: the class of the element with the ring, and the ring's contrast. */
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

/** Texts that are cut off, stick out, or break within a word. Only jokes and searches may have words so long. */
const UNREADABLE = `
  (() => {
    const found = []
    if (document.documentElement.scrollWidth > innerWidth) found.push('scrolls sideways')
    const root = document.querySelector('dialog[open]') ?? document.body
    // On phones, the categories are in a row to be scrolled.
    const isScrolled = (element) => element.closest('.chips') && styleOf(element.closest('.chips')).overflowX === 'auto'
    const isSeen = (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.closest('.folded') && styleOf(element).clipPath === 'none' && !isScrolled(element)
    const check = (box, element, name) => {
      const frame = (element.closest('.bubble, button, article, .panel, dialog') ?? root).getBoundingClientRect()
      const right = Math.min(frame.right, innerWidth)
      if (box.left < Math.max(frame.left, 0) - 1 || box.right > right + 1) found.push('sticks out: ' + name)
    }
    const checkFit = (node, style, { parentElement }, space) => {
      node.style.cssText = 'position: absolute; ' + style
      parentElement.append(node)
      if (node.getBoundingClientRect().width > space) found.push('cut off: ' + node.textContent)
      node.remove()
    }
    for (const element of root.querySelectorAll('*')) {
      if (!isSeen(element)) continue
      const { overflowWrap, overflowX, paddingLeft, paddingRight } = styleOf(element)
      if (overflowWrap !== 'normal' && !element.closest('.bubble, .summary, textarea')) found.push('may break: ' + element.className)
      if (overflowX !== 'visible' && !element.matches('input') && element.scrollWidth > element.clientWidth) found.push('cut off: ' + element.className)
      if (element.matches('button, select, textarea, [type=search], .bubble, .chip span'))
        check(element.getBoundingClientRect(), element.parentElement, element.outerHTML.slice(0, 80))
      if (element.matches('select'))
        checkFit(element.cloneNode(true), 'width: max-content', element, element.offsetWidth + 1)
      if (element.matches('[type=search]')) {
        const text = Object.assign(document.createElement('b'), { textContent: element.placeholder })
        const space = element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
        checkFit(text, 'font-weight: 400', element, space)
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
  document.adoptedStyleSheets.push(new CSSStyleSheet())
  document.adoptedStyleSheets.at(-1).replaceSync(
    '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }' +
    'p { margin-bottom: 2em !important }'
  )
`

await startSamples()

describeInBrowser('look of the page', () => {
  it.each([
    [320, 1],
    [768, 2],
    [1_280, 2],
    [1_920, 3],
  ])('the list at %i pixels has a tight layout that never shifts', async (width, columns) => {
    await page.setViewportSize({ width, height: 900 })
    const shift = await watchShifts()
    await page.route('**/joke?*', async (route) => {
      // The browser draws the placeholders before the jokes arrive.
      await page.evaluate('new Promise((draw) => requestAnimationFrame(() => requestAnimationFrame(draw)))')
      await route.continue()
    })
    await visit('/', 24)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await shift()).toBeLessThan(0.01)
    const gaps: number[] = await page.evaluate(`
      Array.from(document.querySelectorAll('.jokes > li'), (card) => card.getBoundingClientRect())
        .flatMap(({ bottom }, index, cards) => (cards[index + ${columns}] ? [cards[index + ${columns}].top - bottom] : []))`)
    for (const gap of gaps) expect(gap).toBeCloseTo(16, 0)
    const spare: number[] = await page.evaluate(`
      Array.from(document.querySelectorAll('[data-told=true] .bubble p, .lead p'), (text) => {
        const range = new Range()
        range.selectNodeContents(text)
        return text.clientWidth - range.getBoundingClientRect().width
      })`)
    // The browser balances lines again in the fitted width, which may make them some pixels shorter.
    for (const width of spare) expect(width).toBeLessThan(10)
    // Targets for fingers have at least 44 pixels in a joke, and 24 elsewhere.
    const small: string[] = await page.evaluate(`
      Array.from(document.querySelectorAll(':is(a, button:not(.skip), .chip):not(dialog *)')).filter((target) => {
        const { width, height } = target.getBoundingClientRect()
        return target.checkVisibility() && Math.min(width, height) < (target.closest('article') ? 44 : 24)
      }).map(({ outerHTML }) => outerHTML)`)
    expect(small).toEqual([])
  })

  it('bubbles fit their texts again when the window changes', async () => {
    const widths = () => page.evaluate("Array.from(document.querySelectorAll('.lead p'), (text) => text.clientWidth)")
    await page.setViewportSize({ width: 1_440, height: 900 })
    await visit('/', 24)
    const wide = await widths()
    await page.setViewportSize({ width: 320, height: 900 })
    await visit('/', 24)
    await page.setViewportSize({ width: 1_440, height: 900 })
    await expect.poll(widths).toEqual(wide)
  })

  it('a text is folded once the window gets narrow', async () => {
    await serveLongJoke('Far '.repeat(80))
    await page.setViewportSize({ width: 680, height: 900 })
    await visit('/', 13)
    expect(await get('button', 'Read more').count()).toBe(0)
    await page.setViewportSize({ width: 320, height: 900 })
    await get('button', 'Read more').waitFor()
    expect((await get('button', 'Read more').boundingBox())?.height).toBeGreaterThanOrEqual(44)
  })

  it('long texts are folded until the user opens them', async () => {
    await serveLongJoke()
    await visit('/')
    const card = page.getByRole('article').filter({ hasText: 'Far Far' })
    const heightOf = async () => (await card.boundingBox())?.height ?? 0
    const folded = await heightOf()
    expect(folded).toBeLessThan(700)
    expect(await page.evaluate(COLOURS + UNREADABLE)).toEqual([])
    await expectAccessible()
    await card.getByRole('button', { name: 'Read more' }).first().click()
    expect(await heightOf()).toBeGreaterThan(folded)
    expect(await get('button', 'Read less').getAttribute('aria-expanded')).toBe('true')
    await card.getByRole('link').click()
    await page.locator('.single').waitFor()
    expect(await page.locator('.read-more').count()).toBe(0)
    // A text that was opened folds to the same lines again.
    await page.goBack()
    await click('Read less')
    expect(await heightOf()).toBe(folded)
  })

  it.each([
    [390, 844],
    [1_440, 900],
  ])('a short joke with the footer fits a window of %i by %i pixels', async (width, height) => {
    await page.setViewportSize({ width, height })
    const [joke] = await service.jokes({ searchString: 'comma' })
    await visit(`/?id=${joke?.id}`, 1)
    // A single joke has no link to itself.
    expect(await page.locator('article a').count()).toBe(0)
    expect(await page.getByRole('main').ariaSnapshot()).not.toContain(':-')
    const { y = 0, height: tall = 0 } = (await page.getByRole('article').boundingBox()) ?? {}
    expect(Math.abs(y + tall / 2 - height / 2)).toBeLessThan(50)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height)
    // The footer ends the window. On phones, only "Another one" is below it.
    expect((await get('link', 'API reference').boundingBox())?.y).toBeGreaterThan(height - 140)
  })

  it('the only yellow button of the header is "Surprise me"', async () => {
    await visit('/')
    await page.evaluate(COLOURS)
    const buttons =
      "Array.from(document.querySelectorAll('header button'), (button) => [button.innerText, backgroundOf(button)].join())"
    expect(await page.evaluate(buttons)).toEqual(['Surprise me,rgb(255, 210, 51)', 'Add a joke,rgb(255, 255, 255)'])
  })

  it('the field for a joke grows with its text', async () => {
    await visit('/')
    await click('Add a joke')
    await get('textbox', 'Joke').fill('Knock, knock!\n'.repeat(4))
    expect(await page.evaluate('document.activeElement.scrollHeight - document.activeElement.clientHeight')).toBe(0)
  })

  it.each([
    [320, 480],
    [390, 844],
    [1_280, 600],
  ])("the dialog's buttons stay in sight in a window of %i by %i pixels", async (width, height) => {
    await page.setViewportSize({ width, height })
    await visit('/')
    await click('Add a joke')
    for (const name of ['Joke', 'Punchline']) await get('textbox', name).fill('Knock, knock!\n'.repeat(40))
    for (const name of ['Cancel', 'Add it']) {
      const { y = 0, height: tall = 0 } = (await get('button', name).boundingBox()) ?? {}
      expect(y).toBeGreaterThan(0)
      expect(y + tall).toBeLessThan(height)
    }
  })

  it('both colour schemes have the contrast that the user prefers', async () => {
    await visit('/?search=didnt', 1)
    await click('Punchline')
    await page.locator('.punch mark').waitFor()
    await page.evaluate(COLOURS)
    for (const change of [async () => {}, showFaults]) {
      await change()
      for (const colorScheme of COLOUR_SCHEMES)
        for (const [contrast, rule, leastOfBorders] of [
          ['no-preference', 'color-contrast', 3],
          ['more', 'color-contrast-enhanced', 7],
        ] as const) {
          await page.emulateMedia({ colorScheme, contrast })
          await expectAccessible({ runOnly: [rule] })
          const ofBorders = await page.evaluate(CONTRAST_OF_BORDERS)
          expect(ofBorders, `${colorScheme}, ${contrast}`).toBeGreaterThanOrEqual(leastOfBorders)
        }
    }
  })

  it('the focus has a ring with a contrast of at least 3 : 1', async () => {
    await serveLongJoke()
    await visit('/', 13)
    await page.evaluate(COLOURS)
    const rings = new Set<string>()
    const press = async (key: string) => {
      await page.keyboard.press(key)
      for (const colorScheme of COLOUR_SCHEMES) {
        await page.emulateMedia({ colorScheme })
        const [ring, contrast]: [string, number] = await page.evaluate(FOCUS_RING)
        expect(contrast, `${colorScheme}: ${ring}`).toBeGreaterThanOrEqual(3)
        rings.add(ring)
      }
    }
    while (!rings.has('tell')) await press('Tab')
    await press('Enter')
    while (!rings.has('upvote')) await press('Tab')
    await page.locator('.upvote').last().focus()
    await press('Tab')
    await showFaults()
    for (let presses = 0; presses < 4; presses++) await press('Tab')
    expect([...rings]).toEqual(expect.arrayContaining(['skip', 'primary', 'bubble punch', 'read-more', 'share']))
  })

  it.each([
    { name: 'text spacing at 320 pixels', width: 320, fontSize: 16, script: TEXT_SPACING },
    { name: 'text of 24 pixels at 390', width: 390, fontSize: 24, script: '' },
    { name: 'text of 32 pixels at 320', width: 320, fontSize: 32, script: '' },
  ])('all texts are readable with $name', async ({ width, fontSize, script }) => {
    await page.setViewportSize({ width, height: 640 })
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setFontSizes', { fontSizes: { standard: fontSize } })
    const expectReadable = async () => expect(await page.evaluate(UNREADABLE)).toEqual([])
    await visit(`/?search=${'xylophone'.repeat(20)}`)
    await says('Nobody has told that one yet')
    await page.evaluate(COLOURS + script)
    await expectReadable()
    await page.context().setOffline(true)
    await get('checkbox', 'School').check()
    await says('No connection')
    await expectReadable()
    await page.context().setOffline(false)

    await visit('/?search=the')
    await page.evaluate(COLOURS + script)
    await get('button', 'Punchline').first().click()
    for (let clicks = 0; clicks < 2; clicks++) await get('button', 'Upvote').first().click()
    await says("You've already upvoted this joke.")
    await expectReadable()
    await page.getByRole('article').first().getByRole('link').click()
    await page.locator('.single').waitFor()
    await expectReadable()
    await get('link', 'Back to the list').click()
    await showFaults()
    await expectReadable()
  })

  it('nothing moves for users who prefer less motion', async () => {
    await visit('/', 24)
    const moving = `Array.from(document.querySelectorAll('*'), (each) => getComputedStyle(each))
      .filter(({ animationName, transitionDuration }) => animationName !== 'none' || transitionDuration !== '0s').length`
    expect(await page.evaluate(moving)).toBe(0)
    await get('button', 'Punchline').first().click()
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await page.evaluate(moving)).toBeGreaterThan(0)
  })

  it('a printed joke has its punchline instead of controls', async () => {
    await visit('/?search=comma', 1)
    await page.emulateMedia({ media: 'print' })
    await says('It only wanted a break')
    expect(await page.locator(':is(button, input, select):visible').count()).toBe(0)
  })

  it('the search stays in sight while a phone scrolls', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await visit('/', 24)
    await expectAccessible()
    await page.evaluate('scrollTo(0, 2000)')
    expect((await get('searchbox', 'Search').boundingBox())?.y).toEqual(expect.closeTo(8, -1))
    // Each focused element is below the search, and above the bar with "Surprise me".
    await page.locator('.upvote').nth(12).focus()
    const top = "document.querySelector('.find').getBoundingClientRect().bottom"
    const bottom = "document.querySelector('#surprise').getBoundingClientRect().top"
    for (const key of ['Shift+Tab', 'Tab'])
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press(key)
        const box = 'document.activeElement.getBoundingClientRect()'
        expect(await page.evaluate(`Math.min(${box}.top - ${top}, ${bottom} - ${box}.bottom)`)).toBeGreaterThan(5)
      }
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0)
    // A new search shows its list from the top.
    await get('searchbox', 'Search').fill('chicken')
    await expect.poll(() => page.evaluate('scrollY')).toBe(0)
  })

  it.each([
    [320, 640],
    [390, 844],
  ])('the list begins high up in a window of %i by %i pixels', async (width, height) => {
    await page.setViewportSize({ width, height })
    await visit('/', 24)
    const boxOf = async (selector: string) => {
      const { y = 0, height: tall = 0 } = (await page.locator(selector).first().boundingBox()) ?? {}
      return { top: y, bottom: y + tall }
    }
    expect((await boxOf('article')).top).toBeLessThan(245)
    // The name is one line, level with the button.
    const [name, button] = [await boxOf('h1'), await boxOf('#add')]
    expect(name.bottom - name.top).toBeLessThan(36)
    expect(name.top).toBeGreaterThan(button.top)
    expect(name.bottom).toBeLessThan(button.bottom)
    // The row of categories scrolls to its last one, which stays clear of the fade at the end.
    const right = () => page.evaluate("document.querySelector('.chips').lastChild.getBoundingClientRect().right")
    expect(await right()).toBeGreaterThan(width)
    await get('checkbox', 'French humour').focus()
    await expect.poll(right).toBeLessThanOrEqual(width - 40)
    // The end of the page is above the bar.
    await page.evaluate('scrollTo(0, 1e6)')
    expect((await boxOf('.foot a')).bottom).toBeLessThan((await boxOf('#surprise')).top)
  })

  it.each([320, 390, 430])('a chosen category is in sight at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 844 })
    for (const [path, name] of [
      ['/?categories=KnockKnock', 'Knock, knock'],
      ['/?categories=French+humour', 'French humour'],
      ['/?categories=Word+game', 'Word games'],
    ] as const) {
      await visit(path)
      await isInSight(name, width)
    }
    await page.goBack()
    await isInSight('French humour', width)
  })

  it('a chosen category stays in sight when the user goes back', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await visit('/?categories=KnockKnock', 12)
    await get('link', 'Open').nth(5).focus()
    const scrolled = await page.evaluate('scrollY')
    expect(scrolled).toBeGreaterThan(300)
    await page.keyboard.press('Enter')
    await page.locator('.single').waitFor()
    await page.goBack()
    await isInSight('Knock, knock', 390)
    // The page itself does not move.
    await expect.poll(() => page.evaluate('scrollY')).toBe(scrolled)
  })

  it('the row of categories keeps its place when a second one is chosen', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await visit('/?categories=Word+game')
    await get('checkbox', 'French humour').focus()
    const scrolled = () => page.evaluate("document.querySelector('.chips').scrollLeft")
    const before = await scrolled()
    await get('checkbox', 'French humour').check()
    await expect
      .poll(() => page.locator('[data-stale=false] [data-category="French humour"]').count())
      .toBeGreaterThan(0)
    expect(await scrolled()).toBe(before)
  })

  it('a desktop window shows the link to the API reference', async () => {
    await page.setViewportSize({ width: 1_280, height: 720 })
    await visit('/', 24)
    const { y = 0, height = 0 } = (await get('link', 'API reference').boundingBox()) ?? {}
    expect(y + height).toBeLessThan(720)
    // The link covers no category.
    expect(y).toBeGreaterThan((await get('checkbox', 'French humour').boundingBox())?.y ?? 720)
  })

  it('a single joke is in a narrow column, with one yellow button', async () => {
    for (const width of [768, 1_440]) {
      await page.setViewportSize({ width, height: 900 })
      const [joke] = await service.jokes({ searchString: 'comma' })
      await visit(`/?id=${joke?.id}`, 1)
      expect(await page.locator('button.primary:visible').allInnerTexts()).toEqual(['Another one'])
      expect((await page.getByRole('article').boundingBox())?.width).toBeLessThanOrEqual(704)
      expect((await get('button', 'Another one').boundingBox())?.width).toBeLessThanOrEqual(384)
    }
  })

  it('a tablet shows the link to the list below the title', async () => {
    await page.setViewportSize({ width: 768, height: 1_024 })
    await visit(`/?id=${(await service.jokes())[0]?.id}`, 1)
    const nameBox = await page.locator('.brand').boundingBox()
    expect((await get('link', 'All jokes').boundingBox())?.x).toBe(nameBox?.x)
  })

  it.each([1_080, 1_440])('the summary of a single joke is one line at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 })
    await visit(`/?categories=School&id=${(await service.jokes({ category: 'School' }))[0]?.id}`, 1)
    expect((await page.locator('.summary').boundingBox())?.height).toBeLessThan(48)
  })

  it('the ring of a focused single joke keeps clear of its bubbles', async () => {
    await visit(`/?id=${(await service.jokes())[0]?.id}`, 1)
    const offset = "parseFloat(getComputedStyle(document.querySelector('article')).outlineOffset)"
    expect(await page.evaluate(offset)).toBeGreaterThanOrEqual(8)
  })

  it.each(['list', 'single joke'])('a %s keeps its height when a punchline of one line is told', async (kind) => {
    await page.setViewportSize({ width: 1_440, height: 900 })
    const [joke] = await service.jokes({ searchString: 'melons' })
    await visit(kind === 'list' ? '/?search=melons' : `/?id=${joke?.id}`, 1)
    const before = await page.getByRole('article').boundingBox()
    await click('Punchline')
    await page.locator('.punch').waitFor()
    expect(await page.getByRole('article').boundingBox()).toEqual(before)
  })

  it('the bubble of a setup has the tint of its category', async () => {
    await visit('/')
    await page.evaluate(COLOURS)
    const tints: Record<string, string> = await page.evaluate(`
      Object.fromEntries(Array.from(document.querySelectorAll('article'), (card) =>
        [card.querySelector('.category').innerText, backgroundOf(card.querySelector('.lead'))]))`)
    expect(Object.keys(tints)).toHaveLength(CATEGORIES.length)
    expect(new Set(Object.values(tints)).size).toBe(CATEGORIES.length)
  })

  it.each([
    [320, 800],
    [390, 800],
    [768, 800],
    [1_080, 500],
    [1_440, 900],
  ])('the random button keeps its place in a window of %i by %i pixels', async (width, height) => {
    await page.setViewportSize({ width, height })
    await visit('/', 24)
    const place = await get('button', 'Surprise me').boundingBox()
    await click('Surprise me')
    expect(await get('button', 'Another one').boundingBox()).toEqual(place)
  })

  it('a punchline is flooded with yellow the first time it is told', async () => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const [joke] = await service.jokes({ searchString: 'comma' })
    await visit(`/?id=${joke?.id}`, 1)
    await page.evaluate(COLOURS)
    const sun = await page.evaluate("backgroundOf(document.querySelector('.punch'))")
    const tint = await page.evaluate("backgroundOf(document.querySelector('.tell'))")
    expect(tint).not.toBe(sun)
    await click('Punchline')
    const running = 'document.getAnimations().map(({ animationName }) => animationName).sort().join()'
    expect(await page.evaluate(running)).toBe('flood,laugh,type')
    await expect.poll(() => page.evaluate(running)).toBe('')
    // The animation does not run again after going back.
    await page.reload()
    await click('Punchline')
    await get('link', 'All jokes').click()
    await shows(24)
    await page.goBack()
    await page.locator('.single .punch').waitFor()
    expect(await page.evaluate(running)).toBe('')
  })

  it('forced colours keep the page usable', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    await visit('/?search=didnt&categories=School', 1)
    await expectAccessible()
    const styleOf = (selector: string, property: string, pseudo = '') =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}'), '${pseudo}')['${property}']`)
    expect(await styleOf('article', 'borderTopStyle')).toBe('solid')
    const colours: string[] = await page.evaluate(
      "Array.from(document.querySelectorAll('.chip [data-category]'), (chip) => getComputedStyle(chip, '::before').backgroundColor)",
    )
    expect(colours).not.toContain('rgba(0, 0, 0, 0)')
    expect(new Set(colours).size).toBe(CATEGORIES.length)
    expect(colours).toContain(await styleOf('article .category', 'backgroundColor', '::before'))
    const unchosen = await styleOf('.chip :not(:checked) + span', 'backgroundColor')
    expect(await styleOf('.chip :checked + span', 'backgroundColor')).not.toBe(unchosen)
  })
})

/** Lets the service answer with a joke that is long enough to fold, followed by others. */
async function serveLongJoke(joke = 'Far '.repeat(200)): Promise<void> {
  const [first, ...others] = await service.jokes({ category: 'School' })
  const long = { ...first, joke, punchline: joke.length > 400 ? 'w'.repeat(400) : '' }
  await page.route('**/joke?*', (route) => route.fulfill({ json: [long, ...others] }))
}

/** Waits until a category is in sight, clear of the fade at the end of its row. */
async function isInSight(name: string, width: number): Promise<void> {
  const edges = async () => {
    const { x = -1, width: wide = 0 } = (await get('checkbox', name).boundingBox()) ?? {}
    return x >= 0 && x + wide <= width
  }
  await expect.poll(edges).toBe(true)
}

/** Opens the dialog, and submits it empty to show its faults. */
async function showFaults(): Promise<void> {
  await click('Add a joke')
  await click('Add it', 'Please choose a category.')
}
