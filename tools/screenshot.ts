/** `npm run screenshot`: takes the picture of the page that the README shows, `web/screenshot.png`. */
import { createTables, LOCAL_ENVIRONMENT, startDynalite } from '../infra/local/database.ts'
import { loadHandlers, startServer } from '../infra/local/server.ts'
import samples from '../test/sample-jokes.json' with { type: 'json' }
import { startBrowser } from './browser.ts'

const database = await startDynalite(undefined, (reason) => {
  throw reason
})
Object.assign(process.env, LOCAL_ENVIRONMENT, { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint })
await createTables()
const server = await startServer(loadHandlers(), 0, () => {})
const url = `http://localhost:${server.port}`

for (const [index, joke] of samples.entries()) {
  const added = await fetch(`${url}/joke`, { method: 'POST', body: JSON.stringify(joke) })
  const { id } = Object(await added.json())
  // The same picture every time: some jokes of every kind, from all over the file, are liked most.
  for (let votes = (index * 7) % 31; votes > 0; votes--) await fetch(`${url}/thumbsUp/${id}`, { method: 'POST' })
}

const browser = await startBrowser()
const page = await browser?.newPage({ viewport: { width: 1_280, height: 800 }, deviceScaleFactor: 1.5 })
await page?.goto(`${url}/?order=best`)
for (const index of [0, 2]) await page?.locator('.tell').nth(index).click()
await page?.screenshot({ path: 'web/screenshot.png', animations: 'disabled' })
await browser?.close()
await server.stop()
await database.stop()
process.exit(browser === undefined ? 1 : 0)
