/** The page in a browser: its list, its search, random jokes, and what happens without an answer. */
import { expect, it } from 'vitest'
import { MAX_SEARCH_LENGTH, MAX_TEXT_LENGTH } from '../../shared/clientLimits.ts'
import { encodedSite } from '../../web/site.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import {
  click,
  counts,
  describeInBrowser,
  expectAccessible,
  focused,
  get,
  hold,
  idOf,
  page,
  problem,
  relativeUrl,
  says,
  service,
  setups,
  shows,
  startSamples,
  status,
  translate,
  visit,
  watchShifts,
} from '../support/window.ts'

const UNREACHABLE = "We can't reach the jokes right now."

const BUSY = { status: 429, json: { message: 'Too Many Requests' } }
const NOT_COUNTED = "Your upvote wasn't counted. Try again in a moment."
const UNSURE = "We can't tell whether your joke was added. Try again: it won't be added twice."
const APPROVAL = "Thank you! Your joke will appear here once it's approved."

/** The setups of the samples, newest first. */
const NEWEST = samples.map(({ joke }) => joke).toReversed()

await startSamples()

describeInBrowser('list', () => {
  it('the list shows each joke once, newest first, page by page', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    // Unknown and empty values are ignored.
    await visit('/?search=%20&category=no&order=none&id=', 24)
    // The page is one file. The list and the joke of the day are one request each.
    expect(asked.filter((path) => !path.includes('icon'))).toEqual(['/', '/joke', '/joke'])
    expect(await setups()).toEqual(NEWEST.slice(0, 24))
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
    await expect.poll(() => focused()).toContain(NEWEST[24])
    await click('More jokes')
    await shows(62)
    expect(await setups()).toEqual(NEWEST)
    expect(await get('button', 'More jokes').count()).toBe(0)
  })

  it('the whole list begins with the joke of the day in UTC', async () => {
    await page.clock.setFixedTime('2026-11-26T23:30:00-05:00')
    const [first] = await service.jokes({ sortBy: 'random', seed: '2026-11-27', numberofJokes: '1' })
    await visit('/', 24)
    await says('Joke of the day · 27 November')
    expect(await page.locator('.day .lead').innerText()).toBe(first?.joke)
    await get('searchbox', 'Search').fill('comma')
    await shows(1)
    expect(await page.locator('.day').count()).toBe(0)
    // The list does not wait for what decorates it.
    await page.route('**/joke?*seed*', () => {})
    await visit('/?order=best', 24)
    expect(await page.locator('.day').count()).toBe(0)
  })

  it('the list follows search, categories and order through the history', async () => {
    await visit('/', 24)
    const search = get('searchbox', 'Search')
    expect(await search.getAttribute('maxlength')).toBe(`${MAX_SEARCH_LENGTH}`)
    await search.pressSequentially('com')
    // A whole search is one step back, even if it was typed with a pause.
    await expect.poll(relativeUrl).toBe('/?search=com')
    await search.pressSequentially('ma')
    await shows(1)
    await page.reload()
    await expect.poll(setups).toEqual(['Why did the comma leave the full stop?'])
    expect([await search.inputValue(), await page.title()]).toEqual(['comma', 'comma · Joke Service'])
    await page.goBack()
    await shows(24)
    expect(await search.inputValue()).toBe('')
    const options = get('group', 'Categories')
    await options.getByLabel('School').check()
    await expect.poll(status).toBe('13 jokes in School')
    await options.getByLabel('French humour').check()
    await expect.poll(status).toBe('26 jokes in School and French humour')
    expect(await page.title()).toBe('School and French humour · Joke Service')
    await options.getByLabel('School').uncheck()
    await expect.poll(status).toBe('13 jokes in French humour')
    await page.goBack()
    await expect.poll(relativeUrl).toBe('/?categories=School%2CFrench+humour')
    for (const name of ['School', 'French humour']) expect(await options.getByLabel(name).isChecked()).toBe(true)
    await get('combobox', 'Sort by').selectOption('Most upvoted')
    await expect.poll(relativeUrl).toBe('/?categories=School%2CFrench+humour&order=best')
    const isSorted = (votes: number[]) => votes.every((count, index) => count <= (votes[index - 1] ?? 9))
    await expect.poll(async () => isSorted(await counts())).toBe(true)
  })

  it('going back and reloading restore the list as the user left it', async () => {
    await visit('/')
    await click('More jokes')
    await shows(48)
    const joke = page.locator('.jokes article:has(.punch)').last()
    const [setup, punchline] = await joke.locator('.bubble p').allTextContents()
    await joke.getByRole('button', { name: 'Punchline' }).click()
    const scrolled = await page.evaluate('scrollY')
    expect(scrolled).toBeGreaterThan(0)
    await joke.getByRole('link').click()
    await expect.poll(setups).toEqual([setup])
    expect([await page.evaluate('scrollY'), await focused('localName')]).toEqual([0, 'article'])
    await page.goBack()
    await says('62 jokes', 'More jokes (48 of 62)')
    await expect.poll(() => page.evaluate('scrollY')).toBe(scrolled)
    expect(await focused('id')).toMatch(/^link-/)
    await visit('/openapi.json')
    await page.goBack()
    await shows(48)
    const [added] = await service.add({ joke: 'Brand new?', category: 'Classic' })
    await page.reload()
    // The first page of a reloaded list is as long as the list was, and has what is new.
    await expect.poll(async () => (await setups())[0]).toBe(added?.joke)
    await shows(48)
    expect(await page.evaluate('scrollY')).toBeGreaterThan(1_000)
    expect(await page.locator('.jokes').getByText(`${punchline}`, { exact: true }).isVisible()).toBe(true)
    await page.route('**/joke?*', (route) => route.fulfill({ json: [] }))
    await visit(`/?id=${added?.id}`)
    await says("We can't find this joke")
  })

  it('a click that asks for another tab is left to the browser', async () => {
    await visit('/?search=comma', 1)
    const link = page.locator('.jokes article a')
    // No tab is opened, because not each headless browser can.
    const isTaken = page.evaluate(`new Promise((end) => addEventListener('click', (event) => {
      end(event.defaultPrevented)
      event.preventDefault()
    }))`)
    await link.click({ modifiers: ['ControlOrMeta'] })
    expect(await isTaken).toBe(false)
    expect(await link.getAttribute('href')).toBe(`/?search=comma&id=${await idOf('comma')}`)
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
    await expect.poll(() => focused()).toContain((await setups())[24])
  })

  it('the list works with the keyboard alone', async () => {
    await visit('/?search=comma', 1)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to the jokes')
    for (const key of ['Enter', 'Tab']) await page.keyboard.press(key)
    expect(await page.getByText('It only wanted a break').isVisible()).toBe(false)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused()).toBe('It only wanted a break, not the end of everything.')
    await expectAccessible()
    const [votes = 0] = await counts()
    for (const key of ['Tab', 'Tab', 'Tab', 'Space']) await page.keyboard.press(key)
    await expect.poll(counts).toEqual([votes + 1])
  })

  it('a translated page stays up to date', async () => {
    const translateAndPress = async (selector: string) => {
      await translate()
      await page.locator(selector).click()
    }
    await visit('/?search=zebra', 1)
    const [votes = 0] = await counts()
    await translateAndPress('.upvote')
    await expect.poll(counts).toEqual([votes + 1])
    await translate()
    await get('searchbox', 'Search').fill('')
    await expect.poll(status).toMatch(/^\d\d jokes$/)
    await translateAndPress('.more')
    await expect.poll(() => page.locator('.more').innerText()).toMatch(/^More jokes \(48 of \d\d\)$/)
    await translateAndPress('#surprise')
    await shows(1)
    await translateAndPress('#another')
    await expect.poll(setups).toEqual([expect.stringMatching(/[a-z]/)])
    await translateAndPress('#add')
    await translateAndPress('.add [type=submit]')
    await says('Write the setup first.')
  })

  it.each([
    ['eleve HESI', ['élève', 'hésite'], 'fr'],
    // The punchline matches, so it is told. The setup only contains the letters within a word.
    ['hat', ['hat'], ''],
  ])('a search for %s marks its matches', async (search, marks, language) => {
    await visit(`/?search=${search}`)
    await expect.poll(() => page.locator('mark').allTextContents()).toEqual(marks)
    expect(await page.locator('mark').first().isVisible()).toBe(true)
    expect(await page.locator('.lead p').first().getAttribute('lang')).toBe(language)
  })

  it('a joke made of HTML is shown as text', async () => {
    const [joke, punchline] = ['<img src=x onerror="alert(1)"><b>bold</b> &amp; markup', '<script>alert(2)</script>']
    const [known] = await service.jokes()
    await page.route('**/joke?*', (route) => route.fulfill({ json: [{ ...known, joke, punchline }] }))
    await visit('/', 1)
    expect(await page.locator('.jokes .bubble p').allTextContents()).toEqual([joke, punchline])
    expect(await page.locator('article :is(img, b, script)').count()).toBe(0)
  })

  it('an empty list explains itself', async () => {
    await visit('/?search=xylophone&categories=School&order=best')
    await says('Nobody has told that one yet', 'Try the start of a word')
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
    // From now on, only the test advances the clock.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 600_000)
    const held = await hold('**/joke?*random*')
    await get('searchbox', 'Search').fill('teacher')
    await get('button', 'Surprise me').press('Enter')
    await says('Picking a joke…')
    held.release()
    await shows(1)
    expect(relativeUrl()).toMatch(/^\/\?search=teacher&categories=School&id=[\w-]{22}$/)
    // Screen readers announce the joke, because it has the focus and its setup is its name.
    expect(await status()).toBe('One of 9 from School for “teacher”')
    const [first = ''] = await setups()
    await page.getByRole('article', { name: first, exact: true }).and(page.locator(':focus')).waitFor()
    expect(await page.title()).toBe(`${first} · Joke Service`.replaceAll('\n', ' '))
    await click('Another one')
    await expect.poll(setups).not.toEqual([first])
    await get('link', 'Back to the list').click()
    await shows(9)
    expect(relativeUrl()).toBe('/?search=teacher&categories=School')
    await expect.poll(() => focused()).toContain('Surprise me')
  })

  it('no random joke comes twice until all were shown', async () => {
    const shown: string[] = []
    await visit('/?search=teacher&categories=School')
    await click('Surprise me')
    for (let count = 0; count <= 9; count++) {
      await expect.poll(relativeUrl).not.toBe(shown.at(-1) ?? '/?search=teacher&categories=School')
      shown.push(relativeUrl())
      await shows(1)
      await click('Another one')
    }
    expect([new Set(shown.slice(0, 9)).size, new Set(shown).size]).toEqual([9, 9])
  })

  it('taps, keys and swipes tell a joke and draw another', async () => {
    await visit('/?search=comma', 1)
    await page.locator('.jokes .lead').click()
    await says('It only wanted a break')
    await visit(`/?id=${await idOf('zebra')}`, 1)
    await says('Space tells the punchline, → draws another joke.')
    // No key works while somebody types.
    await click('Add a joke')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await click('Close')
    expect(await page.locator('.tell').count()).toBe(1)
    await page.locator('article').focus()
    await page.keyboard.press('Space')
    await expect.poll(() => page.locator('.bubble.punch').isVisible()).toBe(true)
    const start = relativeUrl()
    await page.keyboard.press('ArrowRight')
    await expect.poll(relativeUrl).not.toBe(start)
    await shows(1)
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints })
    const swipe = async (distance: number) => {
      await touch('touchStart', { x: 300, y: 400 })
      await touch('touchMove', { x: 300 - distance, y: 400 })
      await touch('touchEnd')
    }
    const before = relativeUrl()
    await swipe(-200)
    await swipe(200)
    await expect.poll(relativeUrl).not.toBe(before)
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
    await expect.poll(counts).toEqual([before + 2])
    await click('Upvote', "You've already upvoted this joke.")
    const [joke] = await service.jokes({ searchString: 'zebra' })
    expect(joke?.thumbsUp).toBe(before + 2)
  })

  it.each([
    ['a refusal', BUSY, NOT_COUNTED],
    ['a throttled database', problem(503, 'not-counted'), NOT_COUNTED],
    ['an uncertain outcome', problem(503, 'unknown-outcome'), "We can't tell whether your upvote was counted."],
    ['no answer', undefined, "We can't tell whether your upvote was counted."],
    ['no connection', 'offline', "You're offline, so your upvote wasn't counted."],
  ] as const)('an upvote that fails by %s is undone', async (_, answer, sentence) => {
    await visit('/?search=tortilla', 1)
    const [before = 0] = await counts()
    await page.route('**/thumbsUp/*', async (route) => {
      await expect.poll(counts).toEqual([before + 1])
      return typeof answer === 'object' ? route.fulfill(answer) : route.abort()
    })
    if (answer === 'offline') await page.context().setOffline(true)
    await click('Upvote', sentence)
    expect([await counts(), await page.locator('[aria-pressed=true]').count()]).toEqual([[before], 0])
  })

  it('a joke that is gone leaves the list', async () => {
    await visit('/', 24)
    await page.route('**/thumbsUp/*', (route) => route.fulfill(problem(404, 'unknown-joke')))
    const [, second] = await setups()
    await page.locator('.jokes .upvote').first().click()
    await says('This joke is no longer here.')
    await expect.poll(async () => (await setups())[0]).toBe(second)
  })

  it('a joke can be upvoted once if the storage is denied', async () => {
    for (const name of ['localStorage', 'sessionStorage'])
      await page.addInitScript(`Object.defineProperty(window, '${name}', { get: () => { throw new DOMException() } })`)
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
    await open()
    await click('Add it', 'Write the setup first.', 'Choose a category.')
    expect(await focused('name')).toBe('joke')
    await get('textbox', 'Setup').fill('What do you call a fish without eyes?')
    await get('textbox', 'Punchline').fill('A fsh.')
    await get('radio', 'French humour').check()
    await click('Add it', 'Your joke is in. Thank you!')
    await expect.poll(setups).toEqual(['What do you call a fish without eyes?'])
    // The punchline is told, because its author knows it.
    expect(await page.getByText('A fsh.', { exact: true }).isVisible()).toBe(true)
    expect(await service.jokes({ searchString: 'fsh' })).toMatchObject([{ category: 'French humour' }])
    // An added joke is shown even if it cannot be read back.
    await page.route('**/joke?id=*', (route) => route.fulfill(problem(503, 'unavailable')))
    await click('Add a joke')
    expect(await get('textbox', 'Punchline').inputValue()).toBe('')
    await write('What do you call a bear without ears?')
    await click('Add it')
    await expect.poll(setups).toEqual(['What do you call a bear without ears?'])
  })

  it('each fault stands at its field, in words for people', async () => {
    await open()
    await write('Rings \u0007 a bell')
    await get('textbox', 'Punchline').fill('x'.repeat(MAX_TEXT_LENGTH + 7))
    await click('Add it', /^There are invisible characters/, 'Too long by 7. There is room for 1,000 characters.')
    await says('1,007 of 1,000')
    await expectAccessible()
    await write('x'.repeat(MAX_TEXT_LENGTH))
    await get('textbox', 'Punchline').fill('')
    const errors = ['joke', 'punchline'].map((field) => ({ field, code: 'invalid', detail: 'GET /joke' }))
    await page.route('**/joke', (route) => route.fulfill(problem(400, 'invalid', { errors })), { times: 1 })
    await click('Add it')
    await expect.poll(() => page.getByText("We can't take this as it is.").count()).toBe(2)
    await click('Add it')
    await expect.poll(setups).toEqual(['x'.repeat(MAX_TEXT_LENGTH)])
  })

  it.each([
    [BUSY, 'Too many people at once. Try again in a moment.'],
    [{ status: 413, json: { message: 'Request Entity Too Large' } }, /^Your joke is too long\./],
    [problem(413, 'too-large'), /^Your joke is too long\./],
    [problem(409, 'removed'), /^This joke was here before and was taken down/],
    [problem(503, 'unavailable'), "We can't reach the jokes right now."],
    [problem(500, 'bug'), UNSURE],
    [undefined, UNSURE],
  ])('a joke that is not added stays in the dialog: %j', async (answer, sentence) => {
    await open()
    await write('Half a joke')
    await page.route('**/joke', (route) => (answer ? route.fulfill(answer) : route.abort()))
    await click('Add it', sentence)
    expect(await page.getByText('GET /joke').count()).toBe(0)
    expect(await get('textbox', 'Setup').inputValue()).toBe('Half a joke')
  })

  it.each([
    ['is added now', undefined, 'Your joke is in. Thank you!'],
    ['was added by the first attempt', 'duplicate', 'Your joke is in. Thank you!'],
    ['waits for approval', 'waiting', APPROVAL],
    ['is added, but not listed', 'unlisted', APPROVAL],
  ] as const)('after an uncertain outcome the page sends a joke again, which %s', async (_, code, sentence) => {
    const id = code === 'duplicate' ? await idOf('zebra') : undefined
    await open()
    await write(`Certain? ${code}`)
    if (code === 'unlisted') await page.route('**/joke?id=*', (route) => route.fulfill({ json: [] }))
    else if (code) await page.route('**/joke', (route) => route.fulfill(problem(409, code, { id })))
    await page.route('**/joke', (route) => route.fulfill(problem(503, 'unknown-outcome')), { times: 1 })
    await click('Add it', sentence)
    if (sentence === APPROVAL) expect(relativeUrl()).toBe('/?categories=KnockKnock')
  })

  it('a joke that exists is shown instead of added again', async () => {
    await open()
    await write('Why did the comma leave the FULL stop?')
    await get('textbox', 'Punchline').fill('It only wanted a break, not the end of everything.')
    await click('Add it', 'We already have this one. Here it is.')
    expect(await setups()).toEqual(['Why did the comma leave the full stop?'])
    expect([await page.getByRole('dialog').count(), await focused('localName')]).toEqual([0, 'article'])
  })

  it('the dialog keeps an unfinished joke until it is discarded', async () => {
    await open()
    await write('Half a joke')
    await page.keyboard.press('Escape')
    await get('textbox', 'Setup').waitFor({ state: 'hidden' })
    expect(await focused()).toContain('Add a joke')
    await page.reload()
    await click('Add a joke')
    expect(await get('textbox', 'Setup').inputValue()).toBe('Half a joke')
    expect(await get('radio', 'Knock, knock').isChecked()).toBe(true)
    await click('Discard')
    await page.reload()
    await click('Add a joke')
    expect(await get('textbox', 'Setup').inputValue()).toBe('')
  })

  it('a joke is not shown if the user closes the dialog first', async () => {
    await open()
    await write('Cancelled')
    const held = await hold('**/joke')
    const ended = page.waitForEvent('requestfailed')
    await Promise.all([page.waitForRequest(/\/joke$/), click('Add it')])
    await click('Close')
    await ended
    held.release()
    await click('Add a joke')
    // The button is ready for another submit.
    await get('button', 'Add it').waitFor()
    expect(relativeUrl()).toBe('/?categories=KnockKnock')
    expect(await get('textbox', 'Setup').inputValue()).toBe('Cancelled')
  })
})

