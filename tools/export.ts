/** `bin/jokes export`: writes all jokes of a service to a file. */
import { randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { MAX_COUNT } from '../shared/clientLimits.ts'
import { Joke } from '../shared/joke.ts'
import { abortOnSignals, define, Progress, WrongUsage } from './commandLine.ts'
import { plural } from './plural.ts'
import { localUrl, Target, URL_HELP } from './send.ts'

type Format = (jokes: AsyncIterable<unknown>) => AsyncIterable<string>

/** Generators of a file's text, by the ending of its name. */
const FORMATS: Record<string, Format> = { '.json': jsonOf, '.jsonl': linesOf, '.csv': csvOf }

export const exportJokes = define(
  'export',
  'Writes all jokes of a service to a file, the oldest first. An existing file is replaced only after all jokes are written.',
  ['export jokes.json', 'export - "$URL" | gzip > jokes.jsonl.gz'],
)
  .argument('<file>', `a name that ends in ${Object.keys(FORMATS).join(', ')}; - writes JSON Lines to standard output`)
  .argument('[url]', URL_HELP)
  .action(async (file, url = localUrl()) => {
    const format = file === '-' ? linesOf : FORMATS[extname(file).toLowerCase()]
    if (!format) throw new WrongUsage(`The name of the file must end in one of ${Object.keys(FORMATS).join(', ')}.`)
    const stop = new AbortController()
    const ignoreSignals = abortOnSignals(stop)
    const target = new Target(url, stop.signal)
    console.error(`Exporting the jokes of ${target.url} to ${file === '-' ? 'standard output' : file}.`)
    try {
      await write(file, format(jokesOf(target)), stop.signal)
    } catch (error) {
      // A reader such as `head` has closed standard output, which is no error.
      const isClosed = error instanceof Error && 'code' in error && error.code === 'EPIPE'
      if (!isClosed) throw stop.signal.aborted ? stop.signal.reason : error
    } finally {
      ignoreSignals()
    }
  })

async function* jokesOf(target: Target): AsyncGenerator<unknown> {
  const progress = new Progress()
  progress.start(0)
  let written = 0
  let address: string | URL | undefined = `joke?numberofJokes=${MAX_COUNT}&sortBy=dateAdded&sortOrder=asc`
  try {
    while (address !== undefined) {
      const { jokes, next }: Awaited<ReturnType<Target['getPage']>> = await target.getPage(address)
      yield* jokes
      written += jokes.length
      progress.increment(jokes.length)
      address = next
    }
  } finally {
    progress.stop()
  }
  console.error(`${plural(written, 'joke')}.`)
}

async function* jsonOf(jokes: AsyncIterable<unknown>) {
  yield '['
  let separator = '\n'
  for await (const joke of jokes) {
    yield `${separator}  ${JSON.stringify(joke)}`
    separator = ',\n'
  }
  yield '\n]\n'
}

async function* linesOf(jokes: AsyncIterable<unknown>) {
  for await (const joke of jokes) yield `${JSON.stringify(joke)}\n`
}

async function* csvOf(jokes: AsyncIterable<unknown>) {
  const columns = Object.keys(Joke.entries)
  // Without a byte order mark, spreadsheets read another encoding than UTF-8.
  yield stringify([], { columns, header: true, bom: true })
  for await (const joke of jokes) yield stringify([joke], { columns })
}

async function write(file: string, text: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
  if (file === '-') return pipeline(text, process.stdout, { signal, end: false })
  const part = `${file}.${randomUUID()}.part`
  try {
    // A file that cannot be written is reported before the first request.
    const handle = await open(part, 'wx')
    await pipeline(text, handle.createWriteStream(), { signal })
    renameSync(part, file)
  } catch (error) {
    // The user knows only the file.
    if (error instanceof Error && 'path' in error) error.path = file
    throw error
  } finally {
    rmSync(part, { force: true })
  }
}
