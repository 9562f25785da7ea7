/** The page in a browser, and its files. */
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'
import type { BrowserContext, BrowserContextOptions, Locator, Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_TEXT_LENGTH } from '../../shared/inputLimits.ts'
import type { Joke } from '../../shared/joke.ts'
import { nextLink } from '../../shared/nextLink.ts'
import { buildSite, SECURITY_HEADERS } from '../../web/build.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import { connectBrowser } from '../support/browser.ts'
import { checkAnswer } from '../support/contract.ts'
import { startService } from '../support/service.ts'
import { openWindow, violations, WATCH_SHIFTS } from '../support/window.ts'

const browser = await connectBrowser()

let context: BrowserContext
let page: Page
/** Anything that must not happen on the page. */
let complaints: unknown[]
/** Checks of answers, which end when they have added their complaint, if any. */
let checks: Promise<void>[]

const service = await startService()
for (const [index, { id }] of (await service.add(...samples)).entries())
  for (let votes = index % 3; votes > 0; votes--) await service.thumbUp(id)
afterAll(async () => {
  await browser?.close()
  await service.stop()
})

describe.skipIf(browser === undefined)('in a browser', () => {
  afterEach(async () => {
    await Promise.all(checks)
    await context.close()
    expect(complaints).toEqual([])
  })

  describe('the page', () => {
    beforeEach(() => open())

    it('shows the newest jokes, then more on request, each once', async () => {
      await visit('/', 24)
      expect(await leadIns()).toEqual(newest(24))
      await expectAccessible()

      await button('More jokes').click()
      await shows(48)
      await expect.poll(focusedText).toContain(newest(25)[24])
      await button('More jokes').click()
      await shows(62)
      expect(await leadIns()).toEqual(newest(62))
      expect(await button('More jokes').count()).toBe(0)
      await says('That was the last joke.')
      expect(await status()).toBe('62 jokes')
    })

    it('names the links to the jokes differently, and has ids without spaces', async () => {
      await visit('/', 24)
      const snapshots = await Promise.all((await page.locator('article').all()).map((card) => card.ariaSnapshot()))
      const links = snapshots.map((snapshot) => /link "(.+)"/.exec(snapshot)?.[1])
      expect(new Set(links).size).toBe(24)
      expect(await page.locator('[id*=" "]').count()).toBe(0)
    })

    it('searches while the user types, and keeps the search in the address', async () => {
      await visit('/', 24)
      await searchBox().pressSequentially('comma')
      await shows(1)
      expect(await leadIns()).toEqual(['Why did the comma leave the full stop?'])
      expect(address()).toBe('/?search=comma')
      await page.reload()
      await shows(1)
      expect(await searchBox().inputValue()).toBe('comma')
      expect(await page.title()).toBe('comma · Joke Service')
    })

    it('shows a category in the chosen order, and goes back step by step', async () => {
      await visit('/')
      await categoryOption('School').check()
      await expect.poll(categories).toEqual(['School'])
      await chooser('Order').selectOption('Most upvoted')
      await expect.poll(address).toBe('/?category=School&order=best')
      await expect.poll(counts).toEqual((await counts()).toSorted((one, other) => other - one))
      expect(new Set(await counts()).size).toBe(3)

      await page.goBack()
      await page.goBack()
      await shows(24)
      expect(address()).toBe('/')
      expect(await categoryOption('All').isChecked()).toBe(true)
    })

    it('keeps a search that was typed just before choosing a category', async () => {
      await visit('/', 24)
      await searchBox().fill('chicken')
      await categoryOption('School').check()
      await shows(1)
      expect(address()).toBe('/?search=chicken&category=School')
      await button('Surprise me').click()
      await expect.poll(address).toMatch(/^\/\?search=chicken&category=School&id=/)
    })

    it('restores jokes, scroll position, focus and punchlines when going back', async () => {
      await visit('/')
      await button('More jokes').click()
      await shows(48)
      const index = samples.toReversed().findLastIndex(({ punchline }, index) => punchline && index < 48)
      const joke = page.getByRole('article').nth(index)
      const [leadIn, punchline] = await joke.locator('.bubble').allTextContents()
      await joke.getByRole('button', { name: 'Tell the punchline' }).click()
      const scrolled = await page.evaluate('scrollY')
      expect(scrolled).toBeGreaterThan(0)
      await joke.getByRole('link').click()
      await expect.poll(leadIns).toEqual([leadIn])
      expect(await page.evaluate('scrollY')).toBe(0)
      expect(await focused('localName')).toBe('article')

      await page.goBack()
      await shows(48)
      await expect.poll(() => page.evaluate('scrollY')).toBe(scrolled)
      expect(await focused('id')).toMatch(/^link-/)
      expect(await page.getByText(`${punchline}`, { exact: true }).isVisible()).toBe(true)

      await visit('/openapi.json')
      await page.goBack()
      await shows(48)
      expect(await page.getByText(`${punchline}`, { exact: true }).isVisible()).toBe(true)
      await page.reload()
      await shows(24)
    })

    it('shows each new view from its top', async () => {
      await visit('/', 24)
      for (const choose of [
        () => categoryOption('Classics').check(),
        () => chooser('Order').selectOption('Oldest first'),
        () => button('Surprise me').click(),
      ]) {
        await page.evaluate('scrollTo(0, 500)')
        const before = address()
        await choose()
        await expect.poll(address).not.toBe(before)
        expect(await page.evaluate('scrollY')).toBe(0)
      }
    })

    it('adds one step to the history when arrow keys move through the categories', async () => {
      await visit('/', 24)
      await categoryOption('All').focus()
      for (const category of ['Word games', 'Classics']) {
        await page.keyboard.press('ArrowRight')
        await expect.poll(categories).toEqual([category])
      }
      expect(address()).toBe('/?category=Classic')
      await page.goBack()
      await shows(24)
      expect(address()).toBe('/')
    })

    it('moves the focus when the focused link or button disappears', async () => {
      const [joke] = await service.jokes({ numberofJokes: '1' })
      await visit(`/?id=${joke?.id}`)
      await link('All jokes').press('Enter')
      await shows(24)
      expect(await focused('id')).toBe('jokes')

      await visit('/?search=xylophone&category=School')
      await link('All jokes').press('Enter')
      await shows(24)
      expect(await focused('id')).toBe('jokes')

      for (const retryAfter of [0, 60]) {
        const held = await hold('**/joke?*cursor*', { retryAfter })
        const again = page.getByRole('button', { name: retryAfter === 0 ? 'More jokes' : 'Try again' })
        await again.press('Enter')
        held.fail()
        await says(retryAfter === 0 ? 'having a nap' : /Trying again in \d+ seconds/)
        await button('Try again').and(page.locator(':focus')).waitFor()
      }
      await button('Try again').press('Enter')
      await shows(48)
      await expect.poll(focusedText).toContain(newest(25)[24])
    })

    it('hides a punchline until asked for, and shows it without a layout shift', async () => {
      await visit('/?search=comma')
      const punchline = page.getByText('It only wanted a break')
      await button('Tell the punchline').waitFor()
      expect(await punchline.isVisible()).toBe(false)
      const before = await page.locator('article').boundingBox()
      await button('Tell the punchline').press('Enter')
      await expect.poll(() => punchline.isVisible()).toBe(true)
      await expect.poll(focusedText).toBe('It only wanted a break, not the end of everything.')
      expect(await page.locator('article').boundingBox()).toEqual(before)
      await expectAccessible()
    })

    it('tells and marks a punchline that the search has found', async () => {
      await visit('/?search=break', 1)
      expect(await page.locator('.punch mark').allTextContents()).toEqual(['break'])
      expect(await page.locator('.punch').isVisible()).toBe(true)
      expect(await button('Tell the punchline').count()).toBe(0)
      expect(await focused('localName')).toBe('body')
    })

    it('renders only the card whose punchline is told or that is upvoted', async () => {
      await page.route('**/page.js', async (route) =>
        route.fulfill({ contentType: 'text/javascript', body: await countingScript() }),
      )
      await visit('/', 24)
      const rendered = (): Promise<string[]> => page.evaluate('rendered.splice(0)')
      await rendered()
      await button('Tell the punchline').first().click()
      await expect.poll(() => focused('tagName')).toBe('P')
      expect(await rendered()).toEqual(['Punchline'])
      await button('Upvote').first().click()
      await page.locator('[aria-pressed=true]').waitFor()
      expect((await rendered()).filter((name) => name.startsWith('Joke'))).toEqual(['JokeCard'])
    })

    it('surprises with one joke after the other, and leads back to the list', async () => {
      await visit('/?search=teacher&category=School')
      const asked: string[] = []
      page.on('request', (request) => request.url().includes('/joke?') && asked.push(request.url()))
      const held = await hold('**/joke?*random*')
      await button('Surprise me').press('Enter')
      await says('Picking a joke…')
      held.release()
      await shows(1)
      expect(asked).toHaveLength(1)
      expect(address()).toMatch(/^\/\?search=teacher&category=School&id=[\w-]{22}$/)
      expect(await categories()).toEqual(['School'])
      // Screen readers announce the joke: it has the focus, and its lead-in is its name.
      const [first] = await leadIns()
      await page
        .getByRole('article', { name: `${first}`, exact: true })
        .and(page.locator(':focus'))
        .waitFor()
      expect(await page.title()).toBe(`${first} · Joke Service`.replaceAll('\n', ' '))
      await expectAccessible()

      await button('Another one').click()
      await expect.poll(leadIns).not.toEqual([first])
      expect(await categories()).toEqual(['School'])
      await link('Back to the list').click()
      await expect.poll(address).toBe('/?search=teacher&category=School')
      await expect.poll(async () => (await leadIns()).length).toBeGreaterThan(1)
      await expect.poll(focusedText).toContain('Surprise me')
    })

    it('shows the next joke at once, in the same place, and none twice until all were shown', async () => {
      await page.setViewportSize({ width: 390, height: 800 })
      const all = await service.jokes({ category: 'School', numberofJokes: '100' })
      let requests = 0
      page.on('request', (request) => request.url().includes('random') && requests++)
      const shown = new Set<string>()
      const places = new Set<number | undefined>()
      await visit('/?category=School')
      await button('Surprise me').click()
      for (let count = 1; count <= all.length; count++) {
        await expect.poll(address).not.toBe([...shown].at(-1) ?? '/?category=School')
        expect(shown).not.toContain(address())
        shown.add(address())
        await shows(1)
        places.add((await button('Another one').boundingBox())?.y)
        await button('Another one').click()
      }
      await expect.poll(address).not.toBe([...shown].at(-1))
      expect(shown).toContain(address())
      expect(requests).toBeLessThanOrEqual(Math.ceil(all.length / 10) + 1)
      expect(all.length).toBeGreaterThan(11)
      expect([...places]).toEqual([expect.closeTo(740, -1)])
    })

    it('drops a random joke that arrives after the user has gone elsewhere', async () => {
      await visit('/', 24)
      const held = await hold('**/joke?*random*')
      await button('Surprise me').click()
      await says('Picking a joke…')
      await categoryOption('School').check()
      await expect.poll(categories).toEqual(['School'])
      const response = page.waitForResponse(/random/)
      held.release()
      await response
      await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
      expect(address()).toBe('/?category=School')
    })

    it('surprises with a match of a search that was typed just before', async () => {
      await visit('/', 24)
      await searchBox().fill('goldfish')
      await button('Surprise me').click()
      await shows(1)
      expect(await leadIns()).toEqual([expect.stringContaining('Two goldfish')])
      expect(await searchBox().inputValue()).toBe('goldfish')
      await button('Another one').click()
      await says('There is no other joke here.')
    })

    it('counts an upvote at once, then shows the count of the service', async () => {
      await visit('/?search=comma')
      const before = await upvotes()
      const held = await hold('**/thumbsUp/*', { method: 'POST' })
      await button('Upvote').click()
      await expect.poll(upvotes).toBe(before + 1)
      await upvoteElsewhere('comma')
      held.release()
      await expect.poll(upvotes).toBe(before + 2)
    })

    it('remembers the upvotes of this browser, and upvotes each joke once', async () => {
      await visit('/?search=zebra')
      const before = await upvotes()
      await button('Upvote').click()
      await expect.poll(isPressed).toBe('true')
      await expectAccessible()
      await page.reload()
      await expect.poll(isPressed).toBe('true')
      await button('Upvote').click()
      await says('You have already upvoted this joke.')
      expect(await upvotes()).toBe(before + 1)
      expect(await service.jokes({ searchString: 'zebra' })).toMatchObject([{ thumbsUp: before + 1 }])
    })

    it('takes back a failed upvote, also after the order was changed', async () => {
      await visit('/?search=tortilla')
      const before = await upvotes()
      const held = await hold('**/thumbsUp/*', { method: 'POST' })
      await button('Upvote').click()
      await expect.poll(upvotes).toBe(before + 1)
      await chooser('Order').selectOption('Most upvoted')
      await expect.poll(address).toBe('/?search=tortilla&order=best')
      await shows(1)
      held.fail()
      await says('Your upvote was not counted. Please try again.')
      expect(await upvotes()).toBe(before)
      expect(await isPressed()).toBe('false')
      await expectAccessible()
    })

    it('keeps an upvote whose answer was lost', async () => {
      await visit('/?search=upholstered')
      const before = await upvotes()
      await page.route('**/thumbsUp/*', async (route) => {
        await route.fetch()
        await upvoteElsewhere('upholstered')
        await route.abort()
      })
      await button('Upvote').click()
      await expect.poll(upvotes).toBe(before + 2)
      expect(await isPressed()).toBe('true')
    })

    it('takes back a refused upvote, although another client upvoted meanwhile', async () => {
      await visit('/?search=latitude')
      const before = await upvotes()
      await page.route('**/thumbsUp/*', async (route) => {
        await upvoteElsewhere('latitude')
        await route.fulfill({ status: 429, json: { message: 'Too Many Requests' } })
      })
      await button('Upvote').click()
      await says('Your upvote was not counted. Please try again.')
      expect(await upvotes()).toBe(before + 1)
      expect(await isPressed()).toBe('false')
    })

    it('says that an upvote is not counted while offline', async () => {
      await visit('/?search=goldfish')
      const before = await upvotes()
      await context.setOffline(true)
      await button('Upvote').click()
      await says('You are offline. Your upvote may not have been counted.')
      expect(await upvotes()).toBe(before)
    })

    it('reads the present count after a failed upvote, not a copy that CloudFront keeps', async () => {
      const copies = new Map<string, Promise<Joke[]>>()
      await page.route('**/joke?*', async (route) => {
        const { search, searchParams } = new URL(route.request().url())
        const jokes = copies.get(search) ?? service.jokes(Object.fromEntries(searchParams))
        if (searchParams.get('sortBy') !== 'random') copies.set(search, jokes)
        return route.fulfill({ json: await jokes })
      })
      const [joke] = await service.jokes({ searchString: 'snowman' })
      await visit(`/?id=${joke?.id}`, 1)
      const before = await upvotes()
      await page.route('**/thumbsUp/*', async (route) => {
        await route.fetch()
        await route.abort()
      })
      await button('Upvote').click()
      await page.waitForResponse(/random/)
      await expect.poll(upvotes).toBe(before + 1)
      expect(await isPressed()).toBe('true')
    })

    it('knows the upvotes of other windows', async () => {
      await visit('/?search=bells', 1)
      const other = await context.newPage()
      await other.goto(page.url())
      await other.getByRole('button', { name: 'Upvote' }).click()
      await expect.poll(isPressed).toBe('true')
      await button('Upvote').click()
      await says('You have already upvoted this joke.')
    })

    it.each([
      [
        'denied',
        "Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('', 'SecurityError') } })",
      ],
      ['damaged', "localStorage.setItem('upvoted', 'null')"],
    ])('starts, and upvotes once, if its storage is %s', async (_, content) => {
      await page.addInitScript({ content })
      await visit('/?search=sneeze', 1)
      await button('Upvote').click()
      await expect.poll(isPressed).toBe('true')
      await button('Upvote').click()
      await says('You have already upvoted this joke.')
    })

    it("copies the address of a joke, or opens the browser's share dialog if it has one", async () => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await visit('/?search=comma')
      const [joke] = await service.jokes({ searchString: 'comma' })
      await button('Share').click()
      await says('Link copied.')
      const shared = `${service.url}/?id=${joke?.id}`
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shared)

      await page.evaluate('navigator.share = async (shared) => { globalThis.shared = shared }')
      await button('Share').click()
      expect(await page.evaluate('shared')).toEqual({ text: joke?.joke, url: shared })
    })

    it('shows faults at the fields, then adds the corrected joke', async () => {
      await visit('/')
      await button('Add a joke').click()
      await expectAccessible()
      await button('Add it').click()
      await says('Please tell the joke.')
      await says('Please choose a category.')
      await expect.poll(() => focused('name')).toBe('joke')
      await expectAccessible()

      await field('Joke').fill('What do you call a fish without eyes?')
      await field('Punchline').fill('A fsh.')
      await chooser('Category').selectOption('French humour')
      await button('Add it').click()
      await says('Your joke is in.')
      await expect.poll(leadIns).toEqual(['What do you call a fish without eyes?'])
      expect(await service.jokes({ searchString: 'fsh' })).toMatchObject([{ category: 'French humour' }])

      await button('Add a joke').click()
      expect(await field('Punchline').inputValue()).toBe('')
      await field('Joke').fill('What do you call a bear without ears?')
      await chooser('Category').selectOption('Classics')
      await button('Add it').click()
      await expect.poll(leadIns).toEqual(['What do you call a bear without ears?'])
    })

    it('says that a joke waits for approval', async () => {
      await write('Patience is a virtue')
      await page.route('**/joke?id=*', (route) => route.fulfill({ json: [] }))
      await button('Add it').click()
      await says('Thank you! Your joke appears here once it is approved.')
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(address()).toBe('/?category=School')

      const detail = 'This joke waits for approval by the operators of the service.'
      const problem = { type: 'about:blank', title: 'Conflict', status: 409, detail }
      const answer = { status: 409, contentType: 'application/problem+json', body: JSON.stringify(problem) }
      await page.route('**/joke', (route) => route.fulfill(answer))
      await button('Add a joke').click()
      await field('Joke').fill('Patience is a virtue')
      await button('Add it').click()
      await says(detail)
    })

    it('links from a duplicate to the existing joke', async () => {
      await write('Why did the comma leave the FULL stop?')
      await field('Punchline').fill('It only wanted a break, not the end of everything.')
      await chooser('Category').selectOption('School')
      await button('Add it').click()
      await says('This joke is here already.')
      await expectAccessible()
      await link('Show it').click()
      await expect.poll(leadIns).toEqual(['Why did the comma leave the full stop?'])
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(await focused('localName')).toBe('article')
    })

    it('shows how many characters are left, and removes a fault once it is corrected', async () => {
      await visit('/?category=School')
      await button('Add a joke').click()
      const joke = field('Joke')
      expect(await chooser('Category').inputValue()).toBe('School')
      await joke.fill('x'.repeat(MAX_TEXT_LENGTH - 10))
      await says('10 characters left')
      await joke.fill('x'.repeat(MAX_TEXT_LENGTH + 1))
      await says('1 character too many')
      await joke.press('Control+Enter')
      await says('This is too long. Please shorten it.')
      await expectAccessible()
      await joke.fill('x'.repeat(MAX_TEXT_LENGTH))
      expect(await page.getByText('This is too long. Please shorten it.').count()).toBe(0)
      await joke.press('Control+Enter')
      await shows(1)
      expect(await leadIns()).toEqual(['x'.repeat(MAX_TEXT_LENGTH)])
    })

    it('says at the field that a text has characters that cannot be shown', async () => {
      await write('Rings \u0007 a bell')
      await button('Add it').click()
      await says('This text has characters that cannot be shown.')
      await says('Not added yet. Please correct the fields above.')
    })

    it('closes the dialog on Escape and on a click outside, and keeps the text', async () => {
      await visit('/')
      const joke = field('Joke')
      for (const close of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 5)]) {
        await button('Add a joke').click()
        if ((await joke.inputValue()) === '') await joke.fill('Half a joke')
        expect(await joke.inputValue()).toBe('Half a joke')
        await close()
        await joke.waitFor({ state: 'hidden' })
        expect(await focusedText()).toContain('Add a joke')
      }
    })

    it('retries adding a joke by itself after the time in Retry-After', async () => {
      await page.clock.install()
      await write('Patience')
      const held = await hold('**/joke', { method: 'POST', retryAfter: 60 })
      await button('Add it').click()
      held.fail()
      await says('The database is having a nap: try again.')
      await says(/Trying again in \d+ seconds\./)
      await expectAccessible()
      await page.clock.runFor(50_000)
      await says(/Trying again in \d+ seconds\./)
      await page.clock.runFor(10_000)
      await says('Your joke is in.')
    })

    it.each(['request', 'wait'])(
      'adds nothing and stays where it is when the user cancels during a %s',
      async (moment) => {
        await page.clock.install()
        await write(`Cancelled during a ${moment}`)
        const held = await hold('**/joke', { method: 'POST', retryAfter: 60 })
        let requests = 0
        page.on('request', (request) => request.method() === 'POST' && requests++)
        await button('Add it').click()
        if (moment === 'wait') {
          held.fail()
          await says(/Trying again in/)
        }
        const ended = moment === 'wait' ? undefined : page.waitForEvent('requestfailed')
        await button('Cancel').click()
        await ended
        held.release()
        await page.clock.runFor(120_000)
        await button('Add a joke').click()
        await button('Add it').waitFor()
        expect([requests, address()]).toEqual([1, '/?category=School'])
        expect(await field('Joke').inputValue()).toBe(`Cancelled during a ${moment}`)
        expect(await page.getByText('Your joke is in.').count()).toBe(0)
      },
    )

    it('keeps the text of a joke while offline', async () => {
      await write('Unlucky')
      await page.locator('article').first().waitFor()
      await context.setOffline(true)
      await button('Add it').click()
      await says('You are offline. Your text stays here.')
      expect(await field('Joke').inputValue()).toBe('Unlucky')
    })

    it('marks the matches of a search, and names the language of a joke', async () => {
      const searches: [search: string, marks: string[], language: string | null][] = [
        ['eleve HESI', ["L'élève", 'hésite'], 'fr'],
        ['昼寝', ['昼寝'], null],
        ['DIDNT', ["didn't", "didn't"], null],
        ['hencyclo', ['hen-cyclopedia.'], null],
        ['🌯', ['🌯'], null],
      ]
      for (const [search, marks, language] of searches) {
        await visit(`/?${new URLSearchParams({ search })}`, 1)
        expect(await page.locator('mark').allTextContents()).toEqual(marks)
        expect(await page.locator('.lead p').getAttribute('lang'), search).toBe(language)
      }
    })

    it('leaves the slash to the browser', async () => {
      await visit('/', 24)
      await page.keyboard.press('/')
      expect(await focused('localName')).toBe('body')
    })

    it('shows a joke made of HTML as text', async () => {
      const joke = '<img src=x onerror="alert(1)"><b>bold</b> &amp; markup'
      const [added] = await service.add({ joke, punchline: '<script>alert(2)</script>', category: 'Classic' })
      await visit(`/?id=${added?.id}`)
      await button('Tell the punchline').click()
      expect(await leadIns()).toEqual([joke])
      expect(await page.locator('.punch').textContent()).toBe('<script>alert(2)</script>')
      expect(await page.locator('article :is(img, b, script)').count()).toBe(0)
    })

    it.each([
      ['/?search=!!', 'There is no word in that', 'Search for words'],
      ['/?search=xylophone', 'Nobody has told that one yet', 'Try another word.'],
      ['/?search=xylophone+zither', 'Nobody has told that one yet', 'Try fewer words.'],
      ['/?search=xylophone&category=School', 'Nobody has told that one yet', 'Try another word, or another category.'],
      ['/?id=AAAAAAAAAAAAAAAAAAAAAA', 'This joke is not here', 'Its address may be incomplete'],
    ])('says why %s shows no joke, and offers others: %s', async (path, reason, advice) => {
      await visit(path)
      await says(reason)
      await says(advice)
      await expectAccessible()
      const panel = page.locator('main')
      await panel.getByRole('button', { name: 'Add a joke' }).click()
      await button('Cancel').click()
      await panel.getByRole('button', { name: 'Surprise me' }).click()
      await shows(1)
      expect(address()).toMatch(/^\/\?id=[\w-]{22}$/)
    })

    it('invites the user to add the first joke', async () => {
      const body = '[]'
      await page.route('**/joke?*', (route) => route.fulfill({ contentType: 'application/json', body }))
      await visit('/')
      await says('Not a single joke yet')
      expect(await page.locator('main').getByRole('button').allTextContents()).toEqual(['Add a joke'])
      await expectAccessible()
    })

    it.each(['/?search=%20', '/?search=&category=&id='])('shows all jokes at %s', async (path) => {
      await visit(path, 24)
      expect(await status()).toContain('24 jokes')
      expect(await page.title()).toBe('Joke Service')
    })

    it('continues a search over empty pages, then asks before looking further', async () => {
      let asked = 0
      await page.route('**/joke?*', async (route) => {
        asked++
        const { search } = new URL(route.request().url())
        const isThere = asked > 7
        if (isThere) return route.fulfill({ json: await service.jokes({ searchString: 'comma' }) })
        const headers = { link: nextLink(`${search}&cursor=${asked}`) }
        return route.fulfill({ json: [], headers })
      })
      await visit('/?search=comma')
      await says('Nothing found so far')
      expect(await status()).toBe('No joke so far for “comma”')
      await expectAccessible()
      await button('Look further').press('Enter')
      await shows(1)
      expect(await focused('localName')).toBe('article')
    })

    it('shows that it is loading, then an error, and retries on request', async () => {
      const held = await hold('**/joke?*')
      await visit('/')
      await says('Fetching jokes…')
      await expectAccessible()
      held.fail()
      await says('The database is having a nap: try again.')
      await expectAccessible()
      await button('Try again').click()
      await shows(24)
    })

    it.each([
      ['breaks off', '[{"id":', 0],
      ['holds something else', '[{}]', 1],
    ])('asks to try again if an answer %s', async (_, body, faults) => {
      await page.route('**/joke?*', (route) => route.fulfill({ contentType: 'application/json', body }), { times: 1 })
      await visit('/')
      await says('The answer broke off. Please try again.')
      await Promise.all(checks)
      expect(complaints.splice(0)).toHaveLength(faults)
      await button('Try again').click()
      await shows(24)
    })

    it('ignores an answer to an earlier search', async () => {
      await visit('/', 24)
      const held = await hold('**/joke?*chicken*')
      const asked = page.waitForRequest(/chicken/)
      await searchBox().fill('chicken')
      await asked
      const ended = page.waitForEvent('requestfailed')
      await searchBox().fill('teacher')
      await ended
      held.release()
      await shows(12)
      expect(await status()).toBe('12 jokes for “teacher”')
    })

    it('retries by itself after the time in Retry-After', async () => {
      await page.clock.install()
      const held = await hold('**/joke?*', { retryAfter: 60 })
      await visit('/')
      held.fail()
      await says(/Trying again in \d+ seconds\./)
      await expectAccessible()
      await page.clock.runFor(50_000)
      await says(/Trying again in \d+ seconds\./)
      await page.clock.runFor(10_000)
      await shows(24)
    })

    it('says that the user is offline, and continues when online', async () => {
      await visit('/', 24)
      await context.setOffline(true)
      await categoryOption('Knock, knock').check()
      await says('No connection')
      await expectAccessible()
      await context.setOffline(false)
      await expect.poll(categories).toEqual(['Knock, knock'])
    })

    it('works with the keyboard alone', async () => {
      await visit('/?search=comma', 1)
      await page.keyboard.press('Tab')
      expect(await focusedText()).toBe('Skip to the jokes')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect.poll(focusedText).toBe('It only wanted a break, not the end of everything.')
      const before = await upvotes()
      for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      await expect.poll(upvotes).toBe(before + 1)
    })

    it('shows its frame, and keeps what the user types, while the script loads', async () => {
      const held = await hold('**/page.js')
      await page.goto(service.url, { waitUntil: 'commit' })
      await says('Joke Service')
      await says('Fetching jokes…')
      expect(await page.locator('.skeleton').count()).toBeGreaterThan(0)
      await searchBox().fill('comma')
      held.release()
      await shows(1)
      expect(address()).toBe('/?search=comma')
    })

    it('shifts the layout little during slow searches', async () => {
      await page.addInitScript({ content: WATCH_SHIFTS })
      await visit('/', 24)
      for (const search of ['chicken', 'teacher', '']) {
        const held = await hold('**/joke?*')
        await searchBox().fill(search)
        await page.locator('[data-stale=true]').waitFor()
        held.release()
        await page.locator('[data-stale=false]').waitFor()
      }
      expect(await page.evaluate('shift')).toBeLessThan(0.1)
    })
  })

  describe('the page in other windows', () => {
    it('shows the joke of a shared link first on a phone, without moving anything', async () => {
      await open({ viewport: { width: 390, height: 800 } })
      await page.addInitScript({ content: WATCH_SHIFTS })
      const [joke] = await service.jokes({ searchString: 'comma' })
      const [script, jokes] = [await hold('**/page.js'), await hold('**/joke?*')]
      await page.goto(`${service.url}/?id=${joke?.id}`, { waitUntil: 'commit' })
      for (const next of [script, jokes]) {
        await says('Fetching jokes…')
        expect(await page.locator('.skeleton:visible').count()).toBe(1)
        next.release()
      }
      await shows(1)
      expect((await page.locator('article').boundingBox())?.y).toBeLessThan(150)
      expect(await page.locator('header button, search').and(page.locator(':visible')).count()).toBe(0)
      expect(await page.evaluate('shift')).toBeLessThan(0.02)
      await expectAccessible()
      await link('All jokes').click()
      await shows(24)
      expect(await searchBox().isVisible()).toBe(true)
    })

    it('links to where a joke can be reported', async () => {
      await open()
      const script = (await buildSite('mailto:jokes@example.com')).get('/page.js')
      await page.route('**/page.js', (route) => route.fulfill({ ...script }))
      await visit('/', 24)
      const report = link('Report a joke')
      expect(await report.getAttribute('href')).toBe('mailto:jokes@example.com')
      await page.locator('article').getByRole('link').first().click()
      await shows(1)
      const [id] = /[\w-]{22}/.exec(address()) ?? []
      expect(await report.getAttribute('href')).toBe(`mailto:jokes@example.com?subject=Joke%20${id}`)
    })

    it('says that it needs JavaScript, and links to the jokes', async () => {
      await open({ javaScriptEnabled: false })
      await visit('/')
      expect(await page.locator('noscript').innerText()).toContain('This page needs JavaScript.')
      expect(await page.getByRole('heading', { name: 'Joke Service' }).isVisible()).toBe(true)
      expect(await page.locator('main').isVisible()).toBe(false)
      expect(await page.getByRole('button').count()).toBe(0)
      expect(await page.getByRole('link', { name: '/joke' }).getAttribute('href')).toBe('/joke')
    })
  })
})

