/** The page in a browser, and its files. */
import { brotliCompressSync } from 'node:zlib'
import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { FUNCTION_LIMITS } from '../../infra/routes.ts'
import { MAX_SEARCH_LENGTH, MAX_TEXT_LENGTH } from '../../shared/clientLimits.ts'
import { nextLink } from '../../shared/nextLink.ts'
import { buildSite, NOT_FOUND, SECURITY_HEADERS } from '../../web/build.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import {
  click,
  describeInBrowser,
  expectAccessible,
  get,
  page,
  problem,
  says,
  service,
  shows,
  startSamples,
  takeComplaints,
  visit,
  watchShifts,
} from '../support/window.ts'

const UNREACHABLE = "We can't reach the jokes right now."

/** The answer of API Gateway above a throttle. */
const THROTTLED = { status: 429, json: { message: 'Too Many Requests' } }

await startSamples()

describeInBrowser('list', () => {
  it('the list shows each joke once, newest first, page by page', async () => {
    // Unknown and empty values are ignored.
    await visit('/?search=%20&category=no&order=none&id=', 24)
    expect(await setups()).toEqual(newest(24))
    expect([await status(), await page.title()]).toEqual(['Showing 24 jokes', 'Joke Service'])
    await expectAccessible()
    // Each link has its own name, because screen readers list the links.
    const links = (await page.locator('.jokes').ariaSnapshot()).match(/link ".+"/g)
    expect(new Set(links).size).toBe(24)
    expect(await page.locator('[id*=" "]').count()).toBe(0)
    const [known] = await service.jokes()
    // A joke whose votes change may come again.
    await page.route('**/joke?*cursor*', async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, json: [known, ...(await response.json())] })
    })
    await click('More jokes')
    await shows(48)
    await expect.poll(() => focused()).toContain(newest(25)[24])
    await click('More jokes')
    await shows(62)
    expect(await setups()).toEqual(newest(62))
    expect(await get('button', 'More jokes').count()).toBe(0)
    await says('That was the last joke.')
    expect(await status()).toBe('62 jokes')
  })

  it('a list of one page ends without a remark', async () => {
    await visit('/?search=comma', 1)
    expect(await page.getByText('That was the last joke.').count()).toBe(0)
  })

  it('the status names three categories', async () => {
    await visit('/?categories=Classic,School,French+humour')
    await says('Showing 24 jokes in Classics, School and French humour')
  })

  it('the list follows a search while the user types', async () => {
    await visit('/', 24)
    expect(await get('searchbox', 'Search').getAttribute('maxlength')).toBe(`${MAX_SEARCH_LENGTH}`)
    await get('searchbox', 'Search').pressSequentially('com')
    // A whole search is one step back, even if it was typed with a pause.
    await expect.poll(relativeUrl).toBe('/?search=com')
    await get('searchbox', 'Search').pressSequentially('ma')
    await shows(1)
    expect(await setups()).toEqual(['Why did the comma leave the full stop?'])
    expect(relativeUrl()).toBe('/?search=comma')
    await page.reload()
    await shows(1)
    expect(await get('searchbox', 'Search').inputValue()).toBe('comma')
    expect(await page.title()).toBe('comma · Joke Service')
    await page.goBack()
    await shows(24)
    expect(await get('searchbox', 'Search').inputValue()).toBe('')
  })

  it('a search for white space changes nothing', async () => {
    await visit('/', 24)
    const before = Number(await page.evaluate('history.length'))
    await get('searchbox', 'Search').pressSequentially(' ')
    // Typed text takes effect before another filter does.
    await get('group', 'Categories').getByLabel('School').check()
    await expect.poll(relativeUrl).toBe('/?categories=School')
    expect(await page.evaluate('history.length')).toBe(before + 1)
  })

  it('the list follows its filters through the history', async () => {
    await visit('/')
    const options = get('group', 'Categories')
    await options.getByLabel('School').check()
    await expect.poll(categories).toEqual(['School'])
    expect([await status(), await page.title()]).toEqual(['13 jokes in School', 'School · Joke Service'])
    await options.getByLabel('French humour').check()
    await expect.poll(categories).toEqual(expect.arrayContaining(['School', 'French humour']))
    expect(relativeUrl()).toBe('/?categories=School%2CFrench+humour')
    expect(await status()).toBe('Showing 24 jokes in School and French humour')
    await options.getByLabel('School').uncheck()
    await expect.poll(categories).toEqual(['French humour'])
    await page.goBack()
    await page.goBack()
    await expect.poll(categories).toEqual(['School'])
    await page.goForward()
    await expect.poll(relativeUrl).toBe('/?categories=School%2CFrench+humour')
    for (const name of ['School', 'French humour']) expect(await options.getByLabel(name).isChecked()).toBe(true)
    expect(await options.getByLabel('Classics').isChecked()).toBe(false)

    // A URL that was visited before works again.
    await visit('/?categories=School')
    await expect.poll(categories).toEqual(['School'])
    await get('combobox', 'Sort by').selectOption('Most upvoted')
    await expect.poll(relativeUrl).toBe('/?categories=School&order=best')
    await expect.poll(counts).toEqual((await counts()).toSorted((a, b) => b - a))
    expect(new Set(await counts()).size).toBe(3)
    await get('combobox', 'Sort by').selectOption('Oldest first')
    const oldest = samples.filter(({ category }) => category === 'School').map(({ joke }) => joke)
    await expect.poll(setups).toEqual(oldest)
  })

  it('a search typed just before choosing a category is kept', async () => {
    await visit('/', 24)
    await stopTime()
    await get('searchbox', 'Search').fill('chicken')
    await get('checkbox', 'School').check()
    await expect.poll(relativeUrl).toBe('/?search=chicken&categories=School')
    // A search typed just before going back is dropped.
    await get('searchbox', 'Search').fill('teacher')
    await page.goBack()
    await expect.poll(relativeUrl).toBe('/?search=chicken')
    await page.clock.runFor(1_000)
    expect(relativeUrl()).toBe('/?search=chicken')
  })

  it('going back restores the list as the user left it', async () => {
    await visit('/')
    await click('More jokes')
    await shows(48)
    const joke = page.locator('article:has(.punch)').last()
    const [setup, punchline] = await joke.locator('.bubble p').allTextContents()
    await joke.getByRole('button', { name: 'Punchline' }).click()
    const scrolled = await page.evaluate('scrollY')
    expect(scrolled).toBeGreaterThan(0)
    await joke.getByRole('link').click()
    await expect.poll(setups).toEqual([setup])
    expect([await page.evaluate('scrollY'), await focused('localName')]).toEqual([0, 'article'])
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

  it('a joke opens in another tab or window if the user asks', async () => {
    await visit('/?search=comma', 1)
    const isLeft = (key: string) =>
      page.evaluate(`
      new Promise((resolve) => {
        window.addEventListener('click', (event) => {
          resolve(!event.defaultPrevented)
          event.preventDefault()
        }, { once: true })
        const options = { ${key}: true, bubbles: true, cancelable: true }
        document.querySelector('article a').dispatchEvent(new MouseEvent('click', options))
      })`)
    for (const key of ['ctrlKey', 'metaKey', 'shiftKey']) expect([key, await isLeft(key)]).toEqual([key, true])
    expect(relativeUrl()).toBe('/?search=comma')
    // The URL of the joke keeps the search, so the other window can lead back to it.
    expect(await page.locator('article a').getAttribute('href')).toBe(`/?search=comma&id=${await idOf('comma')}`)
  })

  it('the focus moves on when the focused link or button disappears', async () => {
    for (const path of [`/?id=${await idOf('comma')}`, '/?search=xylophone&categories=School']) {
      await visit(path)
      await get('link', 'All jokes').press('Enter')
      await shows(24)
      expect(await focused('id')).toBe('jokes')
    }
    for (const [name, activity, headers, text] of [
      ['More jokes', 'Fetching jokes…', {}, UNREACHABLE],
      ['Try again', 'Trying again…', { 'retry-after': '60' }, /Trying again in \d+ seconds/],
    ] as const) {
      const held = await hold('**/joke?*cursor*', headers)
      await get('button', name).press('Enter')
      await says(activity)
      held.fail()
      await says(text)
      await get('button', 'Try again').and(page.locator(':focus')).waitFor()
      const isInWindow = '(({ bottom }) => bottom <= innerHeight)(document.activeElement.getBoundingClientRect())'
      expect(await page.evaluate(isInWindow)).toBe(true)
      expect(await page.locator('.toast').textContent()).toBe('')
    }
    await expectAccessible()
    await get('button', 'Try again').press('Enter')
    await shows(48)
    await expect.poll(() => focused()).toContain(newest(25)[24])
  })

  it('the list works with the keyboard alone', async () => {
    await visit('/?search=comma', 1)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the jokes')
    await page.keyboard.press('Enter')
    // The first Tab goes to the link to all jokes.
    for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Tab')
    expect(await page.getByText('It only wanted a break').isVisible()).toBe(false)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused()).toBe('It only wanted a break, not the end of everything.')
    await expectAccessible()
    const [votes = 0] = await counts()
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await expect.poll(counts).toEqual([votes + 1])
  })

  it('the slash key focuses the search, unless the user is typing', async () => {
    await visit('/', 24)
    await page.keyboard.press('/')
    await page.keyboard.type('and/or')
    expect(await get('searchbox', 'Search').inputValue()).toBe('and/or')
    await click('Add a joke')
    await get('textbox', 'Joke').pressSequentially('1/2')
    expect(await get('textbox', 'Joke').inputValue()).toBe('1/2')
  })

  it('the HTML of a found joke marks its matches', async () => {
    await visit('/')
    for (const [search, marks, language] of [
      ['eleve HESI', ["L'élève", 'hésite'], 'fr'],
      ['昼寝', ['昼寝'], null],
      ['DIDNT', ["didn't", "didn't"], null],
      ['hencyclo', ['hen-cyclopedia.'], null],
      ['🌯', ['🌯'], null],
      // The punchline matches, so it is told. The setup only contains the letters within a word.
      ['hat', ['hat'], null],
    ] as const) {
      await get('searchbox', 'Search').fill(search)
      await expect.poll(() => page.locator('mark').allTextContents()).toEqual(marks)
      expect(await page.locator('mark').first().isVisible()).toBe(true)
      expect(await page.locator('.lead p').getAttribute('lang')).toBe(language)
      expect(await page.locator('.lead p').getAttribute('dir')).toBe('auto')
    }
  })

  it('any filter leads from a single joke to a list', async () => {
    await visit(`/?id=${await idOf('comma')}`, 1)
    for (const [choose, count, listing] of [
      [() => get('searchbox', 'Search').fill('teacher'), 12, '/?search=teacher'],
      [() => get('combobox', 'Sort by').selectOption('Oldest first'), 24, '/?order=oldest'],
      [() => get('checkbox', 'School').check(), 13, '/?categories=School'],
    ] as const) {
      await choose()
      await shows(count)
      expect(relativeUrl()).toBe(listing)
      await page.goBack()
      await shows(1)
    }
  })

  it('a joke made of HTML is shown as text', async () => {
    const joke = '<img src=x onerror="alert(1)"><b>bold</b> &amp; markup'
    const punchline = '<script>alert(2)</script>'
    const [added] = await service.add({ joke, punchline, category: 'Classic' })
    const json = [{ ...added, dateAdded: '2019-03-09T12:00:00.000Z' }]
    await page.route('**/joke?*', (route) => route.fulfill({ json }))
    await visit('/', 1)
    expect(await page.locator('.bubble p').allTextContents()).toEqual([joke, punchline])
    expect(await page.locator('article :is(img, b, script)').count()).toBe(0)
  })

  it('an empty list explains itself', async () => {
    const panel = page.locator('.panel')
    for (const [path, reason, advice] of [
      ['/?id=AAAAAAAAAAAAAAAAAAAAAA', "We can't find this joke", 'The link may be incomplete'],
      [`/?search=${'x'.repeat(300)}`, 'Nobody has told that one yet', 'Try the start of a word'],
      ['/?search=xylophone&categories=School&order=best', 'Nobody has told that one yet', 'Try the start'],
    ] as const) {
      await visit(path)
      await says(reason, advice)
      expect(await panel.getByRole('button').allInnerTexts()).toEqual(['Surprise me'])
      // The line above the panel has the link.
      expect(await get('link', 'All jokes').count()).toBe(1)
    }
    expect(await get('link', 'All jokes').getAttribute('href')).toBe('/?order=best')
    await expectAccessible()
    await panel.getByRole('button', { name: 'Surprise me' }).click()
    await shows(1)
    expect(relativeUrl()).toMatch(/^\/\?id=[\w-]{22}$/)
    await page.route('**/joke?*', (route) => route.fulfill({ json: [] }))
    await visit('/')
    await says('Not a single joke yet')
    // Controls that need jokes are hidden.
    expect(await page.getByRole('button').allInnerTexts()).toEqual(['Skip to the jokes', 'Add a joke', 'Add a joke'])
    expect(await page.getByRole('search').isVisible()).toBe(false)
    await panel.getByRole('button', { name: 'Add a joke' }).click()
    expect(await page.getByRole('dialog').isVisible()).toBe(true)
  })

  it('a search follows five empty pages, then asks before it continues', async () => {
    let asked = 0
    await page.route('**/joke?*', async (route) => {
      asked++
      if (asked > 7) return route.fulfill({ json: await service.jokes({ searchString: 'comma' }) })
      const { search } = new URL(route.request().url())
      return route.fulfill({ json: [], headers: { link: nextLink(`${search}&cursor=${asked}`) } })
    })
    await visit('/?search=comma')
    await says('Nothing yet')
    expect([asked, await status()]).toEqual([5, 'Showing 0 jokes for “comma”'])
    await get('button', 'Keep searching').press('Enter')
    await shows(1)
    expect(await focused('localName')).toBe('article')
  })
})

