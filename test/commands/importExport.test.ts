/** `bin/jokes import` and `bin/jokes export`. */
import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { act } from '../../tools/changes.ts'
import { emptyTable, itemsOf, put, putJokes, toItem } from '../support/access.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { environmentOf, operate, resultOf, run, temporaryFolder } from '../support/process.ts'
import { createStore, startService } from '../support/service.ts'

const folder = temporaryFolder(afterAll)
const service = await startService()
const { store } = service
beforeEach(() => emptyTable(store))
afterAll(service.stop)

const importFile = (file: string, ...options: string[]) => operate(store, 'import', file, ...options)

/** Runs a printed command. */
function type(line = '') {
  const [command = '', ...words] = line.split(' ')
  return operate(store, command, ...words)
}

function write(name: string, content: string): string {
  fs.writeFileSync(join(folder, name), content)
  return join(folder, name)
}

it('import adds each joke once, as listed or waiting, and leaves those that wait or were removed', async () => {
  await putJokes(store, [numberedJoke(0), numberedJoke(1)])
  await act(store, numberedJoke(1).id, 'remove')
  await put(store, toItem(store, numberedJoke(2), 'waiting'))
  const importTo = async (count: number, ...options: string[]) =>
    (await importFile(write('all.json', JSON.stringify(numberedJokes(count))), ...options)).stdout
  expect(await importTo(5, '--waiting')).toBe('2 added as waiting, 3 already known.\n')
  expect(await importTo(6)).toBe('1 added, 5 already known.\n')
  await expect.poll(() => service.jokes()).toHaveLength(2)
})

it.each(['', '--waiting'])('import prints the commands that undo it %s', async (waiting) => {
  const options = ['--category', 'School', ...(waiting ? [waiting] : [])]
  const file = write('undo.json', '["One", "Two"]')
  const { stderr } = await importFile(file, ...options)
  const [, find, remove = ''] =
    /^To undo this import: bin\/jokes (.+) > added\.txt && bin\/jokes (.+)$/m.exec(stderr) ?? []
  await type(remove.replace('added.txt', write('added.txt', (await type(find)).stdout)))
  expect((await itemsOf(store)).map(({ jokeState }) => jokeState)).toEqual(['removed', 'removed'])
  expect((await importFile(file, ...options)).stderr).not.toContain('undo')
})

const MIXED = ['Witz;kind;n\u001b', 'Good,\u202E;old;1', 'Bad<br>good;old;2', 'A;Pun;3', 'B;Kids;4', 'C;Pun;5', 'D;old']
it('import tells what it did, and keeps rejected jokes whole for the printed command', async () => {
  const file = write('mixed.csv', MIXED.join('\n'))
  const options = ['--map', 'Witz=joke', '--map', 'kind=category', '--category', 'old=School']
  expect((await importFile(file, ...options, '--dry-run')).stdout).toBe('1 valid, 5 rejected. Nothing was added.\n')
  const { code, stdout, stderr } = await importFile(file, ...options)
  const notes = [
    'Fields left out: n\\u001b.',
    ...['First joke: Good,\\u202e', 'First punchline: ', 'First category: School'],
    ...['Rejected: row 3: joke has HTML.', 'Rejected: row 7: It has 2 cells, not 3.'],
    'Unknown categories: Pun (2), Kids (1). Add --category Pun=Classic, or --category Classic for all others.',
  ]
  expect(stderr).toContain(`${notes.join('\n')}\n`)
  const printed = /^1 added.+\n5 jokes rejected\.\nCorrect them .+\nbin\/jokes (import (\S+) .+)\n$/
  expect([code, stdout]).toEqual([1, expect.stringMatching(printed)])
  const [, again, rejects = ''] = printed.exec(stdout) ?? []
  const written = fs.readFileSync(rejects, 'utf8')
  expect(written).toContain('# row 3: joke has HTML.\n{"Witz":"Bad<br>good","kind":"old","n\\u001b":"2"}\n')
  fs.writeFileSync(rejects, written.replace('<br>', ' ').replaceAll(/Pun|Kids/g, 'Classic'))
  expect((await type(again)).stdout).toMatch(/^4 added, 0 already known\.\n1 joke rejected\./)
  fs.writeFileSync(rejects, written.replace(/\["D".+\]/, '{"Witz":"D","kind":"old"}'))
  expect((await type(again)).stdout).toMatch(/^1 added, 0 already known\.\n4 jokes rejected\./)
})

