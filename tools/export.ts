/** `bin/jokes export`: writes all listed jokes to a file. */
import { extname } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { Joke, type StoredJoke } from '../shared/joke.ts'
import { jokeOf } from '../shared/store/item.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { WrongUsage } from './commandLine.ts'
import { readAll } from './find.ts'
import { marked } from './formulas.ts'
import { plural } from './plural.ts'
import { writeWhole } from './writeWhole.ts'

/** Functions that make a file's text, by the ending of its name. */
const FORMATS: Record<string, (jokes: StoredJoke[]) => string> = {
  '.json': (jokes) => `[${jokes.map((joke) => `\n  ${JSON.stringify(joke)}`)}\n]\n`,
  '.jsonl': linesOf,
  // Without a byte order mark, spreadsheets read another encoding than UTF-8.
  '.csv': (jokes) =>
    stringify(jokes, { columns: Object.keys(Joke.entries), header: true, bom: true, cast: { string: marked } }),
}
const ENDINGS = Object.keys(FORMATS).join(', ')

export const exportJokes = defineForStore(
  'export',
  'Writes all listed jokes to a file, the oldest first. An existing file is replaced once all jokes are read.',
  ['export jokes.json', 'export - --stack JokeService | gzip > jokes.jsonl.gz'],
)
  .argument('<file>', `a name that ends in ${ENDINGS}; - writes JSON Lines to standard output`)
  .action(async (file, chosen) => {
    const format = file === '-' ? linesOf : FORMATS[extname(file).toLowerCase()]
    if (!format) throw new WrongUsage(`The name of the file must end in one of ${ENDINGS}.`)
    const store = await chooseStore(chosen)
    const jokes: StoredJoke[] = []
    for (const item of await readAll(store, 'listed')) {
      const joke = jokeOf(item)
      if (joke) jokes.push(joke)
      else {
        console.error(`${item.id}  left out, because it is damaged`)
        process.exitCode = 1
      }
    }
    if (file === '-') process.stdout.write(format(jokes))
    else writeWhole(file, format(jokes))
    console.error(`${plural(jokes.length, 'joke')}.`)
  })

function linesOf(jokes: StoredJoke[]): string {
  return jokes.map((joke) => `${JSON.stringify(joke)}\n`).join('')
}