describeInBrowser('random jokes', () => {
  it('a random joke leads back to its list', async () => {
    await visit('/?categories=School', 13)
    await stopTime()
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/joke?') && asked.push(request.url()))
    const held = await hold('**/joke?*random*')
    await get('searchbox', 'Search').fill('teacher')
    await get('button', 'Surprise me').press('Enter')
    await says('Picking a joke…')
    held.release()
    await shows(1)
    const query = 'searchString=teacher&categories=School&numberofJokes=10&sortBy=random'
    expect(asked.filter((url) => url.includes('random'))).toEqual([`${service.url}/joke?${query}`])
    expect(relativeUrl()).toMatch(/^\/\?search=teacher&categories=School&id=[\w-]{22}$/)
    // Screen readers announce the joke, because it has the focus and its setup is its name.
    expect(await status()).toBe('One from School for “teacher”')
    const [first] = await setups()
    const article = page.getByRole('article', { name: `${first}`, exact: true })
    await article.and(page.locator(':focus')).waitFor()
    expect(await page.title()).toBe(`${first} · Joke Service`.replaceAll('\n', ' '))
    await click('Another one')
    await expect.poll(setups).not.toEqual([first])
    await get('link', 'Back to the list').click()
    await expect.poll(relativeUrl).toBe('/?search=teacher&categories=School')
    await shows(9)
    await expect.poll(() => focused()).toContain('Surprise me')
  })

  it('random jokes follow each other without delay, movement or repetition', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('random') && asked.push(request.url()))
    const shown: string[] = []
    const places = new Set<number | undefined>()
    await visit('/?categories=School')
    await click('Surprise me')
    for (let count = 0; count < 13; count++) {
      await expect.poll(relativeUrl).not.toBe(shown.at(-1) ?? '/?categories=School')
      shown.push(relativeUrl())
      await shows(1)
      places.add((await get('button', 'Another one').boundingBox())?.y)
      // The next joke is fetched before it is asked for.
      await expect.poll(() => asked.length).toBe(count < 9 ? 1 : count < 12 ? 2 : 3)
      await click('Another one')
    }
    expect(new Set(shown).size).toBe(13)
    await expect.poll(relativeUrl).not.toBe(shown.at(-1))
    expect(shown).toContain(relativeUrl())
    // Two pages hold 13 jokes. The third request begins the next random order.
    expect(asked.map((url) => url.includes('cursor'))).toEqual([false, true, false])
    expect([...places]).toEqual([expect.closeTo(740, -1)])
  })

  it('the keyboard reaches the next random joke directly after the joke', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 })
    await visit('/?search=comma', 1)
    await click('Surprise me')
    await page.getByRole('article').and(page.locator(':focus')).waitFor()
    const names: string[] = []
    for (let presses = 0; presses < 5; presses++) {
      await page.keyboard.press('Tab')
      names.push(await focused('ariaLabel || document.activeElement.innerText'))
    }
    expect(names).toEqual(['Punchline', 'Share', expect.stringContaining('Upvote'), 'Another one', 'API reference'])
  })

  it('a random joke is never the joke on the page', async () => {
    const [a, b] = await service.jokes()
    await page.route('**/joke?*random*', (route) => route.fulfill({ json: [a, b] }))
    // The page shows only the first of several ids.
    await visit(`/?id=${a?.id},${b?.id}`, 1)
    for (const next of [b, a, b]) {
      await click('Another one')
      await expect.poll(setups).toEqual([next?.joke])
    }
  })

  it('a random joke is dropped if the user has gone to another view', async () => {
    await visit('/', 24)
    const held = await hold('**/joke?*random*')
    await click('Surprise me', 'Picking a joke…')
    await get('checkbox', 'School').check()
    await expect.poll(categories).toEqual(['School'])
    const response = page.waitForResponse(/random/)
    held.release()
    await response
    await page.locator('#surprise[aria-disabled=false]').waitFor()
    expect(relativeUrl()).toBe('/?categories=School')
  })

  it('the button for random jokes says when it has none to show', async () => {
    await visit('/?search=goldfish', 1)
    const held = await hold('**/joke?*random*')
    const colour = () => page.evaluate("getComputedStyle(document.querySelector('#surprise')).backgroundColor")
    const idle = await colour()
    await click('Surprise me')
    // A busy button has another colour.
    expect(await colour()).not.toBe(idle)
    held.fail()
    await says(UNREACHABLE)
    await click('Surprise me')
    await click('Another one', "That's the only joke here.")
  })
})

