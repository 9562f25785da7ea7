/**
 * `npm run screenshot` draws pictures in a browser. They are the screenshot for the README (`web/screenshot.png`), and the
 * page's icons and card (`web/icon-*.png`, `web/card.png`).
 */
import { readFile } from 'node:fs/promises'
import { type Browser, chromium } from 'playwright-core'
import * as v from 'valibot'
import { configOf, createTable, startDynalite } from '../infra/local/localDatabase.ts'
import { handlersOf, startServer } from '../infra/local/server.ts'
import { Joke } from '../shared/joke.ts'
import { openStore } from '../shared/store/store.ts'
import samples from '../test/sample-jokes.json' with { type: 'json' }
import { findBrowser } from '../test/support/browser.ts'

/** The content of `card.png`, 1,200 by 630 pixels, which other sites show next to a link to the page or to a joke. */
const CARD = `
  <body style="display: flex; gap: 72px; align-items: center; justify-content: center; height: 630px; background: #f7f6f2">
    <img src="ICON" alt="" width="280" height="280">
    <div style="display: grid; gap: 16px; font-size: 44px">
      <h1 style="font-size: 108px">Joke Service</h1>
      <p>Read one, groan, pass it on.</p>
      <p class="bubble punch" style="font-size: 64px; line-height: 1; justify-self: end; padding: 24px 48px">•••</p>
    </div>
  </body>`

const options = await findBrowser()
if (options === undefined) process.exit(1)
const browser = await chromium.launch(options)
await drawIcons(browser)
await photographPage(browser)
await browser.close()
process.exit()

async function drawIcons(browser: Browser): Promise<void> {
  const page = await browser.newPage({ colorScheme: 'light' })
  const icon = `data:image/svg+xml;base64,${(await readFile('web/icon.svg')).toString('base64')}`
  const draw = async (name: string, width: number, height: number, html: string, style = '') => {
    await page.setViewportSize({ width, height })
    await page.setContent(html.replace('ICON', icon))
    await page.addStyleTag({ content: `${style} body { margin: 0 }` })
    await page.screenshot({ path: `web/${name}.png`, omitBackground: true, animations: 'disabled' })
  }
  for (const size of [32, 180, 512])
    await draw(`icon-${size}`, size, size, `<img src="ICON" alt="" width="${size}" height="${size}">`)
  await draw('card', 1_200, 630, CARD, await readFile('web/page.css', 'utf8'))
}

async function photographPage(browser: Browser): Promise<void> {
  const database = await startDynalite()
  const config = configOf(database.endpoint)
  await createTable('Jokes', config)
  const handlers = handlersOf(openStore({ jokesTable: 'Jokes' }, config))
  const server = await startServer(Promise.resolve(handlers), 0, () => {})
  const url = `http://127.0.0.1:${server.port}`
  for (const [index, joke] of samples.entries()) {
    const added = await fetch(`${url}/joke`, { method: 'POST', body: JSON.stringify(joke) })
    const { id } = v.parse(Joke, await added.json())
    // Fixed upvotes give the same picture each time, with jokes from all parts of the file.
    for (let votes = (index * 7) % 31; votes > 0; votes--) await fetch(`${url}/thumbsUp/${id}`, { method: 'POST' })
  }

  const page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, deviceScaleFactor: 1.5 })
  // The joke of the day depends on the date.
  await page.clock.setFixedTime('2026-04-01T12:00:00Z')
  await page.goto(`${url}/?order=best`)
  for (const index of [0, 1]) await page.locator('.tell').nth(index).click()
  await page.screenshot({ path: 'web/screenshot.png', animations: 'disabled' })
}
