/** The page in a browser: its list, its search, random jokes, and what happens without an answer. */
import { expect, it } from 'vitest'
import { encodedSite } from '../../web/site.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import {
  click,
  counts,
  DAY_URL,
  expectAccessible,
  get,
  hold,
  idOf,
  layoutShift,
  openDialog,
  page,
  problem,
  says,
  service,
  setups,
  shows,
  startSamples,
  translate,
  visit,
  write,
} from '../support/window.ts'

const BUSY = { status: 429, json: { message: 'Too Many Requests' } }
/** The service asks to send a joke again after an uncertain outcome. */
const UNCERTAIN = { ...problem('unknown-outcome'), headers: { 'retry-after': '1' } }
const EVERYONE = 'Everyone wants a joke right now. Give us a moment, then try again.'
const UNSURE_UPVOTE = 'We can’t tell whether your upvote was counted.'
const UNSURE = 'We can’t tell whether your joke was added. Try again: it won’t be added twice.'
const APPROVAL = 'Thank you! Your joke will appear here once it’s approved.'

await startSamples()

it('the list shows each joke once, newest first, page by page', async () => {
  const newest = samples.map(({ joke }) => joke).toReversed()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  // Unknown and empty values are ignored.
  await visit('/?search=%20&categories=no&order=none&id=', 24)
  // The page is one file. The list and the joke of the day are one request each.
  expect(asked.filter((path) => !path.includes('icon'))).toEqual(['/', '/joke', '/joke'])
  await expectAccessible()
  const [known] = await service.jokes()
  // A joke whose votes change may come again.
  await page.route('**/joke?*cursor*', async (route) => {
    const response = await route.fetch()
    return route.fulfill({ response, json: [known, ...(await response.json())] })
  })
  await click('More jokes (24 of 62)', 'More jokes (48 of 62)')
  await get('article', `${newest[24]}`).and(page.locator(':focus')).waitFor()
  await click('More jokes')
  // The joke of the day, the oldest one, is above them.
  await shows(61)
  expect(await setups()).toEqual(newest.slice(0, 61))
  expect(await get('button', 'More jokes').count()).toBe(0)
})

it('the whole list begins with the joke of the day in UTC', async () => {
  await page.clock.setFixedTime('2026-11-26T23:30:00-05:00')
  await page.unroute(DAY_URL)
  const [first] = await service.jokes({ sortBy: 'random', seed: '2026-11-27', numberofJokes: '1' })
  await visit('/')
  await says('Joke of the day · 27 November')
  expect(await page.locator('.day .lead').innerText()).toBe(first?.joke)
  // The list does not wait for what decorates it.
  await page.route(DAY_URL, () => {})
  await visit('/?order=best', 24)
  expect(await page.locator('.day').count()).toBe(0)
})

it('the list follows search, categories and order through the history', async () => {
  await visit('/', 24)
  const search = get('searchbox', 'Search')
  await search.pressSequentially('com')
  // A whole search is one step back, even if it was typed with a pause.
  await page.waitForURL('/?search=com')
  // A change that follows at once keeps what was typed.
  await page.evaluate(`const { search, order } = document.forms[0].elements
    Object.assign(search, { value: 'comma' }).dispatchEvent(new Event('input', { bubbles: true }))
    Object.assign(order, { value: 'oldest' }).dispatchEvent(new Event('change', { bubbles: true }))`)
  await page.waitForURL('/?search=comma&order=oldest')
  await page.reload()
  await shows(1)
  expect([await search.inputValue(), await page.title()]).toEqual(['comma', 'comma · Joke Service'])
  await page.goBack()
  await shows(24)
  const options = get('group', 'Categories')
  for (const name of ['French humour', 'School']) await options.getByLabel(name).check()
  await says('26 jokes in School and French humour')
  await get('combobox', 'Sort by').selectOption('Most upvoted')
  await expect.poll(async () => (await counts())[0]).toBe(2)
  await page.goBack()
  await page.goBack()
  await says('13 jokes in French humour')
  expect(await options.getByLabel('School').isChecked()).toBe(false)
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
  await page.locator('article:focus').waitFor()
  expect(await page.evaluate('scrollY')).toBe(0)
  await page.goBack()
  await says('62 jokes', 'More jokes (48 of 62)')
  await expect.poll(() => page.evaluate('scrollY')).toBe(scrolled)
  await page.locator('.jokes a:focus').waitFor()
  await visit('/openapi.json')
  await page.goBack()
  await shows(48)
  const [added] = await service.add({ joke: 'Brand new?', category: 'Classic' })
  // A service may send fewer jokes than it is asked for.
  await page.route('**=48&*', (route) => route.continue({ url: route.request().url().replace('=48', '=10') }))
  const sizes: (string | null)[] = []
  page.on('request', (request) => sizes.push(new URL(request.url()).searchParams.get('numberofJokes')))
  await page.reload()
  // A reloaded list is as long as it was, and has what is new. Its next page has the usual size.
  await expect.poll(async () => (await setups())[0]).toBe(added?.joke)
  await shows(48)
  expect(await page.evaluate('scrollY')).toBeGreaterThan(1_000)
  expect(await page.locator('.jokes').getByText(`${punchline}`, { exact: true }).isVisible()).toBe(true)
  await click('More jokes (48 of 63)')
  await shows(62)
  expect(sizes.filter((size) => size && size !== '1')).toEqual(['48', '38', '24'])
})