describeInBrowser('upvotes', () => {
  it('a browser upvotes a joke once in all its windows', async () => {
    await visit('/?search=zebra', 1)
    const other = await page.context().newPage()
    await other.goto(page.url())
    const [before = 0] = await counts()
    await click('Upvote')
    await expect.poll(isPressed).toBe('true')
    await other.getByRole('button', { name: 'Upvote', pressed: true }).click()
    await other.getByText("You've already upvoted this joke.").waitFor()
    await expectAccessible()
    await service.thumbUp(await idOf('zebra'))
    await page.reload()
    await expect.poll(isPressed).toBe('true')
    await click('Upvote', "You've already upvoted this joke.")
    expect(await counts()).toEqual([before + 2])
    expect(await service.jokes({ searchString: 'zebra' })).toMatchObject([{ thumbsUp: before + 2 }])
  })

  type Answer = (route: Route) => Promise<void>
  const NOT_COUNTED = "Your upvote wasn't counted. Please try again."
  const MAYBE_COUNTED = `${UNREACHABLE} Your upvote may have been counted.`
  it.each<[fate: string, search: string, others: number, answer: Answer, gained: number, said?: string]>([
    ['it succeeds', 'comma', 1, (route) => route.continue(), 2],
    ['its answer is lost', 'upholstered', 0, (route) => route.fetch().then(() => route.abort()), 1, MAYBE_COUNTED],
    ['it fails', 'tortilla', 0, (route) => route.fulfill(problem(503, 'Having a nap.')), 0, NOT_COUNTED],
    [
      'it fails while another client upvotes',
      'ladder',
      1,
      (route) => route.fulfill(problem(500, '')),
      1,
      MAYBE_COUNTED,
    ],
    [
      'it is throttled',
      'computer',
      1,
      (route) => route.fulfill(problem(503, 'Other words.', {}, 'not-counted')),
      1,
      NOT_COUNTED,
    ],
    ['it is refused while another client upvotes', 'latitude', 1, (route) => route.fulfill(THROTTLED), 1, NOT_COUNTED],
    ['the joke is removed', 'snowman', 0, removeJoke, 0, 'This joke was removed.'],
    ['the connection is lost', 'goldfish', 0, disconnect, 0, "You're offline. Your upvote may have been counted."],
  ])('an upvote shows the current count if %s', async (_, search, others, answer, gained, said) => {
    const cached = await service.jokes({ searchString: search })
    // CloudFront caches listings, so their counts may be old. It caches no joke that is requested by its id.
    await page.route('**/joke?*', (route) =>
      route.request().url().includes('?id=') ? route.continue() : route.fulfill({ json: cached }),
    )
    await visit(`/?search=${search}`, 1)
    const [before = 0] = await counts()
    const decision = Promise.withResolvers<void>()
    await page.route(/\/thumbsUp\//, async (route) => {
      await decision.promise
      if (others > 0) await service.thumbUp(await idOf(search))
      await answer(route)
    })
    await click('Upvote')
    await expect.poll(counts).toEqual([before + 1])
    await get('combobox', 'Sort by').selectOption('Most upvoted')
    await expect.poll(relativeUrl).toBe(`/?search=${search}&order=best`)
    await shows(1)
    decision.resolve()
    if (said) await says(said)
    await expect.poll(counts).toEqual([before + gained])
    expect(await isPressed()).toBe(String(said === undefined))
  })

  it('an upvote given in another window is not given again', async () => {
    await visit('/?search=latitude', 1)
    const stored = JSON.stringify({ [await idOf('latitude')]: 1 })
    await page.evaluate(`localStorage.setItem('upvoted', '${stored}')`)
    await click('Upvote', "You've already upvoted this joke.")
  })

  it('an upvote without a connection is reported as not counted', async () => {
    await visit('/?search=latitude', 1)
    await page.context().setOffline(true)
    await click('Upvote', "You're offline. Your upvote wasn't counted.")
    expect(await isPressed()).toBe('false')
  })

  it.each([
    ['denied', "Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('') } })"],
    ['damaged', "localStorage.setItem('upvoted', 'null')"],
  ])('a joke can be upvoted once if the storage is %s', async (_, content) => {
    await page.addInitScript({ content })
    await visit('/?search=sneeze', 1)
    await click('Upvote')
    await expect.poll(isPressed).toBe('true')
    await click('Upvote', "You've already upvoted this joke.")
  })
})

