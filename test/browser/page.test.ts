/** The page in a browser: its list, its search, random jokes, and what happens without an answer. */
import { expect, it } from 'vitest'
import { MAX_SEARCH_LENGTH } from '../../shared/clientLimits.ts'
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
  })

  it('a view takes one request for the page, and those for its jokes', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await visit('/?search=comma', 1)
    expect(asked.filter((path) => !path.includes('icon'))).toEqual(['/', '/joke'])
    asked.length = 0
    await visit('/', 24)
    expect(asked.filter((path) => !path.includes('icon'))).toEqual(['/', '/joke', '/joke'])
  })

  it('the joke of the day is the same for all who see the whole list', async () => {
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

  it('the list follows a search while the user types', async () => {
    await visit('/', 24)
    expect(await get('searchbox', 'Search').getAttribute('maxlength')).toBe(`${MAX_SEARCH_LENGTH}`)
    await get('searchbox', 'Search').pressSequentially('com')
    // A whole search is one step back, even if it was typed with a pause.
    await expect.poll(relativeUrl).toBe('/?search=com')
    await get('searchbox', 'Search').pressSequentially('ma')
    await shows(1)
    expect(await setups()).toEqual(['Why did the comma leave the full stop?'])
    await page.reload()
    await shows(1)
    expect([await get('searchbox', 'Search').inputValue(), await page.title()]).toEqual([
      'comma',
      'comma · Joke Service',
    ])
    await page.goBack()
    await shows(24)
    expect(await get('searchbox', 'Search').inputValue()).toBe('')
  })

  it('the list follows its filters through the history', async () => {
    await visit('/')
    const options = get('group', 'Categories')
    await options.getByLabel('School').check()
    await expect.poll(status).toBe('13 jokes in School')
    expect(await page.title()).toBe('School · Joke Service')
    await options.getByLabel('French humour').check()
    await expect.poll(status).toBe('26 jokes in School and French humour')
    await options.getByLabel('School').uncheck()
    await expect.poll(status).toBe('13 jokes in French humour')
    await page.goBack()
    await page.goBack()
    await expect.poll(status).toBe('13 jokes in School')
    await page.goForward()
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
    // No tab is opened, because not each headless browser can.
    await page.evaluate(`addEventListener('click', (event) => {
      document.title = event.defaultPrevented ? 'The page took it.' : 'The browser gets it.'
      event.preventDefault()
    })`)
    const link = page.locator('.jokes article a')
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
    await visit('/?search=zebra', 1)
    await translate()
    const [votes = 0] = await counts()
    await page.locator('.upvote').click()
    await expect.poll(counts).toEqual([votes + 1])
    await page.locator('.upvote').click()
    await says("You've already upvoted this joke.")
    await translate()
    await get('searchbox', 'Search').fill('')
    await expect.poll(status).toMatch(/^\d\d jokes$/)
    await translate()
    await page.locator('.more').click()
    await expect.poll(() => page.locator('.more').innerText()).toMatch(/^More jokes \(48 of \d\d\)$/)
    await translate()
    await page.locator('#surprise').click()
    await shows(1)
    await translate()
    const [first] = await setups()
    await page.locator('#another').click()
    await expect.poll(setups).not.toEqual([first])
    await page.locator('#add').click()
    await translate()
    await page.getByRole('dialog').locator('[data-category=School]').locator('..').click()
    await page.locator('.add [type=submit]').click()
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
    const [first = ''] = await setups()
    await page.getByRole('article', { name: first, exact: true }).and(page.locator(':focus')).waitFor()
    expect(await page.title()).toBe(`${first} · Joke Service`.replaceAll('\n', ' '))
    await click('Another one')
    await expect.poll(setups).not.toEqual([first])
    await get('link', 'Back to the list').click()
    await expect.poll(relativeUrl).toBe('/?search=teacher&categories=School')
    await shows(9)
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
    const swipe = async (distance: number) => {
      for (const [type, x] of [
        ['touchStart', 300],
        ['touchMove', 300 - distance],
        ['touchEnd', 0],
      ] as const)
        await session.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: type === 'touchEnd' ? [] : [{ x, y: 400 }],
        })
    }
    const before = relativeUrl()
    await swipe(-200)
    await swipe(200)
    await expect.poll(relativeUrl).not.toBe(before)
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
    const other = await hold('**/joke')
    await click('Add a joke')
    await write('Slow, slower?')
    await click('Add it', 'Adding…')
    await page.clock.runFor(3_000)
    await says('Still adding…')
    other.fail()
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
    await expect.poll(status).toMatch(/ in Knock, knock$/)
  })
})

describeInBrowser('page', () => {
  it('the prerendered page keeps what the user types before its script runs', async () => {
    // The script runs once the browser has read the whole page, which the user may see before.
    await page.addInitScript({
      content: `new MutationObserver((_, observer) => {
        const search = document.getElementById('search')
        if (!search || document.body.innerText.includes('jokes for')) return
        document.typed = document.querySelector('.summary').innerText
        search.value = 'comma'
        observer.disconnect()
      }).observe(document, { childList: true, subtree: true })`,
    })
    await visit('/', 1)
    expect([relativeUrl(), await page.evaluate('document.typed')]).toEqual(['/?search=comma', 'Loading…'])
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
    const { html, headers } = await encodedSite('mailto:jokes@example.com', 1)
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

/** Writes a joke in the open dialog. */
async function write(joke: string): Promise<void> {
  await get('textbox', 'Setup').fill(joke)
  await get('radio', 'Knock, knock').check()
}

function newest(count: number): string[] {
  const oldest = samples.map(({ joke }) => joke)
  return oldest.toReversed().slice(0, count)
}

/** Stops the page's clock. From now on, only the test advances it. */
async function stopTime(): Promise<void> {
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 600_000)
}
