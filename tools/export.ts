/** `npm run export -- FILE [--from URL]`: writes all jokes of the service to a file, the oldest first. */
import { randomUUID } from 'node:crypto'
import { lstatSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { CannotContinue, Progress, runCommand } from './commandLine.ts'
import { Target } from './send.ts'

const USAGE = `Usage: npm run export -- FILE [--from URL]

Writes all jokes of a service to a file, the oldest first. A file that is there already is replaced once all
jokes are written, and otherwise left as it is.

FILE         becomes a JSON array where it ends in .json, otherwise JSON Lines; - writes JSON Lines to standard
             output: npm run --silent export -- -
--from URL   the service; http://localhost:3000 where absent`

/** As many as one page may hold. */
const FIRST_PAGE = 'joke?numberofJokes=250&sortBy=dateAdded&sortOrder=asc'

await runCommand(
  USAGE,
  { from: { type: 'string', default: 'http://localhost:3000' } },
  async ({ values, positionals }) => {
    const [file] = positionals
    if (file === undefined || positionals.length > 1)
      throw new CannotContinue('Name one file, or - for standard output. See --help.')
    const stop = new AbortController()
    const progress = new Progress()
    const target = new Target(values.from, progress.say, stop.signal)
    progress.say(`Exporting the jokes of ${target.url} to ${file}.`)

    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => stop.abort(new CannotContinue('Stopped before the end.')))
    const jokes = jokesOf(target, progress)
    // A bar would write into what is shown.
    if (file !== '-' || !process.stdout.isTTY) progress.start('{value} jokes')
    try {
      await write(file, file.endsWith('.json') ? toArray(jokes) : toLines(jokes), stop.signal)
    } catch (error) {
      // Whoever reads standard output has seen enough, as `head` has.
      const isClosed = error instanceof Error && 'code' in error && error.code === 'EPIPE'
      if (!isClosed) throw stop.signal.aborted ? stop.signal.reason : error
    } finally {
      progress.stop()
    }
  },
)

/** All jokes of a service, following the `Link` of each page to the next. */
async function* jokesOf(target: Target, progress: Progress): AsyncGenerator<unknown> {
  let count = 0
  for (let address: string | URL | undefined = FIRST_PAGE; address !== undefined; ) {
    const page: Response = await target.send(address)
    const jokes: unknown = await page.json().catch(() => undefined)
    if (!page.ok || !Array.isArray(jokes)) throw target.unexpected(page, Object(jokes).detail)
    for (const joke of jokes) {
      yield joke
      count += 1
      progress.increment()
    }
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
    address = next === undefined ? undefined : new URL(next, page.url)
  }
  progress.say(`${count} jokes.`)
}

async function* toLines(jokes: AsyncIterable<unknown>) {
  for await (const joke of jokes) yield `${JSON.stringify(joke)}\n`
}

async function* toArray(jokes: AsyncIterable<unknown>) {
  let before = '[\n  '
  for await (const joke of jokes) {
    yield before + JSON.stringify(joke)
    before = ',\n  '
  }
  yield before.startsWith('[') ? '[]\n' : '\n]\n'
}

async function write(file: string, text: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  if (file === '-') return pipeline(text, process.stdout, { signal, end: false })
  const stats = lstatSync(file, { throwIfNoEntry: false })
  const target = stats?.isSymbolicLink() ? realpathSync(file) : file
  // What is not a regular file, such as a pipe, is written to and stays what it is.
  if (stats && !lstatSync(target).isFile())
    return pipeline(text, (await open(target, 'w')).createWriteStream(), { signal })

  const part = `${target}.${randomUUID()}.part`
  const output = await open(part, 'wx')
  try {
    await pipeline(text, output.createWriteStream(), { signal })
    renameSync(part, target)
  } finally {
    rmSync(part, { force: true })
  }
}