describeInBrowser('sharing and adding jokes', () => {
  it('a joke is shared by its URL', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await visit('/?search=comma')
    const shared = `${service.url}/?id=${await idOf('comma')}`
    await click('Share', 'Link copied.')
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shared)
    await page.evaluate('navigator.share = async (shared) => { globalThis.shared = shared }')
    await click('Share')
    expect(await page.evaluate('shared')).toEqual({ text: 'Why did the comma leave the full stop?', url: shared })
    const links: string[] = []
    page.on('dialog', (dialog) => links.push(dialog.defaultValue()) && dialog.dismiss())
    const closed = (name: string) =>
      page.evaluate(`navigator.share = async () => { throw new DOMException('', '${name}') }`)
    await closed('AbortError')
    await click('Share')
    expect(relativeUrl()).toBe('/?search=comma')
    await closed('NotAllowedError')
    await click('Share')
    await expect.poll(() => links).toEqual([shared])
    expect(relativeUrl()).toBe('/?search=comma')
  })

  it('a joke is added once its faults are corrected', async () => {
    await visit('/')
    const asked: string[] = []
    page.on('request', (request) => /\?id=[^&]+$/.test(request.url()) && asked.push(request.url()))
    await click('Add a joke')
    await click('Add it', 'Please tell the joke.', 'Please choose a category.')
    await expect.poll(() => focused('name')).toBe('joke')
    // Screen readers read the fault with its field.
    expect(await focused('ariaInvalid')).toBe('true')
    const described = await focused('ariaDescribedByElements.map(({ textContent }) => textContent)')
    expect(described).toContain('Please tell the joke.')
    await get('textbox', 'Joke').fill('What do you call a fish without eyes?')
    await get('textbox', 'Punchline').fill('A fsh.')
    await get('combobox', 'Category').selectOption('French humour')
    await click('Add it', 'Your joke is in.')
    await expect.poll(setups).toEqual(['What do you call a fish without eyes?'])
    // The punchline is told, because its author knows it.
    expect(await page.getByText('A fsh.', { exact: true }).isVisible()).toBe(true)
    expect(await service.jokes({ searchString: 'fsh' })).toMatchObject([{ category: 'French humour' }])
    await click('Add a joke')
    expect(await get('textbox', 'Punchline').inputValue()).toBe('')
    await get('textbox', 'Joke').fill('What do you call a bear without ears?')
    await get('combobox', 'Category').selectOption('Classics')
    // An added joke is shown even if it cannot be read back.
    await page.route('**/joke?id=*', (route) => route.fulfill(problem(503, 'Having a nap.')))
    await click('Add it')
    await expect.poll(setups).toEqual(['What do you call a bear without ears?'])
    // Each joke was read once, to learn whether it waits for approval. It is not read again to be shown.
    expect(asked).toHaveLength(2)
  })

  it.each([
    { texts: ['What do you call a snail on a ship?'] },
    { texts: ['What do you call a deer with no eyes?', 'What do you call a sheep without legs?'] },
  ])('$texts.length added jokes are in the list to which their author goes back', async ({ texts }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await visit('/', 24)
    for (const text of texts) {
      await click('Add a joke')
      await get('textbox', 'Joke').fill(text)
      await get('combobox', 'Category').selectOption('Classics')
      await click('Add it', 'Your joke is in.')
      await expect.poll(setups).toEqual([text])
    }
    await page.reload()
    await shows(1)
    await get('link', 'Back to the list').click()
    await expect.poll(async () => (await setups()).slice(0, texts.length)).toEqual(texts.toReversed())
    expect(relativeUrl()).toBe('/')
  })

  it('a joke with forbidden characters or too long a text is refused', async () => {
    await write('Rings \u0007 a bell')
    expect(await get('combobox', 'Category').inputValue()).toBe('KnockKnock')
    await click('Add it', "Some characters here can't be shown.", 'Please fix the fields above.')
    const joke = get('textbox', 'Joke')
    await joke.fill('x'.repeat(MAX_TEXT_LENGTH - 10))
    await says('10 characters left')
    expect(await page.getByText('Some characters here').count()).toBe(0)
    await joke.fill('x'.repeat(MAX_TEXT_LENGTH + 1))
    await says('1 character too many')
    await joke.press('Control+Enter')
    await says("That's too long. Please shorten it.")
    await expectAccessible()
    await joke.fill('x'.repeat(MAX_TEXT_LENGTH))
    expect(await page.getByText("That's too long.").count()).toBe(0)
    await joke.press('Control+Enter')
    await shows(1)
    expect(await setups()).toEqual(['x'.repeat(MAX_TEXT_LENGTH)])
  })

  it('a text that Unicode makes too long is refused before it is sent', async () => {
    await write('…'.repeat(MAX_TEXT_LENGTH / 2))
    await says('500 characters too many')
    await click('Add it', "That's too long. Please shorten it.")
  })

  it('the page says that an added joke waits for approval', async () => {
    await write('Patience is a virtue')
    await page.route('**/joke?id=*', (route) => route.fulfill({ json: [] }))
    await click('Add it', "Thank you! Your joke will appear here once it's approved.")
    expect([await page.getByRole('dialog').count(), relativeUrl()]).toEqual([0, '/?categories=KnockKnock'])
    const detail = 'This joke waits for approval by the operators of the service.'
    await page.route('**/joke', (route) => route.fulfill(problem(409, detail, {}, 'waiting')))
    await click('Add a joke')
    await get('textbox', 'Joke').fill('Patience is a virtue')
    await click('Add it', detail)
  })

  it('a joke that exists is linked instead of added again', async () => {
    await write('Why did the comma leave the FULL stop?')
    await get('textbox', 'Punchline').fill('It only wanted a break, not the end of everything.')
    await click('Add it', 'We already have this one.')
    await expectAccessible()
    await get('link', 'See it').click()
    await expect.poll(setups).toEqual(['Why did the comma leave the full stop?'])
    expect([await page.getByRole('dialog').count(), await focused('localName')]).toEqual([0, 'article'])
  })

  it('the dialog keeps an unfinished joke until it is added', async () => {
    await visit('/', 24)
    for (const close of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 5)]) {
      await click('Add a joke')
      if ((await get('textbox', 'Joke').inputValue()) === '') await get('textbox', 'Joke').fill('Half a joke')
      await close()
      await get('textbox', 'Joke').waitFor({ state: 'hidden' })
      expect(await focused()).toContain('Add a joke')
    }
    await click('Add a joke')
    await click('Add it', 'Please choose a category.')
    await click('Cancel')
    await click('Add a joke')
    expect(await page.getByText('Please choose a category.').count()).toBe(0)
    await get('combobox', 'Category').selectOption('Classics')
    await page.context().setOffline(true)
    await click('Add it', "You're offline. Your text is still here.")
    expect(await get('textbox', 'Joke').inputValue()).toBe('Half a joke')
    await click('Cancel')
    await click('Add a joke')
    expect(await page.locator('.outcome').textContent()).toBe('')
  })

  it('the dialog keeps a punchline without a joke', async () => {
    await visit('/', 24)
    await click('Add a joke')
    await get('textbox', 'Punchline').fill('A fsh.')
    await page.keyboard.press('Escape')
    await click('Add a joke')
    expect(await get('textbox', 'Punchline').inputValue()).toBe('A fsh.')
  })

  it('the dialog stays open when text is selected past its edge', async () => {
    await write('Half a joke')
    const box = await get('textbox', 'Joke').boundingBox()
    await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 20)
    await page.mouse.down()
    await page.mouse.move(5, 5)
    await page.mouse.up()
    expect(await page.getByRole('dialog').isVisible()).toBe(true)
  })

  it.each(['request', 'wait'])('a joke is not added when the user cancels during a %s', async (moment) => {
    await page.clock.install()
    await write(`Cancelled during a ${moment}`)
    const held = await hold('**/joke', { 'retry-after': '60' })
    let requests = 0
    page.on('request', (request) => request.method() === 'POST' && requests++)
    await click('Add it')
    // A second submit has no effect while the first one runs.
    await get('textbox', 'Joke').press('Control+Enter')
    if (moment === 'wait') {
      held.fail()
      await says(/Trying again in/)
    }
    const ended = moment === 'wait' ? undefined : page.waitForEvent('requestfailed')
    await click('Cancel')
    await ended
    held.release()
    await click('Add a joke')
    // The button is ready for another submit.
    await get('button', 'Add it').waitFor()
    await page.clock.runFor(120_000)
    expect([requests, relativeUrl()]).toEqual([1, '/?categories=KnockKnock'])
    expect(await get('textbox', 'Joke').inputValue()).toBe(`Cancelled during a ${moment}`)
    expect(await page.getByText(/Your joke is in|Trying again/).count()).toBe(0)
  })

  it('a joke that is added despite a cancel is not shown', async () => {
    await write('Cancelled too late')
    await hold('**/joke?id=*')
    const asked = page.waitForRequest(/\?id=/)
    await click('Add it')
    await asked
    await click('Cancel')
    await click('Add a joke')
    expect(await get('textbox', 'Joke').inputValue()).toBe('Cancelled too late')
    expect(relativeUrl()).toBe('/?categories=KnockKnock')
  })
})

