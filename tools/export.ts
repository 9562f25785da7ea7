/** `npm run export -- FILE [URL]`: writes all jokes of the service to a file, the oldest first. */
import { randomUUID } from 'node:crypto'
import { lstatSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { MAX_COUNT } from '../shared/clientLimits.ts'
import { Joke } from '../shared/joke.ts'
import { plural } from '../shared/plural.ts'
import { abortOnSignals, Progress, runCommand, WrongUsage } from './commandLine.ts'
import { LOCAL_URL, Target } from './send.ts'

const USAGE = `Usage: npm run export -- FILE [URL]

Writes all jokes of a service to a file, the oldest first. An existing file is replaced only after all jokes are
written.

FILE   a name that ends in .json becomes a JSON array, .jsonl or .ndjson JSON Lines, and .csv CSV; - writes JSON Lines
       to standard output: npm run --silent export -- -
URL    the service; default: ${LOCAL_URL}. --from URL does the same
       Write "$URL" with its quotation marks, so that an unset variable is refused`

/** How jokes are written, by the ending of the file. */
const FORMATS: Record<string, (jokes: AsyncIterable<unknown>) => AsyncIterable<string>> = {
  '.json': toArray,
  '.jsonl': toLines,
  '.ndjson': toLines,
  '.csv': toCsv,
}

await runCommand(USAGE, { from: { type: 'string' } }, async ({ values, positionals }) => {
  const [file, url = values.from ?? LOCAL_URL, ...others] = positionals
  if (file === undefined || others.length > 0 || (values.from !== undefined && values.from !== url))
    throw new WrongUsage('Name one file, or - for standard output, and at most one address.')
  const format = file === '-' ? toLines : FORMATS[extname(file).toLowerCase()]
  if (!format) throw new WrongUsage(`The name of the file must end in one of ${Object.keys(FORMATS).join(', ')}.`)
  const stop = new AbortController()
  const progress = new Progress()
  const target = new Target(url, progress.log, stop.signal)
  progress.log(`Exporting the jokes of ${target.url} to ${file}.`)

  abortOnSignals(stop)
  const jokes = jokesOf(target, progress)
  // A bar would mix with jokes printed to the terminal.
  if (file !== '-' || !process.stdout.isTTY) progress.start('Jokes: {value}')
  try {
    await write(file, format(jokes), stop.signal)
  } catch (error) {
    // The reader of standard output, such as `head`, has closed it.
    const isClosed = error instanceof Error && 'code' in error && error.code === 'EPIPE'
    if (!isClosed) throw stop.signal.aborted ? stop.signal.reason : error
  } finally {
    progress.stop()
  }
})

/** All jokes of a service, page by page. */
async function* jokesOf(target: Target, progress: Progress): AsyncGenerator<unknown> {
  let written = 0
  let address: string | URL | undefined = `joke?numberofJokes=${MAX_COUNT}&sortBy=dateAdded&sortOrder=asc`
  while (address !== undefined) {
    const { jokes, next }: Awaited<ReturnType<Target['getPage']>> = await target.getPage(address)
    for (const joke of jokes) {
      yield joke
      written += 1
      progress.increment()
    }
    address = next
  }
  progress.log(`${plural(written, 'joke')}.`)
}

async function* toLines(jokes: AsyncIterable<unknown>) {
  for await (const joke of jokes) yield `${JSON.stringify(joke)}\n`
}

async function* toArray(jokes: AsyncIterable<unknown>) {
  let isFirst = true
  for await (const joke of jokes) {
    yield `${isFirst ? '[' : ','}\n  ${JSON.stringify(joke)}`
    isFirst = false
  }
  yield isFirst ? '[]\n' : '\n]\n'
}

/** As spreadsheets read it: they take a file without the mark for another encoding. */
async function* toCsv(jokes: AsyncIterable<unknown>) {
  const columns = Object.keys(Joke.entries)
  yield stringify([], { columns, header: true, bom: true })
  for await (const joke of jokes) yield stringify([joke], { columns })
}

async function write(file: string, text: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  if (file === '-') return pipeline(text, process.stdout, { signal, end: false })
  const stats = lstatSync(file, { throwIfNoEntry: false })
  const destination = stats?.isSymbolicLink() ? realpathSync(file) : file
  // A pipe or device must stay one, so it is not replaced.
  if (stats && !lstatSync(destination).isFile())
    return pipeline(text, (await open(destination, 'w')).createWriteStream(), { signal })

  const part = `${destination}.${randomUUID()}.part`
  try {
    const output = await open(part, 'wx')
    await pipeline(text, output.createWriteStream(), { signal })
    renameSync(part, destination)
  } catch (error) {
    // Nobody knows the other file.
    if (error instanceof Error && 'path' in error) error.path = destination
    throw error
  } finally {
    rmSync(part, { force: true })
  }
}
