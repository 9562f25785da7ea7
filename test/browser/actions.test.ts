/** What users do with jokes in a browser: upvote, share and add them. */
import { expect, it } from 'vitest'
import { MAX_TEXT_LENGTH } from '../../shared/clientLimits.ts'
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
  startSamples,
  visit,
} from '../support/window.ts'

const BUSY = { status: 429, json: { message: 'Too Many Requests' } }
const NOT_COUNTED = "Your upvote wasn't counted. Try again in a moment."
const UNSURE = "We can't tell whether your joke was added. Try again: it won't be added twice."
const APPROVAL = "Thank you! Your joke will appear here once it's approved."

await startSamples()

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
    const [first, second] = await setups()
    await page.locator('.jokes .upvote').first().click()
    await says('This joke is no longer here.', '61 jokes')
    expect([first, (await setups())[0]]).toEqual([first, second])
  })

  it('a joke can be upvoted once if the storage is denied', async () => {
    const denied = '{ get: () => { throw new DOMException() } }'
    for (const name of ['localStorage', 'sessionStorage'])
      await page.addInitScript({ content: `Object.defineProperty(window, '${name}', ${denied})` })
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
  ] as const)('after an uncertain outcome the page sends a joke again, which %s', async (_, code, sentence) => {
    const id = await idOf('zebra')
    await open()
    await write(`Certain? ${code}`)
    const again = code && problem(409, code, code === 'duplicate' ? { id } : {})
    if (again) await page.route('**/joke', (route) => route.fulfill(again))
    await page.route('**/joke', (route) => route.fulfill(problem(503, 'unknown-outcome')), { times: 1 })
    await click('Add it', sentence)
  })

  it('the page says that an added joke waits for approval', async () => {
    await open()
    await write('Patience is a virtue')
    await page.route('**/joke?id=*', (route) => route.fulfill({ json: [] }))
    await click('Add it', APPROVAL)
    expect([await page.getByRole('dialog').count(), relativeUrl()]).toEqual([0, '/?categories=KnockKnock'])
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

  it('a joke is not shown when the user closes the dialog meanwhile', async () => {
    await open()
    await write('Cancelled')
    const held = await hold('**/joke')
    const asked = page.waitForRequest(/\/joke$/)
    await click('Add it')
    await asked
    const ended = page.waitForEvent('requestfailed')
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

/** Opens the dialog over a list that no test counts. */
async function open(): Promise<void> {
  await visit('/?categories=KnockKnock')
  await click('Add a joke')
}

async function write(joke: string): Promise<void> {
  await get('textbox', 'Setup').fill(joke)
  await get('radio', 'Knock, knock').check()
}