describeInBrowser('requests', () => {
  it.each(['GET', 'POST'])('a failed %s is retried after Retry-After, which doubles each time', async (method) => {
    await visit('/', 24)
    await stopTime()
    const napping = problem(503, 'Having a nap.', { 'retry-after': '25' })
    const held = await hold('**/joke{,?cursor*,?*&cursor*}')
    await page.route('**/joke{,?cursor*,?*&cursor*}', (route) => route.fulfill(napping), { times: 3 })
    if (method === 'POST') {
      await click('Add a joke')
      await get('textbox', 'Joke').fill('Patience')
      await get('combobox', 'Category').selectOption('Knock, knock')
    }
    await get('button', method === 'POST' ? 'Add it' : 'More jokes').click()
    for (const seconds of [25, 50, 60]) {
      await says(UNREACHABLE, `Trying again in ${seconds} seconds.`)
      await page.clock.runFor((seconds - 1) * 1_000)
      await says('Trying again in 1 second.')
      await page.clock.runFor(1_000)
    }
    await expect.poll(() => page.getByText('Trying again in').count()).toBe(0)
    held.release()
    await shows(method === 'POST' ? 1 : 48)
    expect(await page.getByText('Trying again').count()).toBe(0)
    if (method === 'POST') await says('Your joke is in.')
    await page.clock.runFor(6_000)
    expect(await page.locator('.toast').textContent()).toBe('')
  })

  it('a throttled listing is retried after a second, which doubles each time', async () => {
    await visit('/', 24)
    await stopTime()
    await page.route('**/joke?*cursor*', (route) => route.fulfill(THROTTLED), { times: 2 })
    await click('More jokes', 'Too many people at once. Try again in a moment.', 'Trying again in 1 second.')
    await page.clock.runFor(1_000)
    await says('Trying again in 2 seconds.')
    await page.clock.runFor(2_000)
    await shows(48)
  })

  it('a wait for a retry holds at most one listener', async () => {
    const content = `
      globalThis.listeners = 0
      const { addEventListener, removeEventListener } = EventTarget.prototype
      const count = (change, original) => function (...options) {
        if (this instanceof AbortSignal) listeners += change
        return original.apply(this, options)
      }
      EventTarget.prototype.addEventListener = count(1, addEventListener)
      EventTarget.prototype.removeEventListener = count(-1, removeEventListener)`
    await page.addInitScript({ content })
    await visit('/', 24)
    await stopTime()
    const napping = problem(503, 'Having a nap.', { 'retry-after': '25' })
    await page.route('**/joke?*cursor*', (route) => route.fulfill(napping))
    await click('More jokes', 'Trying again in 25 seconds.')
    for (let left = 24; left > 20; left--) {
      await page.clock.runFor(1_000)
      await says(`Trying again in ${left} seconds.`)
    }
    expect(await page.evaluate('listeners')).toBeLessThanOrEqual(1)
  })

  it('the page gives a request more time than a function has', async () => {
    const content = `AbortSignal.timeout = (limit) => AbortSignal.abort(globalThis.limit = limit)`
    await page.addInitScript({ content })
    await visit('/')
    await says(UNREACHABLE)
    expect(await page.evaluate('limit')).toBeGreaterThan(FUNCTION_LIMITS.timeoutMs)
  })

  it('a slow or failed request can be retried', async () => {
    const held = await hold('**/joke?*')
    await visit('/')
    await page.getByRole('status').getByText('Fetching jokes…').waitFor()
    await expectAccessible()
    held.fail()
    await page.getByRole('alert').getByText(UNREACHABLE).waitFor()
    await expectAccessible()
    await click('Try again')
    await shows(24)
  })

  it.each([
    ['breaks off', '[{"id":', 0],
    ['holds something else', '[{}]', 1],
  ])('a request can be retried if its response %s', async (_, body, faults) => {
    await page.route('**/joke?*', (route) => route.fulfill({ contentType: 'application/json', body }), { times: 1 })
    await visit('/')
    await says(UNREACHABLE)
    expect(await takeComplaints()).toHaveLength(faults)
    await click('Try again')
    await shows(24)
  })

  it('a request ends when the user searches for something else', async () => {
    await visit('/', 24)
    const held = await hold('**/joke?*chicken*')
    const asked = page.waitForRequest(/chicken/)
    await get('searchbox', 'Search').fill('chicken')
    await asked
    const ended = page.waitForEvent('requestfailed')
    const next = await hold('**/joke?*teacher*')
    await get('searchbox', 'Search').fill('teacher')
    await ended
    held.release()
    expect(await page.getByRole('alert').count()).toBe(0)
    next.release()
    await expect.poll(status).toBe('12 jokes for “teacher”')
  })

  it('a request ends when the user goes back', async () => {
    await visit('/', 24)
    await hold('**/joke?*chicken*')
    const asked = page.waitForRequest(/chicken/)
    await get('searchbox', 'Search').fill('chicken')
    await asked
    await get('button', 'More jokes').waitFor()
    const ended = page.waitForEvent('requestfailed')
    await page.goBack()
    await ended
    expect(await status()).toBe('Showing 24 jokes')
  })

  it('the countdown of a failed request ends in another view', async () => {
    await visit('/', 24)
    await stopTime()
    const napping = problem(503, 'Having a nap.', { 'retry-after': '25' })
    await page.route('**/joke?*School*', (route) => route.fulfill(napping))
    await get('checkbox', 'School').check()
    for (const seconds of [25, 24]) {
      await says(UNREACHABLE, `Trying again in ${seconds} seconds.`)
      await page.clock.runFor(1_000)
    }
    const held = await hold('**/joke?*categories=&*')
    await get('checkbox', 'School').uncheck()
    await says('Fetching jokes…')
    expect(await page.getByText(/Having a nap|Trying again/).count()).toBe(0)
    held.release()
    await shows(24)
    await page.clock.runFor(60_000)
    expect(await page.getByText(/Having a nap|Trying again/).count()).toBe(0)
  })

  it('a failed request is retried when the user is online again', async () => {
    await visit('/', 24)
    await page.context().setOffline(true)
    await get('checkbox', 'Knock, knock').check()
    await says('No connection')
    await page.context().setOffline(false)
    await expect.poll(categories).toEqual(['Knock, knock'])
  })
})