it('the page works with the keyboard alone', async () => {
  await visit('/?search=comma', 1)
  await page.keyboard.press('Tab')
  await page.locator(':focus', { hasText: 'Skip to the jokes' }).waitFor()
  for (const key of ['Enter', 'Tab']) await page.keyboard.press(key)
  expect(await page.getByText('It only wanted a break').isVisible()).toBe(false)
  await page.keyboard.press('Enter')
  await page.locator(':focus', { hasText: 'It only wanted a break' }).waitFor()
  await expectAccessible()
  const [votes = 0] = await counts()
  for (const key of ['Tab', 'Tab', 'Tab', 'Space']) await page.keyboard.press(key)
  await expect.poll(counts).toEqual([votes + 1])
  await visit(`/?id=${await idOf('zebra')}`, 1)
  await says('Press Space for the punchline, → for another joke.')
  const shown = page.url()
  // No key works while somebody types.
  await click('Add a joke')
  for (const key of ['Space', 'ArrowRight']) await page.keyboard.press(key)
  await click('Close')
  expect([page.url(), await page.locator('.tell').count()]).toEqual([shown, 1])
  await page.locator('article').focus()
  await page.keyboard.press('Space')
  await page.locator('.bubble.punch').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL((url) => url.href !== shown)
  await says('← to go back.')
  await page.keyboard.press('ArrowLeft')
  await page.waitForURL(shown)
  await shows(1)
  // The punchline is told, and nothing of the page is further back.
  expect(await page.locator('.keys').innerText()).toBe('Press → for another joke.')
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
  await says(/^\d\d jokes$/)
  await translateAndPress('.more')
  await says(/^More jokes \(48 of \d\d\)$/)
  await translateAndPress('#surprise')
  await shows(1)
  await translateAndPress('#another')
  await expect.poll(setups).toEqual([expect.stringMatching(/\p{Ll}|\p{Lo}/u)])
})

it('a tap on the setup tells the punchline, unless the search finds its words', async () => {
  await visit('/?search=hat')
  await expect.poll(() => page.locator('mark:visible').allTextContents()).toEqual(['hat'])
  await visit('/?search=comma', 1)
  expect(await page.evaluate("getComputedStyle(document.querySelector('.facts a')).clipPath")).toBe('inset(50%)')
  await page.locator('.jokes .lead').click()
  await says('It only wanted a break')
  // The tap has uncovered the link. No tab is opened, because not each headless browser can.
  await page.evaluate('onclick = (event) => { taken = event.defaultPrevented; event.preventDefault() }')
  await get('link', 'Open').click({ modifiers: ['ControlOrMeta'] })
  expect(await page.evaluate('taken')).toBe(false)
})

it('a joke tells screen readers its language', async () => {
  for (const [search, language] of Object.entries({ comma: '', 'eleve hesi': 'fr', うちの: 'ja' })) {
    await visit(`/?search=${search}`, 1)
    expect(await page.locator('.jokes .lead p').getAttribute('lang')).toBe(language)
  }
})

it('a joke made of HTML is shown as text', async () => {
  const [joke, punchline] = ['<img src=x onerror="alert(1)"><b>bold</b> &amp; markup', '<script>alert(2)</script>']
  const [known] = await service.jokes()
  await page.route('**/joke?*', (route) => route.fulfill({ json: [{ ...known, joke, punchline }] }))
  await visit('/?search=bold', 1)
  expect(await page.locator('.jokes .bubble p').allTextContents()).toEqual([joke, punchline])
  expect(await page.locator('article :is(img, b, script)').count()).toBe(0)
})

