/** `bin/jokes export`: copies jokes into files. */
import { extname } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { Joke } from '../shared/joke.ts'
import { jokeOf } from '../shared/store/item.ts'
import { CannotContinue, define, plural } from './commandLine.ts'
import { writeWhole } from './files.ts'
import { readAll } from './find.ts'
import { FORMULA } from './reader.ts'
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
    // Damaged jokes are logged.
    const jokes = items.flatMap((item) => jokeOf(item) ?? [])
    if (jokes.length < items.length) process.exitCode = 1
    if (file === '-') process.stdout.write(format(jokes))
    else writeWhole(file, format(jokes))
    console.error(`${plural(jokes.length, 'joke')} exported.`)
  })

function writeCsv(jokes: Joke[]): string {
  const string = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
  // Without a byte order mark, spreadsheets read another encoding than UTF-8.
  return stringify(jokes, { columns: Object.keys(Joke.entries), header: true, bom: true, cast: { string } })
}