describeInBrowser('page', () => {
  it('the prerendered page keeps what the user types while the script loads', async () => {
    const held = await hold('**/page.js')
    await page.goto('/', { waitUntil: 'commit' })
    await says('Joke Service', 'Fetching jokes…')
    expect(await page.locator('[aria-hidden=true] .skeleton').count()).toBeGreaterThan(0)
    await get('searchbox', 'Search').fill('comma')
    held.release()
    await shows(1)
    expect(relativeUrl()).toBe('/?search=comma')
  })

  it('slow searches shift the layout little', async () => {
    const shift = await watchShifts()
    await visit('/', 24)
    for (const search of ['chicken', 'teacher', '']) {
      const held = await hold('**/joke?*')
      await get('searchbox', 'Search').fill(search)
      await page.locator('[data-stale=true]').waitFor()
      expect(await status()).toBe('Fetching jokes…')
      held.release()
      await page.locator('[data-stale=false]').waitFor()
    }
    expect(await shift()).toBeLessThan(0.1)
  })

  it('a shared link shows its joke first on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    const shift = await watchShifts()
    const [script, jokes] = [await hold('**/page.js'), await hold('**/joke?*')]
    await page.goto(`/?id=${await idOf('comma')}`, { waitUntil: 'commit' })
    for (const next of [script, jokes]) {
      await says('Fetching jokes…')
      await expect.poll(() => page.locator('.skeleton:visible').count()).toBe(1)
      next.release()
    }
    await shows(1)
    expect(await page.getByText('That was the last joke.').count()).toBe(0)
    // The focus does not move, so screen readers begin at the top.
    expect(await focused('localName')).toBe('body')
    // The status is empty, because a single joke without a filter needs none.
    expect(await status()).toBe('')
    expect(await page.locator('header button:visible').allInnerTexts()).toEqual(['Add a joke'])
    expect(await page.getByRole('search').isVisible()).toBe(false)
    expect(await shift()).toBeLessThan(0.02)
    await expectAccessible()
    await get('link', 'All jokes').click()
    await shows(24)
    expect(await get('searchbox', 'Search').isVisible()).toBe(true)
  })

  it('a short message that comes again stays for its whole time', async () => {
    await page.context().grantPermissions(['clipboard-write'])
    await visit('/?search=comma', 1)
    await stopTime()
    await click('Share', 'Link copied.')
    await page.clock.runFor(4_000)
    await click('Share')
    // The second link has been copied once this ends.
    await page.evaluate('navigator.clipboard.writeText("x")')
    await page.clock.runFor(4_000)
    await says('Link copied.')
    await page.clock.runFor(2_000)
    expect(await page.getByText('Link copied.').count()).toBe(0)
  })

  it('a short message disappears in another view', async () => {
    await page.context().grantPermissions(['clipboard-write'])
    await visit('/?search=comma', 1)
    await stopTime()
    await click('Share', 'Link copied.')
    await get('link', 'Open').click()
    await expect.poll(() => page.locator('.toast').textContent()).toBe('')
  })

  it('a short message disappears when the user is online again', async () => {
    await visit('/?search=comma', 1)
    await stopTime()
    await page.context().setOffline(true)
    await click('Upvote', "You're offline.")
    await page.context().setOffline(false)
    await expect.poll(() => page.locator('.toast').textContent()).toBe('')
  })

  it('an unknown URL has an error page that leads to the jokes', async () => {
    const missing = page.waitForResponse(/foo/)
    await visit('/foo')
    expect((await missing).status()).toBe(404)
    await says('There is nothing here')
    expect(await page.evaluate("getComputedStyle(document.querySelector('.panel'), '::before').content")).toContain(
      ':-|',
    )
    // The panel has the page's margin.
    expect((await page.locator('.panel').boundingBox())?.y).toBeGreaterThanOrEqual(16)
    await expectAccessible()
    await takeComplaints()
    await get('link', 'All jokes').click()
    await shows(24)
    // Programs get the same response as from API Gateway.
    expect(await (await fetch(`${service.url}/foo`)).json()).toEqual({ message: 'Not Found' })
  })

  it('the page links to the URL for reports', async () => {
    const contact = async (url: string) => {
      const script = (await buildSite(url)).get('/page.js')
      await page.route('**/page.js', (route) => route.fulfill({ ...script }))
    }
    await contact('mailto:jokes@example.com')
    await visit('/', 24)
    const report = () => get('link', 'Report a joke').getAttribute('href')
    expect(await report()).toBe('mailto:jokes@example.com')
    const id = await idOf('comma')
    await visit(`/?id=${id}`, 1)
    expect(await report()).toBe(`mailto:jokes@example.com?subject=Joke%20${id}`)
    await contact('https://example.com/report')
    await visit(`/?id=${id}`, 1)
    expect(await report()).toBe('https://example.com/report')
  })

  it('the page without JavaScript still links to the jokes', async () => {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setScriptExecutionDisabled', { value: true })
    await visit('/')
    expect(await page.locator('noscript').innerText()).toContain('This page needs JavaScript.')
    expect(await page.getByRole('heading', { name: 'Joke Service' }).isVisible()).toBe(true)
    expect(await page.locator('main').isVisible()).toBe(false)
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await get('link', '/joke').getAttribute('href')).toBe('/joke')
    await visit('/foo')
    await get('link', 'All jokes').waitFor()
    await takeComplaints()
  })
})