it('an empty list explains itself', async () => {
  await visit('/?search=xylophone&categories=School&order=best')
  await says('Nobody has told that one yet', 'Try the start of a word')
  expect(await get('link', 'All jokes').getAttribute('href')).toBe('/?order=best')
  await expectAccessible()
  // Random jokes are those of the whole list, to which the link leads back.
  await click('Surprise me')
  await shows(1)
  await get('link', 'All jokes').click()
  await shows(24)
  // The focus moves on, because the focused link has disappeared.
  await page.locator('#jokes:focus').waitFor()
  await visit('/?id=unknown')
  await says('We can’t find this joke')
  expect(await get('button', 'Another one').or(page.locator('.keys')).count()).toBe(0)
  await page.route('**/joke?*', (route) => route.fulfill({ json: [] }))
  await visit('/')
  await says('Not a single joke yet')
  expect(await get('button', 'Surprise me').count()).toBe(0)
  await page.locator('main').getByRole('button', { name: 'Add a joke' }).click()
  await get('textbox', 'Setup').waitFor()
})

it('a random joke leads back to its list', async () => {
  await visit('/?categories=School', 13)
  await get('searchbox', 'Search').fill('teacher')
  const held = await hold('**/joke?*random*')
  await get('button', 'Surprise me').press('Enter')
  await says('Picking a joke…')
  held.release()
  await shows(1)
  expect(page.url()).toMatch(/\/\?search=teacher&categories=School&id=[\w-]{22}$/)
  await says('1 of 9 jokes in School for “teacher”')
  const [first = ''] = await setups()
  expect(await page.title()).toBe(`${first} · Joke Service`.replaceAll('\n', ' '))
  // Screen readers announce the joke, because it has the focus and its setup is its name.
  await page.getByRole('article', { name: first, exact: true }).and(page.locator(':focus')).waitFor()
  await get('link', 'Back to the list').click()
  await shows(9)
  await page.locator('#surprise:focus').waitFor()
})

it('no random joke comes twice until all were shown', async () => {
  const shown: string[] = []
  // They take more than one request.
  await visit('/?categories=School,French+humour')
  await click('Surprise me')
  for (let count = 0; count <= 26; count++) {
    await page.waitForURL(({ href }) => href.includes('id=') && href !== shown.at(-1))
    shown.push(page.url())
    await click('Another one')
  }
  expect([new Set(shown.slice(0, 26)).size, new Set(shown).size]).toEqual([26, 26])
  await visit('/?search=comma', 1)
  await click('Surprise me')
  await click('Another one', 'There’s no other joke here.')
})

it('a browser upvotes a joke once in all its windows', async () => {
  await visit('/?search=tortilla', 1)
  const other = await page.context().newPage()
  await other.goto(page.url())
  const [before = 0] = await counts()
  await click('Upvote')
  await page.locator('[aria-pressed=true]').waitFor()
  await expectAccessible()
  await other.getByRole('button', { name: 'Upvote' }).click()
  await other.getByText('You’ve already upvoted this joke.').waitFor()
  await page.reload()
  await click('Upvote', 'You’ve already upvoted this joke.')
  expect(await counts()).toEqual([before + 1])
})

it.each([
  [BUSY, 'Your upvote wasn’t counted. Try again in a moment.'],
  [problem('unknown-outcome'), UNSURE_UPVOTE],
  [undefined, UNSURE_UPVOTE],
  ['offline', 'You’re offline, so your upvote wasn’t counted.'],
] as const)('an upvote that fails is undone, and not sent again: %j', async (answer, sentence) => {
  await visit('/?search=comma', 1)
  const [before = 0] = await counts()
  let sent = 0
  await page.route('**/thumbsUp/*', async (route) => {
    sent++
    await expect.poll(counts).toEqual([before + 1])
    return typeof answer === 'object' ? route.fulfill(answer) : route.abort()
  })
  await page.context().setOffline(answer === 'offline')
  await click('Upvote', sentence)
  expect([await counts(), await page.locator('[aria-pressed=true]').count(), sent]).toEqual([[before], 0, 1])
})

