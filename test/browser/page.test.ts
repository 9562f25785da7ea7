/** The page in a browser. */
import { expect, it } from 'vitest'
import { MAX_SEARCH_LENGTH, MAX_TEXT_LENGTH } from '../../shared/clientLimits.ts'
import { buildSite } from '../../web/build.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import {
  click,
  describeInBrowser,
  expectAccessible,
  get,
  hold,
  idOf,
  page,
  problem,
  says,
  service,
  shows,
  startSamples,
  translate,
  visit,
  watchShifts,
} from '../support/window.ts'

const UNREACHABLE = "We can't reach the jokes right now."

await startSamples()

describeInBrowser('list', () => {
  it('the list shows each joke once, newest first, page by page', async () => {
    // Unknown and empty values are ignored.
    await visit('/?search=%20&category=no&order=none&id=', 24)
    expect(await setups()).toEqual(newest(24))
    expect([await status(), await page.title()]).toEqual(['62 jokes', 'Joke Service'])
    await expectAccessible()
    const [known] = await service.jokes()
    // A joke whose votes change may come again.
    await page.route('**/joke?*cursor*', async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, json: [known, ...(await response.json())] })
    })
    await click('More jokes (24 of 62)', 'More jokes (48 of 62)')
    await shows(48)
    await expect.poll(() => focused()).toContain(newest(25)[24])
    await click('More jokes')
    await shows(62)
    expect(await setups()).toEqual(newest(62))
    expect(await get('button', 'More jokes').count()).toBe(0)
    expect(await status()).toBe('62 jokes')
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

  it('the list follows its filters through the history', async () => {
    await visit('/')
    const options = get('group', 'Categories')
    await options.getByLabel('School').check()
    await expect.poll(categories).toEqual(['School'])
    expect([await status(), await page.title()]).toEqual(['13 jokes in School', 'School · Joke Service'])
    await options.getByLabel('French humour').check()
    await expect.poll(status).toBe('26 jokes in School and French humour')
    expect(relativeUrl()).toBe('/?categories=School%2CFrench+humour')
    await options.getByLabel('School').uncheck()
    await expect.poll(categories).toEqual(['French humour'])
    await page.goBack()
    await page.goBack()
    await expect.poll(categories).toEqual(['School'])
    await page.goForward()
    await expect.poll(relativeUrl).toBe('/?categories=School%2CFrench+humour')
    for (const name of ['School', 'French humour']) expect(await options.getByLabel(name).isChecked()).toBe(true)
    await get('combobox', 'Sort by').selectOption('Most upvoted')
    await expect.poll(relativeUrl).toBe('/?categories=School%2CFrench+humour&order=best')
    await expect
      .poll(async () => (await counts()).every((count, index, all) => count <= (all[index - 1] ?? 9)))
      .toBe(true)
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
    await says('62 jokes', 'More jokes (48 of 62)')
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

  it('a click that asks for another tab is left to the browser', async () => {
    await visit('/?search=comma', 1)
    // No tab is opened, because not each headless browser can.
    await page.evaluate(`addEventListener('click', (event) => {
      document.title = event.defaultPrevented ? 'The page took it.' : 'The browser gets it.'
      event.preventDefault()
    })`)
    const link = page.locator('article a')
    await link.click({ modifiers: ['ControlOrMeta'] })
    expect(await page.title()).toBe('The browser gets it.')
    expect(await link.getAttribute('href')).toBe(`/?search=comma&id=${await idOf('comma')}`)
    expect(relativeUrl()).toBe('/?search=comma')
  })

  it('the focus moves on when the focused link or button disappears', async () => {
    await visit(`/?id=${await idOf('comma')}`)
    await get('link', 'All jokes').press('Enter')
    await shows(24)
    expect(await focused('id')).toBe('jokes')
    for (const name of ['More jokes', 'Try again']) {
      const held = await hold('**/joke?*cursor*')
      await get('button', name).press('Enter')
      held.fail()
      await says(UNREACHABLE)
      await get('button', 'Try again').and(page.locator(':focus')).waitFor()
    }
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

  it('a translated page stays up to date', async () => {
    await visit('/?search=comma', 1)
    await translate()
    const [votes = 0] = await counts()
    await page.locator('.upvote').click()
    await expect.poll(counts).toEqual([votes + 1])
    await page.locator('.upvote').click()
    await says("You've already upvoted this joke.")
    await translate()
    await get('searchbox', 'Search').fill('')
    await expect.poll(status).toBe('62 jokes')
    await translate()
    await page.locator('.more').click()
    await expect.poll(() => page.locator('.more').innerText()).toBe('More jokes (48 of 62)')
    await translate()
    await page.locator('#surprise').click()
    await expect.poll(status).toBe('One of 62 jokes')
    await translate()
    const [first] = await setups()
    await page.locator('#another').click()
    await expect.poll(setups).not.toEqual([first])
    await page.locator('#add').click()
    await translate()
    expect(await page.locator('[name=category]').selectOption('School')).toEqual(['School'])
  })

  it.each([
    ['eleve HESI', ['élève', 'hésite'], 'fr'],
    // The punchline matches, so it is told. The setup only contains the letters within a word.
    ['hat', ['hat'], null],
  ])('a search for %s marks its matches', async (search, marks, language) => {
    await visit(`/?search=${search}`)
    await expect.poll(() => page.locator('mark').allTextContents()).toEqual(marks)
    expect(await page.locator('mark').first().isVisible()).toBe(true)
    expect(await page.locator('.lead p').first().getAttribute('lang')).toBe(language)
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
    for (const [path, reason, advice] of [
      ['/?id=AAAAAAAAAAAAAAAAAAAAAA', "We can't find this joke", 'The link may be incomplete'],
      ['/?search=xylophone&categories=School&order=best', 'Nobody has told that one yet', 'Try the start'],
    ] as const) {
      await visit(path)
      await says(reason, advice)
    }
    expect(await get('link', 'All jokes').getAttribute('href')).toBe('/?order=best')
    await expectAccessible()
    await page.route('**/joke?*', (route) => route.fulfill({ json: [] }))
    await visit('/')
    await says('Not a single joke yet')
    await click('Surprise me', "There's no other joke here.")
  })
})

describeInBrowser('random jokes', () => {
  it('a random joke leads back to its list', async () => {
    await visit('/?categories=School', 13)
    await stopTime()
    const held = await hold('**/joke?*random*')
    await get('searchbox', 'Search').fill('teacher')
    await get('button', 'Surprise me').press('Enter')
    await says('Picking a joke…')
    held.release()
    await shows(1)
    expect(relativeUrl()).toMatch(/^\/\?search=teacher&categories=School&id=[\w-]{22}$/)
    // Screen readers announce the joke, because it has the focus and its setup is its name.
    expect(await status()).toBe('One of 9 from School for “teacher”')
    const [first] = await setups()
    await page
      .getByRole('article', { name: `${first}`, exact: true })
      .and(page.locator(':focus'))
      .waitFor()
    expect(await page.title()).toBe(`${first} · Joke Service`.replaceAll('\n', ' '))
    await click('Another one')
    await expect.poll(setups).not.toEqual([first])
    await get('link', 'Back to the list').click()
    await expect.poll(relativeUrl).toBe('/?search=teacher&categories=School')
    await shows(9)
    await expect.poll(() => focused()).toContain('Surprise me')
  })

  it('no random joke comes twice until all were shown', async () => {
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('random') && asked.push(request.url()))
    const shown: string[] = []
    await visit('/?categories=School')
    await click('Surprise me')
    for (let count = 0; count < 13; count++) {
      await expect.poll(relativeUrl).not.toBe(shown.at(-1) ?? '/?categories=School')
      shown.push(relativeUrl())
      await shows(1)
      await click('Another one')
    }
    await expect.poll(relativeUrl).not.toBe(shown.at(-1))
    expect([new Set(shown).size, shown.includes(relativeUrl())]).toEqual([13, true])
    // Two pages hold 13 jokes. The third request begins the next random order.
    expect(asked.map((url) => url.includes('cursor'))).toEqual([false, true, false])
  })
})

describeInBrowser('upvotes', () => {
  it('a browser upvotes a joke once in all its windows', async () => {
    await visit('/?search=zebra', 1)
    const other = await page.context().newPage()
    await other.goto(page.url())
    const [before = 0] = await counts()
    await click('Upvote')
    await page.locator('[aria-pressed=true]').waitFor()
    await other.getByRole('button', { name: 'Upvote', pressed: true }).click()
    await other.getByText("You've already upvoted this joke.").waitFor()
    await expectAccessible()
    await service.thumbUp(await idOf('zebra'))
    await page.reload()
    await page.locator('[aria-pressed=true]').waitFor()
    await click('Upvote', "You've already upvoted this joke.")
    expect(await counts()).toEqual([before + 2])
    const [joke] = await service.jokes({ searchString: 'zebra' })
    expect(joke?.thumbsUp).toBe(before + 2)
  })

  it('an upvote that fails is undone', async () => {
    await visit('/?search=tortilla', 1)
    const [before = 0] = await counts()
    const held = await hold('**/thumbsUp/*')
    await click('Upvote')
    await expect.poll(counts).toEqual([before + 1])
    held.fail()
    await says(`${UNREACHABLE} Your upvote may not have been counted.`)
    expect([await counts(), await page.locator('[aria-pressed=true]').count()]).toEqual([[before], 0])
    await page.context().setOffline(true)
    await click('Upvote', "You're offline. Your upvote may not have been counted.")
  })

  it('a joke can be upvoted once if the storage is denied', async () => {
    const denied = '{ get: () => { throw new DOMException() } }'
    await page.addInitScript({ content: `Object.defineProperty(window, 'localStorage', ${denied})` })
    await visit('/?search=sneeze', 1)
    await click('Upvote')
    await page.locator('[aria-pressed=true]').waitFor()
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
    expect(await page.evaluate('shared')).toMatchObject({ url: shared })
  })

  it('a joke is added once its fields are filled in', async () => {
    await visit('/')
    await click('Add a joke')
    await click('Add it')
    expect([await focused('name'), await page.locator(':user-invalid').count()]).toEqual(['joke', 2])
    await get('textbox', 'Joke').fill('What do you call a fish without eyes?')
    await get('textbox', 'Punchline').fill('A fsh.')
    await get('combobox', 'Category').selectOption('French humour')
    await click('Add it', 'Your joke is in.')
    await expect.poll(setups).toEqual(['What do you call a fish without eyes?'])
    // The punchline is told, because its author knows it.
    expect(await page.getByText('A fsh.', { exact: true }).isVisible()).toBe(true)
    expect(await service.jokes({ searchString: 'fsh' })).toMatchObject([{ category: 'French humour' }])
    // An added joke is shown even if it cannot be read back.
    await page.route('**/joke?id=*', (route) => route.fulfill(problem(503, 'Having a nap.')))
    await click('Add a joke')
    expect(await get('textbox', 'Punchline').inputValue()).toBe('')
    await write('What do you call a bear without ears?')
    await click('Add it')
    await expect.poll(setups).toEqual(['What do you call a bear without ears?'])
  })

  it('an added joke stays in its lists while listings are older', async () => {
    const text = 'Who knocks so late?'
    await page.route('**/joke?*numberofJokes*', async (route) => {
      const response = await route.fetch()
      const jokes: { joke: string }[] = await response.json()
      const older = jokes.filter(({ joke }) => joke !== text)
      return route.fulfill({ response, json: older, headers: { 'x-total-count': `${older.length}` } })
    })
    await visit('/?categories=KnockKnock')
    await expect.poll(categories).toEqual(['Knock, knock'])
    const older = await setups()
    await click('Add a joke')
    await write(text)
    await click('Add it', 'Your joke is in.')
    await get('link', 'Back to the list').click()
    await expect.poll(setups).toEqual([text, ...older])
    expect(await status()).toBe(`${older.length + 1} jokes in Knock, knock`)
    await visit('/?categories=KnockKnock&order=oldest', older.length + 1)
    expect((await setups()).at(-1)).toBe(text)
    await visit('/?categories=KnockKnock&order=best', older.length + 1)
    const votes = await counts()
    expect(votes).toEqual(votes.toSorted((a, b) => b - a))
  })

  it('a refused joke can be corrected', async () => {
    await visit('/?categories=KnockKnock')
    await click('Add a joke')
    await write('Rings \u0007 a bell')
    await click('Add it', /without control characters .* Your text is still here\./)
    await expectAccessible()
    await get('textbox', 'Joke').fill('x'.repeat(MAX_TEXT_LENGTH + 1))
    await click('Add it', /at most 1,000 characters/)
    await get('textbox', 'Joke').fill('x'.repeat(MAX_TEXT_LENGTH))
    await click('Add it')
    await expect.poll(setups).toEqual(['x'.repeat(MAX_TEXT_LENGTH)])
  })

  it('the page says that an added joke waits for approval', async () => {
    await visit('/?categories=KnockKnock')
    await click('Add a joke')
    await write('Patience is a virtue')
    await page.route('**/joke?id=*', (route) => route.fulfill({ json: [] }))
    await click('Add it', "Thank you! Your joke will appear here once it's approved.")
    expect([await page.getByRole('dialog').count(), relativeUrl()]).toEqual([0, '/?categories=KnockKnock'])
  })

  it('a joke that exists is linked instead of added again', async () => {
    await visit('/')
    await click('Add a joke')
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
    await click('Add a joke')
    await write('Half a joke')
    await page.keyboard.press('Escape')
    await get('textbox', 'Joke').waitFor({ state: 'hidden' })
    expect(await focused()).toContain('Add a joke')
    await click('Add a joke')
    await page.context().setOffline(true)
    await click('Add it', "You're offline. Your text is still here.")
    expect(await get('textbox', 'Joke').inputValue()).toBe('Half a joke')
  })

  it('a joke is not shown when the user cancels its request', async () => {
    await visit('/?categories=KnockKnock')
    await click('Add a joke')
    await write('Cancelled')
    const held = await hold('**/joke')
    const asked = page.waitForRequest(/\/joke$/)
    await click('Add it')
    await asked
    const ended = page.waitForEvent('requestfailed')
    await click('Cancel')
    await ended
    held.release()
    await click('Add a joke')
    // The button is ready for another submit.
    await get('button', 'Add it').waitFor()
    expect(relativeUrl()).toBe('/?categories=KnockKnock')
    expect(await get('textbox', 'Joke').inputValue()).toBe('Cancelled')
  })
})

describeInBrowser('requests', () => {
  it.each([
    [429, { status: 429, json: { message: 'Too Many Requests' } }, 'Too many people at once. Try again in a moment.'],
    [503, problem(503, 'Having a nap.'), UNREACHABLE],
  ])('a listing that gets a %i is requested once more', async (_, answer, message) => {
    const refuse = (times: number) => page.route('**/joke?*', (route) => route.fulfill(answer), { times })
    await refuse(1)
    await visit('/', 24)
    await refuse(2)
    await click('More jokes', message)
    await expectAccessible()
    await click('Try again')
    await shows(48)
  })

  it('a new search ends the request of an earlier one', async () => {
    await visit('/', 24)
    const held = await hold('**/joke?*chicken*')
    const asked = page.waitForRequest(/chicken/)
    await get('searchbox', 'Search').fill('chicken')
    await asked
    const ended = page.waitForEvent('requestfailed')
    await get('searchbox', 'Search').fill('teacher')
    await ended
    held.release()
    await shows(12)
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
    // The focus does not move, so screen readers begin at the top.
    expect([await focused('localName'), await status()]).toEqual(['body', ''])
    expect(await page.locator('header button:visible').allInnerTexts()).toEqual(['Add a joke'])
    expect(await page.getByRole('search').isVisible()).toBe(false)
    expect(await shift()).toBeLessThan(0.02)
    await expectAccessible()
  })

  it('the page links to its contact for reports, with the id of the joke', async () => {
    const script = (await buildSite('mailto:jokes@example.com')).get('/page.js')
    await page.route('**/page.js', (route) => route.fulfill({ ...script }))
    const id = await idOf('comma')
    await visit(`/?id=${id}`, 1)
    const href = await get('link', 'Report a joke').getAttribute('href')
    expect(href).toMatch(new RegExp(`^mailto:jokes@example.com.+${id}$`))
  })

  it('the page without JavaScript still links to the jokes', async () => {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setScriptExecutionDisabled', { value: true })
    await visit('/')
    expect(await page.locator('noscript').innerText()).toContain('This page needs JavaScript.')
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await get('link', '/joke').getAttribute('href')).toBe('/joke')
    await visit('/foo')
    await get('link', 'All jokes').waitFor()
  })
})

/** Writes a joke in the open dialog. No test counts the jokes of the category. */
async function write(joke: string): Promise<void> {
  await get('textbox', 'Joke').fill(joke)
  await get('combobox', 'Category').selectOption('Knock, knock')
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

function relativeUrl(): string {
  return page.url().slice(service.url.length)
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