describe('files of the page', () => {
  it('the compressed files of the page have less than 21 kB', async () => {
    let bytes = 0
    for (const path of ['/', '/page.js', '/page.css', '/icon.svg', '/manifest.webmanifest']) {
      const response = await fetch(service.url + path)
      expect([path, response.status]).toEqual([path, 200])
      bytes += brotliCompressSync(await response.arrayBuffer()).length
    }
    expect(bytes).toBeLessThan(21_000)
  })

  it('each file of the page has its headers', async () => {
    const html = await (await fetch(service.url)).text()
    expect(html).toMatch(/<meta name="description" content="[^"]{50,}">/)
    const [light, dark] = ['light', 'dark'].map(
      (scheme) => html.match(`"theme-color" content="(.+)" media="\\(prefers-color-scheme: ${scheme}\\)"`)?.[1],
    )
    const css = await (await fetch(`${service.url}/page.css`)).text()
    expect(css).toContain(`--paper: light-dark(${light}, ${dark})`)
    const manifest = await (await fetch(`${service.url}/manifest.webmanifest`)).text()
    const paths = [...`${html}${manifest}`.matchAll(/"(\/[\w.-]+\.\w+)"/g)].map(([, path]) => `${path}`)
    const types = new Map([
      ['png', 'image/png'],
      ['svg', 'image/svg+xml'],
      ['ico', 'image/x-icon'],
      ['webmanifest', 'application/manifest+json'],
      ['css', 'text/css; charset=utf-8'],
      ['js', 'text/javascript; charset=utf-8'],
    ])
    expect(new Set(paths).size).toBe(8)
    for (const part of ['summary_large_image', 'og:title']) expect(html).toContain(part)
    for (const document of [html, NOT_FOUND.body]) expect(document).toContain('width=device-width')
    expect(SECURITY_HEADERS).toMatchObject({ 'referrer-policy': 'same-origin', 'x-content-type-options': 'nosniff' })
    for (const path of ['/', '/docs', ...paths]) {
      const { status, headers } = await fetch(service.url + path)
      const type = types.get(`${path.split('.')[1]}`) ?? 'text/html; charset=utf-8'
      const expected = { ...SECURITY_HEADERS, 'content-type': type }
      expect([path, status, Object.fromEntries(headers)]).toEqual([path, 200, expect.objectContaining(expected)])
    }
  })
})