describe('the files of the page', () => {
  it('have less than 21 kB in all when compressed', async () => {
    let bytes = 0
    for (const path of ['/', '/page.js', '/page.css', '/icon.svg', '/manifest.webmanifest']) {
      const response = await fetch(service.url + path)
      expect([path, response.status]).toEqual([path, 200])
      bytes += brotliCompressSync(await response.arrayBuffer()).length
    }
    expect(bytes).toBeLessThan(21_000)
  })

  it('exist for every link of the page, with the right content type', async () => {
    const html = await (await fetch(service.url)).text()
    expect(html).toMatch(/<meta name="description" content="[^"]{50,}">/)
    expect(html.match(/<meta name="theme-color"/g)).toHaveLength(2)
    const manifest = await (await fetch(`${service.url}/manifest.webmanifest`)).text()
    const named = [...`${html}${manifest}`.matchAll(/"(\/[\w.-]+\.\w+)"/g)].map(([, path]) => path)
    const types: Record<string, string> = {}
    for (const path of new Set(named)) {
      const { status, headers } = await fetch(`${service.url}${path}`)
      expect([path, status]).toEqual([path, 200])
      types[`${path}`] = headers.get('content-type') ?? ''
    }
    expect(types).toMatchObject({
      '/card.png': 'image/png',
      '/favicon.ico': 'image/x-icon',
      '/icon-180.png': 'image/png',
      '/icon-512.png': 'image/png',
      '/icon.svg': 'image/svg+xml',
      '/manifest.webmanifest': 'application/manifest+json',
    })
  })

  it.each(['/', '/page.js', '/docs'])('have strict security headers: %s', async (path) => {
    const { status, headers } = await fetch(service.url + path)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS)
    expect(SECURITY_HEADERS['content-security-policy']).not.toContain('unsafe')
  })
})