it('import prints rejected jokes if no file can stand beside theirs', async () => {
  const rows = 'joke,category\nA,School\nA<br>\u202E,School'
  const command = `exec bash -c '"$0" tools/main.ts import <(printf "${rows}")' "$0"`
  const [code, stdout] = await resultOf(run(environmentOf(store), [], command))
  const lines = '1 joke rejected.\n# row 3: joke has HTML.\n{"joke":"A<br>\\u202e","category":"School"}\n'
  expect([code, stdout]).toEqual([1, expect.stringContaining(lines)])
})

it('import says in a sentence that a file never ends, is a folder, not in UTF-8, or too deep', async () => {
  const latin = write('latin.csv', '')
  fs.writeFileSync(latin, 'joke\nCaf\xE9', 'latin1')
  const deep = write('deep.json', `[{"joke":"A","category":"School","n":${'['.repeat(99_999)}${']'.repeat(99_999)}}]`)
  const faultOf = async (file: string) => (await importFile(file)).stderr
  expect(await faultOf('/dev/zero')).toBe('There are more than 256 MB to read.\n')
  expect(await faultOf(folder)).toContain('illegal operation on a directory')
  expect(await faultOf(latin)).toContain("isn't in UTF-8. docs/import.md shows how to convert it.")
  expect(await faultOf(deep)).toContain('nested too deeply')
})

const DOCUMENT = fs.readFileSync('docs/import.md', 'utf8')
const BLOCKS = Array.from(DOCUMENT.matchAll(/```sh\n(.+?)\n```/gs), ([, block]) => `${block}`)
const RECIPES = BLOCKS.flatMap((block) => block.split('\n\n'))
/** Runs the recipe for a file, and imports the result. Returns the jokes as texts. */
async function convert(file: string, content: string, encoding = 'windows-1252'): Promise<string[]> {
  const cwd = temporaryFolder()
  fs.writeFileSync(join(cwd, file), content, 'latin1')
  const recipe = RECIPES.find((each) => each.includes(` ${file}`))?.replace('windows-1252', encoding)
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  execFileSync('bash', ['-c', `${recipe}`], { cwd, env })
  const [output = ''] = /\S+$/.exec(`${recipe}`) ?? []
  expect(await importFile(join(cwd, output), '--category', 'Classic')).toMatchObject({ code: 0 })
  return textsOf(await itemsOf(store)).map((texts) => texts.join('/'))
}

const QA = 'What is it?/A lamp.'
const FILES: [file: string, content: string, ...jokes: string[]][] = [
  ['bare.csv', 'What is it?,A lamp.\n', QA],
  ['lines.txt', 'A b.\r\n\r\n"C" d.\n', '"C" d./', 'A b./'],
  ['tabs.txt', 'What is it?\tA lamp.\ttag\r\n', QA],
  ['qa.txt', 'Q: What is it?\r\nA: A lamp.\r\n\r\nQ:B\nA:C\nD', 'B/C\nD', QA],
  ['lines.txt', 'A\nb.\n%\nC d.\n%\n', 'A\nb./', 'C d./'],
  ['lists.json', '{"lamps":["A b."],"roofs":[{"setup":"What is it?","delivery":"A lamp."}]}', 'A b./', QA],
  ['several.json', '[{"id":1,"joke":["A","b."]}]', 'A\nb./'],
]
it.each(FILES)('a recipe of import.md converts %s with %j', async (file, content, ...jokes) => {
  expect(await convert(file, content)).toEqual(jokes)
})