/** Opens the dialog, and writes a joke. No test counts the jokes of the category. */
async function write(joke: string): Promise<void> {
  await visit('/?categories=KnockKnock')
  await click('Add a joke')
  await get('textbox', 'Joke').fill(joke)
}

function status(): Promise<string | null> {
  return page.getByRole('status').first().textContent()
}

function setups(): Promise<string[]> {
  return page.locator('.lead p').allTextContents()
}

function newest(count: number): string[] {
  const oldest = samples.map(({ joke }) => joke)
  return oldest.toReversed().slice(0, count)
}

async function categories(): Promise<string[]> {
  return [...new Set(await page.locator('.category').allTextContents())]
}

/** The upvotes of all jokes on the page. */
async function counts(): Promise<number[]> {
  return (await page.locator('.upvote').allTextContents()).map(Number)
}

async function idOf(searchString: string): Promise<string> {
  const [joke] = await service.jokes({ searchString })
  return `${joke?.id}`
}

async function removeJoke(route: Route): Promise<void> {
  await page.route('**/joke?*', (list) => list.fulfill({ json: [] }))
  await route.abort()
}

async function disconnect(route: Route): Promise<void> {
  await page.context().setOffline(true)
  await page.route('**/joke?*', (list) => list.abort())
  await route.abort()
}

function relativeUrl(): string {
  return page.url().slice(service.url.length)
}

function isPressed(): Promise<string | null> {
  return get('button', 'Upvote').getAttribute('aria-pressed')
}

/** Stops the page's clock. From now on, only the test advances it. */
async function stopTime(): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 600_000)
}

/** A property of the element that has the focus. */
function focused(property = 'textContent'): Promise<string> {
  return page.evaluate(`document.activeElement.${property}`)
}

/** Holds back the next request to a URL until the test releases or fails it. */
async function hold(url: string, headers: Record<string, string> = {}) {
  const decision = Promise.withResolvers<'release' | 'fail'>()
  let isHeld = false
  await page.route(url, async (route) => {
    if (isHeld) return route.fallback()
    isHeld = true
    if ((await decision.promise) === 'release') return route.continue()
    return route.fulfill(problem(503, 'The database is having a nap: try again.', headers))
  })
  return { release: () => decision.resolve('release'), fail: () => decision.resolve('fail') }
}