/** Opens a window, and checks each of its requests and answers. */
async function open(options: BrowserContextOptions = {}): Promise<void> {
  ;({ context, page, complaints } = await openWindow(browser, options))
  checks = []
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) complaints.push(request.url())
  })
  page.on('response', (response) => {
    if (/^\/(joke|thumbsUp)\b/.test(new URL(response.url()).pathname)) checks.push(check(response))
  })
}

/** Complains about an answer that `openapi.json` does not describe. */
async function check(response: Response): Promise<void> {
  const body: unknown = await response.json().catch(() => undefined)
  // The body of a cancelled request cannot be read.
  if (body === undefined) return
  try {
    const answer = { status: response.status(), headers: new Headers(response.headers()), body }
    checkAnswer(response.request().method(), response.url(), answer)
  } catch (error) {
    complaints.push(error)
  }
}

/** Opens a view. With `count`, waits until it shows this many jokes. */
async function visit(path: string, count?: number): Promise<void> {
  await page.goto(service.url + path)
  if (count !== undefined) await shows(count)
}

/** Opens the dialog at the category School, and writes a joke. */
async function write(joke: string): Promise<void> {
  await visit('/?category=School')
  await button('Add a joke').click()
  await field('Joke').fill(joke)
}

/** Waits until the page shows this many jokes and has finished loading. */
async function shows(count: number): Promise<void> {
  await page.locator('.jokes[aria-busy=false]').waitFor()
  await expect.poll(() => page.locator('article').count()).toBe(count)
}