it.each([
  ['windows-1252', '\xE9', 'é'],
  ['macintosh', '\x8E', 'é'],
  ['windows-1251', '\xE9', 'й'],
  ['gbk', '\xB2\xE8', '茶'],
  ['utf-16le', '\xFF\xFEj\0o\0k\0e\0\n\0\x36\x83', '茶'],
])('a recipe of import.md converts the encoding %s', async (encoding, bytes, joke) => {
  const content = bytes.includes('k\0') ? bytes : `joke\n${bytes}\n`
  expect(await convert('old.csv', content, encoding)).toEqual([`${joke}/`])
  expect(DOCUMENT).toContain(`\`${encoding}\``)
})

it('the recipes of import.md are those above', () => {
  const inputs = RECIPES.flatMap((recipe) => /(?:<|cat) ([\w.-]+)/.exec(recipe)?.[1] ?? [])
  expect(inputs.sort()).toEqual([...new Set([...FILES.map(([file]) => file), 'old.csv'])].sort())
})

const textsOf = (items: object[]) => items.map((item) => [Object(item).joke, Object(item).punchline ?? '']).sort()

it('export writes all listed jokes of two pages of DynamoDB, the oldest first, and names damaged ones', async () => {
  const many = numberedJokes(900).map((joke) => ({ ...joke, punchline: 'x'.repeat(1_000) }))
  await putJokes(store, many)
  await act(store, numberedJoke(7).id, 'remove')
  await put(store, { ...toItem(store, numberedJoke(8)), thumbsUp: 'many' })
  const expected = many.toSpliced(7, 2)
  const file = join(folder, 'out.json')
  const stderr = expect.stringContaining(`skippedItem: '${numberedJoke(8).id}'`)
  expect(await operate(store, 'export', file)).toMatchObject({ code: 1, stdout: '', stderr })
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(expected)
  const [, output] = await resultOf(run(environmentOf(store), ['tools/main.ts', 'export', '-']))
  expect(output.split('\n').map((line) => line && JSON.parse(line))).toEqual([...expected, ''])
})

it.each(['csv', 'jsonl', 'JSON'])('export writes a .%s file that an import reads back', async (ending) => {
  const texts = ['=1+1', '+A, "B"', "'=1", ' @\u00A0\nC;\r\nD', 'sep=;', '# "', 'a\rb', '\uFEFF\t\r-é🐔', '%', '["x']
  const textOf = (joke: string, index: number) => ({ joke: `${joke} ${index}`, punchline: index > 2 ? joke : '' })
  const added = await service.add(...texts.map((joke, index) => ({ ...textOf(joke, index), category: 'School' })))
  const file = join(folder, `back.${ending}`)
  await operate(store, 'export', file)
  expect((await importFile(file)).stdout).toBe('0 added, 10 already known.\n')
  const other = await createStore()
  expect((await operate(other, 'import', file)).stdout).toBe('10 added, 0 already known.\n')
  expect(textsOf(await itemsOf(other))).toEqual(textsOf(added))
  // Spreadsheets need the byte order mark to read UTF-8, and would calculate a text without the mark.
  if (ending === 'csv')
    expect(fs.readFileSync(file, 'utf8')).toMatch(/^\uFEFFid,joke,punchline,category,.+\n[^,]+,'=1\+1 0,,/)
})

it('a command whose output cannot be written fails, and leaves an earlier file as it is', async () => {
  await putJokes(store, numberedJokes(9))
  const here = temporaryFolder()
  fs.writeFileSync(join(here, 'kept.json'), 'kept')
  // Each file may have half a kilobyte.
  const limit = `trap '' XFSZ && ulimit -f 1 && exec > ${join(folder, 'found')}`
  for (const args of [['export', join(here, 'kept.json')], ['find']]) {
    const message = expect.stringContaining('EFBIG: file too large, write')
    expect(await resultOf(run(environmentOf(store), ['tools/main.ts', ...args], limit))).toEqual([1, '', message])
  }
  expect([fs.readdirSync(here), fs.readFileSync(join(here, 'kept.json'), 'utf8')]).toEqual([['kept.json'], 'kept'])
})