describeInBrowser('requests', () => {
  it.each([
    [429, { status: 429, json: { message: 'Too Many Requests' } }, 'Too many people at once. Try again in a moment.'],
    [503, problem(503, 'unavailable'), UNREACHABLE],
  ])('a listing that gets a %i is requested once more', async (_, answer, message) => {
    const refuse = (times: number) => page.route('**/joke?*dateAdded*', (route) => route.fulfill(answer), { times })
    await refuse(1)
    await visit('/', 24)
    await refuse(2)
    await click('More jokes', message)
    await expectAccessible()
    await click('Try again')
    await shows(48)
  })

  it('a slow request says after three seconds that it is still going on', async () => {
    await page.clock.install()
    const held = await hold('**/joke?*')
    await visit('/?search=comma')
    await says('Loading…')
    await page.clock.runFor(3_000)
    await says('Still loading…')
    await page.clock.runFor(26_000)
    held.release()
    await shows(1)
  })

  it('a new search ends the request of an earlier one', async () => {
    await visit('/', 24)
    const held = await hold('**/joke?*chicken*')
    const search = get('searchbox', 'Search')
    await Promise.all([page.waitForRequest(/chicken/), search.fill('chicken')])
    await Promise.all([page.waitForEvent('requestfailed'), search.fill('teacher')])
    held.release()
    await shows(12)
  })

  it('a failed request is retried when the user is online again', async () => {
    await visit('/', 24)
    await page.context().setOffline(true)
    await get('checkbox', 'Knock, knock').check()
    await says('No connection')
    await page.context().setOffline(false)
    await expect.poll(status).toMatch(/ in Knock, knock$/)
  })
})

