/** `npm run export -- FILE [--from URL]`: writes all jokes of the service to a file, the oldest first. */
import { createWriteStream, renameSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { addressOf, send } from './send.ts'

const USAGE = `Usage: npm run export -- FILE [--from URL]

FILE         becomes a JSON array where it ends in .json, otherwise JSON Lines
--from URL   the service; http://localhost:3000 where absent`

/** As many as one page may hold. */
const QUERY = '?numberofJokes=250&sortBy=dateAdded&sortOrder=asc'

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string', default: 'http://localhost:3000' } },
  })
  const [file] = positionals
  if (file === undefined || positionals.length > 1) throw new Error(USAGE)
  // Under its own name only when it is whole.
  const part = `${file}.part`
  await pipeline(textOf(addressOf(values.from, `joke${QUERY}`), file.endsWith('.json')), createWriteStream(part))
  renameSync(part, file)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

async function* textOf(first: URL, asArray: boolean) {
  let count = 0
  if (asArray) yield '['
  for await (const joke of jokesFrom(first)) {
    if (asArray) yield count === 0 ? '\n  ' : ',\n  '
    yield JSON.stringify(joke)
    if (!asArray) yield '\n'
    count += 1
  }
  if (asArray) yield '\n]\n'
  console.log(`${count} jokes.`)
}

/** All jokes of a listing, following the `Link` of each page to the next. */
async function* jokesFrom(first: URL): AsyncGenerator<unknown> {
  for (let address: URL | undefined = first; address !== undefined; ) {
    const page = await send(address)
    if (!page.ok) throw new Error(`${address} answers ${page.status}: ${await page.text()}`)
    yield* Object(await page.json())
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
    address = next === undefined ? undefined : new URL(next, page.url)
  }
}