/** Waits until the page shows a text. */
function says(text: string | RegExp): Promise<void> {
  return page.getByText(text).waitFor()
}

function link(name: string): Locator {
  return page.getByRole('link', { name })
}

function field(name: string): Locator {
  return page.getByRole('textbox', { name })
}

function chooser(name: string): Locator {
  return page.getByRole('combobox', { name })
}

function searchBox(): Locator {
  return page.getByRole('searchbox')
}

function categoryOption(name: string): Locator {
  return page.getByRole('radio', { name })
}

function status(): Promise<string | null> {
  return page.getByRole('status').first().textContent()
}

function leadIns(): Promise<string[]> {
  return page.locator('.lead').allTextContents()
}

function newest(count: number): string[] {
  return samples
    .toReversed()
    .slice(0, count)
    .map(({ joke }) => joke)
}

async function categories(): Promise<string[]> {
  return [...new Set(await page.locator('.category').allTextContents())]
}

async function counts(): Promise<number[]> {
  return (await page.locator('.count').allTextContents()).map(Number)
}

async function upvotes(): Promise<number> {
  return Number(await page.locator('.count').first().textContent())
}

/** Lets another client upvote the joke that a search finds. */
async function upvoteElsewhere(searchString: string): Promise<void> {
  const [joke] = await service.jokes({ searchString })
  await service.thumbUp(`${joke?.id}`)
}

