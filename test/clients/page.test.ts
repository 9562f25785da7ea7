/** The page and the API reference, as people use them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync } from 'node:zlib'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startBrowser } from '../../tools/browser.ts'
import { buildSite, SECURITY_HEADERS } from '../../web/build.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import { checkAnswer } from '../support/contract.ts'
import { type Service, startService } from '../support/service.ts'

const browser = await startBrowser()
if (browser === undefined) console.warn('SKIPPED: all tests in a browser.')

/** The script of axe, to be run in a page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Adds up how far what is shown has moved by itself (https://web.dev/articles/cls). */
const WATCH_SHIFTS = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value
  }).observe({ type: 'layout-shift', buffered: true })
`

let service: Service
let context: BrowserContext
let page: Page
/** What must not happen, whatever the page shows. */
let complaints: unknown[]

beforeAll(async () => {
  service = await startService()
  const added = await service.add(...samples)
  for (const [index, { id }] of added.entries()) {
    for (let votes = index % 3; votes > 0; votes--) await service.thumbUp(id)
  }
})
afterAll(async () => {
  await browser?.close()
  await service.stop()
})

describe.skipIf(browser === undefined)('in a browser', () => {
  beforeEach(() => open())
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  describe('the page', () => {
    it('shows the newest jokes, and more when asked, each once', async () => {
      await visit('/')
      await shows(25)
      expect(await leadIns()).toEqual(newest(25))
      await expectAccessible()

      await page.getByRole('button', { name: 'More jokes' }).click()
      await shows(50)
      await expect.poll(focusedText).toContain(newest(26)[25])
      await page.getByRole('button', { name: 'More jokes' }).click()
      await shows(62)
      expect(await leadIns()).toEqual(newest(62))
      expect(await page.getByRole('button', { name: 'More jokes' }).count()).toBe(0)
      expect(await page.getByRole('status').first().textContent()).toBe('62 jokes')
    })

    it('searches while one types, and keeps the search in the address', async () => {
      await visit('/')
      await shows(25)
      await page.getByRole('searchbox').pressSequentially('comma')
      await shows(1)
      expect(await leadIns()).toEqual(['Why did the comma leave the full stop?'])
      expect(address()).toBe('/?search=comma')
      await page.reload()
      await shows(1)
      expect(await page.getByRole('searchbox').inputValue()).toBe('comma')
      expect(await page.title()).toBe('comma · Joke Service')
    })

    it('shows a category in the order chosen, and goes back as it came', async () => {
      await visit('/')
      await page.getByRole('radio', { name: 'School' }).check()
      await expect.poll(categories).toEqual(['School'])
      await page.getByRole('combobox', { name: 'Order' }).selectOption('Most upvoted')
      await expect.poll(address).toBe('/?category=School&order=best')
      await expect.poll(counts).toEqual((await counts()).toSorted((one, other) => other - one))
      expect(new Set(await counts()).size).toBe(3)

      await page.goBack()
      await page.goBack()
      await shows(25)
      expect(address()).toBe('/')
      expect(await page.getByRole('radio', { name: 'All' }).isChecked()).toBe(true)
    })

    it('hides a punchline until asked for, without moving anything', async () => {
      await visit('/?search=comma')
      const punchline = page.getByText('It only wanted a break')
      await page.getByRole('button', { name: 'Tell the punchline' }).waitFor()
      expect(await punchline.isVisible()).toBe(false)
      const before = await page.locator('article').boundingBox()
      await page.getByRole('button', { name: 'Tell the punchline' }).press('Enter')
      await expect.poll(() => punchline.isVisible()).toBe(true)
      await expect.poll(focusedText).toBe('It only wanted a break, not the end of everything.')
      expect(await page.locator('article').boundingBox()).toEqual(before)
      await expectAccessible()
    })

    it('surprises with one joke after the other', async () => {
      await visit('/')
      await page.getByRole('button', { name: 'Surprise me' }).click()
      await shows(1)
      const first = address()
      expect(first).toMatch(/^\/\?id=[\w-]{22}$/)
      await page.getByRole('button', { name: 'Surprise me' }).click()
      await expect.poll(address).not.toBe(first)
      await shows(1)
      await expectAccessible()
      await page.getByRole('link', { name: 'All jokes' }).click()
      await shows(25)
    })

    it('counts an upvote at once, then as the service does', async () => {
      await visit('/?search=comma')
      const before = await countOf(0)
      const held = await hold('**/thumbsUp/*')
      await page.getByRole('button', { name: 'Upvote' }).click()
      await expect.poll(() => countOf(0)).toBe(before + 1)
      const [joke] = await service.jokes({ searchString: 'comma' })
      // Somebody else is faster.
      await service.thumbUp(`${joke?.id}`)
      held.release()
      await expect.poll(() => countOf(0)).toBe(before + 2)
    })

    it('takes an upvote back that fails, and says why', async () => {
      await visit('/?search=tortilla')
      const before = await countOf(0)
      const held = await hold('**/thumbsUp/*')
      await page.getByRole('button', { name: 'Upvote' }).click()
      await expect.poll(() => countOf(0)).toBe(before + 1)
      held.fail()
      await expect.poll(() => countOf(0)).toBe(before)
      await page.getByText('Your upvote was not counted. Please try again.').waitFor()
      expect(await page.getByRole('button', { name: 'Upvote' }).getAttribute('aria-pressed')).toBe('false')
      await expectAccessible()
    })

    it('adds a joke, after telling at the fields what is wrong', async () => {
      await visit('/')
      await page.getByRole('button', { name: 'Add a joke' }).click()
      await expectAccessible()
      await page.getByRole('button', { name: 'Add it' }).click()
      await page.getByText('Please tell the joke.').waitFor()
      await page.getByText('Choose a category.').waitFor()
      await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('joke')
      await expectAccessible()

      await page.getByRole('textbox', { name: 'Joke' }).fill('What do you call a fish without eyes?')
      await page.getByRole('textbox', { name: 'Punchline' }).fill('A fsh.')
      await page.getByRole('combobox', { name: 'Category' }).selectOption('French humour')
      await page.getByRole('button', { name: 'Add it' }).click()
      await page.getByText('Your joke is in.').waitFor()
      await expect.poll(leadIns).toEqual(['What do you call a fish without eyes?'])
      expect(await service.jokes({ searchString: 'fsh' })).toMatchObject([{ category: 'French humour' }])
    })

    it('leads from a joke that is there already to that joke', async () => {
      await visit('/?category=School')
      await page.getByRole('button', { name: 'Add a joke' }).click()
      await page.getByRole('textbox', { name: 'Joke' }).fill('Why did the comma leave the FULL stop?')
      await page.getByRole('textbox', { name: 'Punchline' }).fill('It only wanted a break, not the end of everything.')
      await page.getByRole('combobox', { name: 'Category' }).selectOption('School')
      await page.getByRole('button', { name: 'Add it' }).click()
      await page.getByText('That one is here already.').waitFor()
      await expectAccessible()
      await page.getByRole('link', { name: 'Show it' }).click()
      await expect.poll(leadIns).toEqual(['Why did the comma leave the full stop?'])
      expect(await page.getByRole('dialog').count()).toBe(0)
    })

    it('keeps what was typed where the service cannot take it', async () => {
      await visit('/?category=School')
      await page.getByRole('button', { name: 'Add a joke' }).click()
      await page.getByRole('textbox', { name: 'Joke' }).fill('Unlucky')
      const held = await hold('**/joke', 'POST')
      await page.getByRole('button', { name: 'Add it' }).click()
      held.fail()
      await page.getByText('The database is having a nap: try again.').waitFor()
      expect(await page.getByRole('textbox', { name: 'Joke' }).inputValue()).toBe('Unlucky')
    })

    it('shows a joke made of HTML as text', async () => {
      const joke = '<img src=x onerror="alert(1)"><b>bold</b> &amp; markup'
      const [added] = await service.add({ joke, punchline: '<script>alert(2)</script>', category: 'Classic' })
      await visit(`/?id=${added?.id}`)
      await page.getByRole('button', { name: 'Tell the punchline' }).click()
      expect(await leadIns()).toEqual([joke])
      expect(await page.locator('.punch').textContent()).toBe('<script>alert(2)</script>')
      expect(await page.locator('article :is(img, b, script)').count()).toBe(0)
    })

    it('shows that it is loading', async () => {
      const held = await hold('**/joke?*')
      await visit('/')
      await page.getByText('Fetching jokes…').waitFor()
      await expectAccessible()
      held.release()
      await shows(25)
    })

    it('says that nothing was found, and leads back to all', async () => {
      await visit('/?search=xylophone&category=School')
      await page.getByRole('heading', { name: 'Nobody has told that one yet' }).waitFor()
      await expectAccessible()
      await page.getByRole('link', { name: 'Show all jokes' }).click()
      await shows(25)
    })

    it('invites to add the first joke of all', async () => {
      const body = '[]'
      await page.route('**/joke?*', (route) => route.fulfill({ contentType: 'application/json', body }))
      await visit('/')
      await page.getByRole('heading', { name: 'Not a single joke yet' }).waitFor()
      await expectAccessible()
    })

    it('says that a joke is not there', async () => {
      await visit('/?id=AAAAAAAAAAAAAAAAAAAAAA')
      await page.getByRole('heading', { name: 'This joke is not here' }).waitFor()
    })

    it('says what fails, and tries again when told to', async () => {
      const held = await hold('**/joke?*')
      await visit('/')
      held.fail()
      await page.getByText('The database is having a nap: try again.').waitFor()
      await expectAccessible()
      await page.getByRole('button', { name: 'Try again' }).click()
      await shows(25)
    })

    it('keeps the jokes there are where more of them fail', async () => {
      await visit('/')
      await shows(25)
      const held = await hold('**/joke?*')
      await page.getByRole('button', { name: 'More jokes' }).click()
      held.fail()
      await page.getByRole('button', { name: 'Try again' }).click()
      await shows(50)
    })

    it('says that one is offline, and goes on when one is back', async () => {
      await visit('/')
      await shows(25)
      await context.setOffline(true)
      await page.getByRole('radio', { name: 'Knock, knock' }).check()
      await page.getByRole('heading', { name: 'No connection' }).waitFor()
      await expectAccessible()
      await context.setOffline(false)
      await expect.poll(categories).toEqual(['Knock, knock'])
    })

    it('can be used by keyboard alone', async () => {
      await visit('/?search=comma')
      await shows(1)
      await page.keyboard.press('Tab')
      expect(await focusedText()).toBe('To the jokes')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect.poll(focusedText).toBe('It only wanted a break, not the end of everything.')
      const before = await countOf(0)
      for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      await expect.poll(() => countOf(0)).toBe(before + 1)
    })
  })

  describe.each([360, 768, 1_440])('the page at %i px', (width) => {
    it.each(['light', 'dark'] as const)(
      'fits, is accessible and does not jump while it loads, in %s colours',
      async (colorScheme) => {
        await context.close()
        await open({ viewport: { width, height: 800 }, colorScheme })
        await page.addInitScript({ content: WATCH_SHIFTS })
        await visit('/')
        await shows(25)
        await expectAccessible()
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(await page.evaluate('shift')).toBeLessThan(0.01)
      },
    )
  })

  describe('the API reference', () => {
    it('shows each operation, and lets one try them', async () => {
      await visit('/docs')
      const operation = page.locator('#operations-Jokes-listJokes')
      await operation.waitFor()
      expect(await page.locator('.opblock').count()).toBe(3)
      await operation.locator('.opblock-summary-control').click()
      const answered = page.waitForResponse((response) => response.url().includes('/joke?'))
      await operation.getByRole('button', { name: 'Execute' }).click()
      expect((await answered).status()).toBe(200)
      await operation.locator('.live-responses-table').getByText('200', { exact: true }).waitFor()
    })
  })
})

describe('the files of the page', () => {
  it('are at most 24 kB compressed in all', async () => {
    const site = await buildSite()
    const paths = ['/', '/page.js', '/page.css', '/icon.svg', '/manifest.webmanifest']
    const files = paths.map((path) => site.get(path)?.body ?? '')
    expect(files).not.toContain('')
    const bytes = files.reduce((sum, file) => sum + brotliCompressSync(file).length, 0)
    expect(bytes).toBeLessThan(24_000)
  })

  it.each(['/', '/page.js', '/docs'])('come with a strict policy, such as %s', async (path) => {
    const { status, headers } = await fetch(service.url + path)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS)
    expect(SECURITY_HEADERS['content-security-policy']).not.toContain('unsafe')
  })
})

/** Opens a window in which nothing moves, and listens to what goes wrong there. */
async function open(options: BrowserContextOptions = {}): Promise<void> {
  if (browser === undefined) return
  complaints = []
  context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
  page = await context.newPage()
  page.setDefaultTimeout(10_000)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // The browser's own words on an answer of the service that the page has a face for.
    const isAnswer = /\/(joke|thumbsUp)\b/.test(message.location().url) && message.text().startsWith('Failed to load')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) complaints.push(request.url())
  })
  page.on('response', async (response) => {
    const { pathname } = new URL(response.url())
    if (!/^\/(joke|thumbsUp)\b/.test(pathname)) return
    try {
      const answer = {
        status: response.status(),
        headers: new Headers(response.headers()),
        body: await response.json(),
      }
      checkAnswer(response.request().method(), response.url(), answer)
    } catch (error) {
      // The body of an answer that nobody waits for any more cannot be had.
      if (String(error).includes('openapi.json')) complaints.push(error)
    }
  })
}

async function visit(path: string): Promise<void> {
  await page.goto(service.url + path)
}

/** Waits until so many jokes are shown, and no others are on their way. */
async function shows(count: number): Promise<void> {
  await page.locator('.jokes[aria-busy=false]').waitFor()
  await expect.poll(() => page.locator('article').count()).toBe(count)
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

async function countOf(index: number): Promise<number> {
  return Number(await page.locator('.count').nth(index).textContent())
}

function address(): string {
  return page.url().slice(service.url.length)
}

function focusedText(): Promise<string> {
  return page.evaluate('document.activeElement.textContent')
}

/** Holds back the next request to an address until it is told how that goes. */
async function hold(url: string, method?: string) {
  const decision = Promise.withResolvers<'release' | 'fail'>()
  await page.route(
    url,
    async (route) => {
      if (method !== undefined && route.request().method() !== method) return route.fallback()
      if ((await decision.promise) === 'release') return route.continue()
      const detail = 'The database is having a nap: try again.'
      const body = JSON.stringify({ type: 'about:blank', title: 'Service Unavailable', status: 503, detail })
      return route.fulfill({ status: 503, contentType: 'application/problem+json', body })
    },
    { times: 1 },
  )
  return { release: () => decision.resolve('release'), fail: () => decision.resolve('fail') }
}

async function expectAccessible(): Promise<void> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()')
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
}
