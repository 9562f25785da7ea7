/** `bin/jokes export`, `backup` and `restore`: copy jokes into files, and whole ones back. */
import { extname } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import * as v from 'valibot'
import { Joke, JokeId } from '../shared/joke.ts'
import { jokeOf } from '../shared/store/item.ts'
import { putIfAbsent } from '../shared/store/jokes.ts'
import { readTable } from './changes.ts'
import { CannotContinue, define, plural, printable, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { readText, refuse, writeWhole } from './files.ts'
import { readAll } from './find.ts'
import { FORMULA, readLines } from './reader.ts'
import { chooseStore } from './store.ts'

const FORMATS: Record<string, (jokes: Joke[]) => string> = {
  '.json': (jokes) => `[${jokes.map((joke) => `\n  ${JSON.stringify(joke)}`)}\n]\n`,
  '.jsonl': (jokes) => jokes.map((joke) => `${JSON.stringify(joke)}\n`).join(''),
  '.csv': writeCsv,
}

export const exportJokes = define(
  'export',
  'Writes all listed jokes to a file, the oldest first. An existing file is replaced once all jokes are read.',
  'export jokes.csv',
  'export - --stack JokeService | gzip > jokes.jsonl.gz',
)
  .argument('<file>', 'a name that ends in .json, .jsonl or .csv; - writes JSON Lines to standard output')
  .action(async (file, { stack }) => {
    const format = FORMATS[file === '-' ? '.jsonl' : extname(file).toLowerCase()]
    if (!format) throw new CannotContinue(`The name ${file} must end in .json, .jsonl or .csv.`)
    const items = await readAll(await chooseStore(stack), 'listed')
    const jokes = items.flatMap((item) => jokeOf(item) ?? [])
    if (jokes.length < items.length) process.exitCode = 1
    if (file === '-') process.stdout.write(format(jokes))
    else writeWhole(file, format(jokes))
    console.error(`${plural(jokes.length, 'joke')} exported.`)
  })

const WholeItem = v.looseObject({ id: JokeId, jokeState: v.picklist(['listed', 'waiting', 'removed', 'erased']) })

export const backup = define(
  'backup',
  'Writes all jokes to a file for restore, whole and in every state, with votes and dates.',
  'backup jokes.jsonl --stack JokeService',
)
  .argument('<file>', 'a name that ends in .jsonl; only you can read the file, because it holds removed jokes, too')
  .action(async (file, { stack }) => {
    if (extname(file) !== '.jsonl') throw new CannotContinue(`The name ${printable(file)} must end in .jsonl.`)
    const store = await chooseStore(stack)
    const items = await readTable(store, store.jokesTable)
    writeWhole(file, items.map((item) => `${JSON.stringify(item)}\n`).join(''), 0o600)
    console.error(`${plural(items.length, 'joke')} written.`)
  })

export const restore = define(
  'restore',
  'Copies jokes that are missing from the service, out of a backup. All others stay as they are.',
  'restore jokes.jsonl --stack JokeService-dev',
  'restore --from restored-jokes --stack JokeService',
)
  .argument('[file]', 'a file that backup wrote')
  .option('--from <table>', 'a table that AWS restored, which needs no index')
  .addHelpText(
    'after',
    '\nPause writing first, as docs/runbook.md shows. A joke that is added meanwhile keeps its new votes.',
  )
  .addHelpText('after', `Repeat the command until it says "0 restored".${RERUN}`)
  .action(async (file, { from, stack }) => {
    const store = await chooseStore(stack)
    if ((from === undefined) === (file === undefined) || from === store.jokesTable)
      throw new CannotContinue("Name either a file, or a table with --from. It can't be the service's own.")
    const items = from === undefined ? await itemsIn(`${file}`) : await readTable(store, from)
    let restored = 0
    await forEach(items, async (item) => {
      if (await putIfAbsent(store, item)) restored += 1
    })
    console.log(`${plural(items.length, 'joke')} read, ${restored} restored.`)
  })

function writeCsv(jokes: Joke[]): string {
  const string = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
  // Without a byte order mark, spreadsheets read another encoding than UTF-8.
  return stringify(jokes, { columns: Object.keys(Joke.entries), header: true, bom: true, cast: { string } })
}

async function itemsIn(file: string) {
  return readLines(await readText(file)).map(({ place, record }) => {
    if (v.is(WholeItem, record)) return record
    return refuse(file, `has no whole joke in ${place}, so nothing was restored.`)
  })
}