function address(): string {
  return page.url().slice(service.url.length)
}

function button(name: string): Locator {
  return page.getByRole('button', { name })
}

function isPressed(): Promise<string | null> {
  return button('Upvote').getAttribute('aria-pressed')
}

/** A property of the element that has the focus. */
function focused(property: string): Promise<string> {
  return page.evaluate(`document.activeElement.${property}`)
}

function focusedText(): Promise<string> {
  return focused('textContent')
}

/** Holds back the next request to an address until the test releases or fails it. */
async function hold(url: string, { method = 'GET', retryAfter = 0 } = {}) {
  const decision = Promise.withResolvers<'release' | 'fail'>()
  let isHeld = false
  await page.route(url, async (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback()
    isHeld = true
    if ((await decision.promise) === 'release') return route.continue()
    const detail = 'The database is having a nap: try again.'
    return route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      headers: retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {},
      body: JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503, detail }),
    })
  })
  return { release: () => decision.resolve('release'), fail: () => decision.resolve('fail') }
}

/** The script of the page, which adds the name of each component that it renders to `rendered`. */
async function countingScript(): Promise<string> {
  const contents = `
    import { options } from 'preact'
    import './hydrate.tsx'
    globalThis.rendered = []
    // Preact's hook before each render, which its own packages use too.
    const { __r } = options
    options.__r = (vnode, ...others) => {
      rendered.push(vnode.type.name)
      __r(vnode, ...others)
    }`
  const resolveDir = fileURLToPath(new URL('../../web', import.meta.url))
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    // package.json says that no file has side effects, but hydrate.tsx has.
    ignoreAnnotations: true,
    write: false,
    format: 'esm',
    define: { CONTACT: '""' },
  })
  return outputFiles.map(({ text }) => text).join('')
}

async function expectAccessible(): Promise<void> {
  expect(await violations(page, { resultTypes: ['violations'] })).toEqual([])
}