it('a joke that is gone leaves the list, even if the storage is denied', async () => {
  for (const name of ['localStorage', 'sessionStorage'])
    await page.addInitScript(`Object.defineProperty(window, '${name}', { get: () => { throw new DOMException() } })`)
  await visit('/', 24)
  await page.route('**/thumbsUp/*', (route) => route.fulfill(problem('unknown-joke')))
  const [, second] = await setups()
  await page.locator('.jokes .upvote').first().click()
  await says('This joke is no longer here.')
  await expect.poll(async () => (await setups())[0]).toBe(second)
})

it('a joke is shared by its URL', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit('/?search=comma')
  const shared = `${service.url}/?id=${await idOf('comma')}`
  await click('Share', 'Link copied.')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shared)
  await page.evaluate('navigator.share = async (shared) => { globalThis.shared = shared }')
  await click('Share')
  expect(await page.evaluate('shared')).toMatchObject({ url: shared })
  // The browser's own dialog is open already, so nothing happens.
  await page.evaluate("navigator.share = async () => { throw new DOMException('', 'InvalidStateError') }")
  await click('Share', 'Link copied.')
  // A message would stay behind the dialog.
  await click('Add a joke')
  expect(await page.locator('.toast').innerText()).toBe('')
})

it('a joke is added once its fields are filled in', async () => {
  await openDialog()
  await click('Add it', 'Write the setup first.', 'Choose a category.')
  await page.locator('[name=joke]:focus').waitFor()
  await write('What do you call a fish without eyes?', 'x'.repeat(1_007))
  await click('Add it', 'Too long by 7. There is room for 1,000 characters.')
  expect(await page.getByText('Choose a category.').count()).toBe(0)
  await expectAccessible()
  await write('What do you call a fish without eyes?', 'A fsh.')
  await click('Add it', 'Your joke is in. Thank you!')
  await expect.poll(setups).toEqual(['What do you call a fish without eyes?'])
  // The punchline is told, because its author knows it.
  expect(await page.getByText('A fsh.', { exact: true }).isVisible()).toBe(true)
  expect(await service.jokes({ searchString: 'fsh' })).toMatchObject([{ category: 'KnockKnock' }])
  // An added joke is shown even if it cannot be read back.
  await page.route('**/joke?id=*', (route) => route.fulfill(problem('unavailable')))
  await click('Add a joke')
  await write('What do you call a bear without ears?')
  await click('Add it')
  await expect.poll(setups).toEqual(['What do you call a bear without ears?'])
})