describeInBrowser('page', () => {
  it('the prerendered page keeps what the user types before its script runs', async () => {
    // The script runs once the browser has read the whole page, which the user may see before.
    const content = `new MutationObserver((_, observer) => {
      document.seen = document.querySelector('.summary')?.innerText
      if (document.seen) observer.disconnect(document.getElementById('search').value = 'comma')
    }).observe(document, { childList: true, subtree: true })`
    await page.addInitScript({ content })
    await visit('/', 1)
    expect([relativeUrl(), await page.evaluate('document.seen')]).toEqual(['/?search=comma', 'Loading…'])
  })

  it('a shared link shows its joke first on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    const shift = await watchShifts()
    const jokes = await hold('**/joke?*')
    await page.goto(`/?id=${await idOf('comma')}`, { waitUntil: 'commit' })
    await says('Loading…')
    jokes.release()
    await shows(1)
    // The focus does not move, so screen readers begin at the top.
    expect([await focused('localName'), await status()]).toEqual(['body', ''])
    expect(await page.locator('header button:visible').allInnerTexts()).toEqual(['Add a joke'])
    expect(await page.getByRole('search').isVisible()).toBe(false)
    expect(await shift()).toBeLessThan(0.02)
    await expectAccessible()
  })

  it('the page links to its contact for reports, with the id of the joke', async () => {
    const { html, headers } = await encodedSite('mailto:jokes@example.com')
    const id = await idOf('comma')
    await page.route(`/?id=${id}`, (route) => route.fulfill({ body: html, headers }))
    await visit(`/?id=${id}`, 1)
    const href = await get('link', 'Report a joke').getAttribute('href')
    expect(href).toMatch(new RegExp(`^mailto:jokes@example.com.+${id}$`))
  })

  it('the page without JavaScript shows a shared joke, and links to the others', async () => {
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setScriptExecutionDisabled', { value: true })
    await visit(`/?id=${await idOf('comma')}`)
    expect(await page.locator('noscript').innerText()).toMatch(/Why did the comma.+It only wanted.+needs JavaScript/s)
    expect(await page.title()).toBe('Why did the comma leave the full stop? · Joke Service')
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await get('link', 'raw data').getAttribute('href')).toBe('/joke')
    await visit('/foo')
    await get('link', 'All jokes').waitFor()
  })
})

/** Opens the dialog over a list that no test counts. */
async function open(): Promise<void> {
  await visit('/?categories=KnockKnock')
  await click('Add a joke')
}

async function write(joke: string): Promise<void> {
  await get('textbox', 'Setup').fill(joke)
  await get('radio', 'Knock, knock').check()
}