it.each([
  [problem('removed'), /^This joke was here before and was taken down/],
  [BUSY, EVERYONE],
  [problem('unknown-outcome'), UNSURE],
  [undefined, UNSURE],
  [problem('invalid', { errors: [{ field: 'joke', detail: 'GET /joke' }] }), /^This text has characters/],
])('a joke that is not added stays in the dialog until it is added or discarded: %j', async (answer, sentence) => {
  await openDialog()
  await write('Half a joke')
  await page.route('**/joke', (route) => (answer ? route.fulfill(answer) : route.abort()))
  await click('Add it', sentence)
  expect(await page.getByText('GET /joke').count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.reload()
  await click('Add a joke')
  expect(await get('textbox', 'Setup').inputValue()).toBe('Half a joke')
  expect(await get('radio', 'Knock, knock').isChecked()).toBe(true)
  // The draft ends with this window.
  expect(await page.evaluate('localStorage.length')).toBe(0)
  await click('Discard')
  await page.reload()
  await click('Add a joke')
  expect(await get('textbox', 'Setup').inputValue()).toBe('')
})

it.each([
  ['duplicate', 1, 'We already have this one. Here it is.'],
  // The first attempt has added it, so it is the user's own joke. Its outcome was uncertain.
  ['duplicate', 2, 'Your joke is in. Thank you!'],
  ['waiting', 2, APPROVAL],
  ['unlisted', 1, APPROVAL],
] as const)('a joke that is known or waits for approval is told apart: %s, %i', async (code, attempts, sentence) => {
  const id = code === 'duplicate' ? await idOf('comma') : undefined
  await openDialog()
  await write(`Is this new? ${code}`)
  if (code === 'unlisted') await page.route('**/joke?id=*', (route) => route.fulfill({ json: [] }))
  else await page.route('**/joke', (route) => route.fulfill(problem(code, { id })))
  if (attempts === 2) await page.route('**/joke', (route) => route.fulfill(UNCERTAIN), { times: 1 })
  await click('Add it', sentence)
  await page.waitForURL(id ? `/?id=${id}` : '/?categories=KnockKnock')
})

it('a listing that fails is requested again: by the page once, by the user, or when the user is online', async () => {
  const fail = (answer: object) => page.route('**/joke?*dateAdded*', (route) => route.fulfill(answer), { times: 1 })
  await fail(problem('unavailable'))
  await visit('/', 24)
  // The service asks for a longer pause than a user waits.
  await fail({ ...problem('unavailable'), headers: { 'retry-after': '60' } })
  await click('More jokes', 'We can’t reach the jokes right now.')
  await fail(BUSY)
  await click('Try again', EVERYONE)
  await expectAccessible()
  // The focus moves on, because the focused button has disappeared.
  await page.locator('#retry:focus').press('Enter')
  await shows(48)
  await page.context().setOffline(true)
  await get('checkbox', 'Knock, knock').check()
  await says('No connection', 'It’s the connection that isn’t laughing.')
  await page.context().setOffline(false)
  await says(/\d jokes? in Knock, knock$/)
})

it('an answer that comes after a newer search is ignored', async () => {
  await visit('/', 24)
  const held = await hold('**/joke?*chicken*')
  const search = get('searchbox', 'Search')
  await Promise.all([page.waitForRequest(/chicken/), search.fill('chicken')])
  await search.fill('teacher')
  await shows(12)
  const [late] = await Promise.all([page.waitForResponse(/chicken/), held.release()])
  await late.finished()
  await page.waitForTimeout(50)
  await says('12 jokes for “teacher”')
})

it('the prerendered page keeps what the user types before its script runs', async () => {
  // The script runs once the browser has read the whole page, which the user may see before.
  const content = `new MutationObserver((_, observer) => {
    document.seen = document.querySelector('.summary')?.innerText
    if (document.seen) observer.disconnect(document.querySelector('[name=search]').value = 'comma')
  }).observe(document, { childList: true, subtree: true })`
  await page.addInitScript({ content })
  await visit('/', 1)
  await page.waitForURL('/?search=comma')
  expect(await page.evaluate('document.seen')).toBe('Loading…')
})

it('a shared link shows its joke first on a phone, even if it comes late', async () => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.clock.install()
  const jokes = await hold('**/joke?*')
  // Messengers append what follows a link.
  await page.goto(`/?id=${await idOf('comma')}.`, { waitUntil: 'commit' })
  await says('Loading…')
  await page.clock.runFor(3_000)
  await says('Still loading…')
  jokes.release()
  await shows(1)
  // The focus does not move, so screen readers begin at the top.
  expect(await page.locator(':focus').count()).toBe(0)
  expect(await page.locator('[aria-live], output').allInnerTexts()).toEqual(['', ''])
  expect(await page.locator('header button:visible').allInnerTexts()).toEqual(['Add a joke'])
  expect(await page.getByRole('search').isVisible()).toBe(false)
  expect(await layoutShift()).toBeLessThan(0.02)
  await expectAccessible()
})

it('the page links to its contact for reports, with the id of the joke', async () => {
  const { html, headers } = await encodedSite('mailto:jokes@example.com')
  const id = await idOf('comma')
  await page.route(`/?id=${id}`, (route) => route.fulfill({ body: html, headers }))
  await visit(`/?id=${id}`, 1)
  expect(await get('link', 'Report a joke').getAttribute('href')).toBe(`mailto:jokes@example.com?subject=Joke%20${id}`)
})

it('the page without JavaScript shows a shared joke, and links to the others', async () => {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setScriptExecutionDisabled', { value: true })
  await visit(`/?id=${await idOf('comma')})`)
  expect(await page.locator('noscript').innerText()).toMatch(/Why did the comma.+It only wanted.+needs JavaScript/s)
  expect(await page.getByRole('button').count()).toBe(0)
  // axe cannot run here. The text of a punchline is dark in both colour schemes, as its bubble is yellow in both.
  await page.emulateMedia({ colorScheme: 'dark' })
  const colour = "getComputedStyle(document.querySelector('noscript .punch')).color"
  expect(await page.evaluate(colour)).toBe('rgb(26, 24, 20)')
  expect(await get('link', 'raw data').getAttribute('href')).toBe('/joke')
})
