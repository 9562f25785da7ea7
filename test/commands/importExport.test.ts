/** `bin/jokes import` and `bin/jokes export`. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { act } from '../../tools/changes.ts'
import { emptyTable, itemsOf, put, putJokes, toItem } from '../support/access.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { environmentOf, operate, resultOf, run, temporaryFolder } from '../support/process.ts'
import { createStore, idsOf, startService } from '../support/service.ts'

const folder = temporaryFolder(afterAll)
const service = await startService()
const { store } = service
beforeEach(() => {
  store.approval = false
  return emptyTable(store)
})
afterAll(service.stop)

describe('bin/jokes import', () => {
  it('adds each joke once, as listed or waiting, and leaves those that wait or were removed', async () => {
    await putJokes(store, [numberedJoke(0), numberedJoke(1)])
    await act(store, numberedJoke(1).id, 'remove')
    await put(store, toItem(store, numberedJoke(2), 'waiting'))
    const importTo = async (count: number, ...options: string[]) =>
      (await importFile(write('all.json', JSON.stringify(numberedJokes(count))), ...options)).stdout
    expect(await importTo(5, '--waiting')).toBe(counts(2, 3).replace('added', 'added as waiting'))
    // The setting of the service does not count.
    store.approval = true
    expect(await importTo(6)).toBe(counts(1, 5))
    await expect.poll(() => service.jokes().then(idsOf)).toHaveLength(2)
  })

  it.each(['', '--waiting'])('prints the commands that undo it %s', async (waiting) => {
    await service.addTexts('Another')
    const options = ['--category', 'School', ...(waiting ? [waiting] : [])]
    const { stderr } = await importFile(write('undo.json', '["One", "Two"]'), ...options)
    const [, find = '', remove = ''] =
      /^To undo this import: bin\/jokes (.+) > added\.txt && bin\/jokes (.+)$/m.exec(stderr) ?? []
    const type = (line: string) => {
      const [command = '', ...words] = line.split(' ')
      return operate(store, command, ...words)
    }
    const { stdout } = await type(find)
    expect(stdout).toMatch(/^.+\n.+\n$/)
    const { code } = await type(remove.replace('added.txt', write('added.txt', stdout)))
    expect([code, await service.jokes()]).toEqual([0, [expect.objectContaining({ joke: 'Another' })]])
  })

  it('shows the first joke, what it leaves out, and what counts as absent', async () => {
    const file = write('rows.csv', 'Body;type;stars\u001b[2J;answer\n"Mapped\u202E,\n\njoke";old;5;NULL\n')
    expect(await importFile(file)).toMatchObject({ code: 1, stdout: '' })
    const options = ['--map', 'Body=joke', '--map', 'type=category', '--category', 'old=School']
    const { stdout, stderr } = await importFile(file, ...options)
    expect(stdout).toBe(counts(1, 0))
    const notes = 'Fields left out: stars\\u001b[2J.\nPunchlines that are NULL or \\N count as absent: 1.\n'
    expect(stderr).toContain(`${notes}First joke: Mapped\\u202e, joke\nFirst punchline: \nFirst category: School\n`)
    expect(await service.jokes({ category: 'School' })).toMatchObject([{ joke: 'Mapped\u202E,\n\njoke' }])
  })

  it('keeps rejected jokes in a new file, from which the printed command imports them', async () => {
    const long = 'x'.repeat(1_001)
    const file = write('mixed.csv', ['Witz;kind', 'Good;old', `${long};old`, 'One;two;three'].join('\n'))
    const options = ['--map', 'Witz=joke', '--map', 'kind=category', '--category', 'old=School', '--waiting']
    const { code, stdout } = await importFile(file, ...options)
    const printed =
      /^1 joke added .+\n2 jokes rejected.+\nbin\/jokes import (\S+mixed\.csv\.rejected-\d+\.jsonl) --waiting\n$/
    expect([code, stdout]).toEqual([1, expect.stringMatching(printed)])
    const [, rejects = ''] = printed.exec(stdout) ?? []
    const written = fs.readFileSync(rejects, 'utf8')
    expect(written.split('\n')).toEqual([
      '# row 3: joke must be at most 1000 characters long.',
      `{"joke":"${long}","category":"School"}`,
      '# row 4: It has 3 cells instead of 2.',
      '["One","two","three"]',
      '',
    ])
    fs.writeFileSync(rejects, written.replace(long, 'Mended'))
    expect((await importFile(rejects)).stdout).toMatch(/^1 joke added, .+\n1 joke rejected\./)
  })

  it('only reads the file in a dry run, even from standard input', async () => {
    const file = write('dry.csv', `joke,category\nDry,School\nNowhere,Rome\n,School\n`)
    const args = ['tools/main.ts', 'import', '-', '--dry-run']
    const [code, stdout, stderr] = await resultOf(run({}, args, `exec <${file}`))
    expect([code, stdout]).toEqual([1, '1 valid joke, 2 rejected. Nothing was added.\n'])
    expect(stderr).toMatch(/^First joke: Dry\n.+Rejected: row 3: category must be one .+ row 4: joke is required\.\n$/s)
  })
})

describe('bin/jokes export', () => {
  it('writes all listed jokes of two pages of DynamoDB, the oldest first', async () => {
    const many = numberedJokes(900).map((joke) => ({ ...joke, punchline: 'x'.repeat(1_000) }))
    await putJokes(store, many)
    await act(store, numberedJoke(7).id, 'remove')
    const expected = many.toSpliced(7, 1)
    const file = join(folder, 'out.json')
    expect(await exportTo(file)).toMatchObject({ code: 0, stdout: '' })
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(expected)
    const [exitCode, output] = await resultOf(run(environmentOf(store), ['tools/main.ts', 'export', '-']))
    const lines = output.trim().split('\n')
    expect([exitCode, lines.map((line) => JSON.parse(line))]).toEqual([0, expected])
  })

  it('names damaged jokes, which it leaves out', async () => {
    await putJokes(store, [numberedJoke(0)])
    await put(store, { ...toItem(store, numberedJoke(1)), thumbsUp: 'many' })
    const file = join(folder, 'damaged.jsonl')
    const stderr = expect.stringContaining(`skippedItem: '${numberedJoke(1).id}'`)
    expect(await exportTo(file)).toMatchObject({ code: 1, stderr })
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(numberedJoke(0))
  })

  it.each(['csv', 'jsonl', 'JSON'])('writes a .%s file from which an import gives the same jokes', async (ending) => {
    const texts = ['=1+1', '+A, "B"', "'=1", ' @\u00A0\nC;\r\nD', 'sep=;', '# "', 'a\rb', '\uFEFF\t\r-é🐔', '%', '["x']
    const category = 'School'
    const jokes = texts.map((joke, index) => ({ joke: `${joke} ${index}`, punchline: index > 2 ? joke : '', category }))
    const added = await service.add(...jokes)
    const file = join(folder, `back.${ending}`)
    await exportTo(file)
    expect((await importFile(file)).stdout).toBe(counts(0, 10))
    const other = await createStore()
    expect((await operate(other, 'import', file)).stdout).toBe(counts(10, 0))
    const textsOf = (items: object[]) => items.map((item) => [Object(item).joke, Object(item).punchline ?? '']).sort()
    expect(textsOf(await itemsOf(other))).toEqual(textsOf(added))
    // Spreadsheets need the byte order mark to read UTF-8, and would calculate a text without the mark.
    if (ending === 'csv')
      expect(fs.readFileSync(file, 'utf8')).toMatch(/^\uFEFFid,joke,punchline,category,.+\n[^,]+,'=1\+1 0,,/)
  })

  it('leaves the folder unchanged if it fails', async () => {
    await putJokes(store, numberedJokes(9))
    const here = join(folder, 'kept')
    fs.mkdirSync(here)
    const file = join(here, 'kept.json')
    fs.writeFileSync(file, 'kept')
    const command = ['tools/main.ts', 'export', file]
    const message = expect.stringMatching(/The system refused: EFBIG: file too large, write\.\n$/)
    expect(await resultOf(run(environmentOf(store), command, FULL_DISK))).toEqual([1, '', message])
    expect([fs.readdirSync(here), fs.readFileSync(file, 'utf8')]).toEqual([['kept.json'], 'kept'])
  })
})

it('a command whose output cannot be written fails', async () => {
  await putJokes(store, numberedJokes(9))
  const limit = `${FULL_DISK} && exec > ${join(folder, 'found')}`
  const message = expect.stringContaining('EFBIG: file too large, write')
  expect(await resultOf(run(environmentOf(store), ['tools/main.ts', 'find'], limit))).toEqual([1, '', message])
})

/** Limits each file to half a kilobyte. */
const FULL_DISK = "trap '' XFSZ && ulimit -f 1"

function write(name: string, content: string): string {
  const file = join(folder, name)
  fs.writeFileSync(file, content)
  return file
}

function counts(added: number, existing: number): string {
  return `${added === 1 ? '1 joke' : `${added} jokes`} added, ${existing} there already: listed, waiting or removed.\n`
}

function importFile(file: string, ...options: string[]) {
  return operate(store, 'import', file, ...options)
}

function exportTo(file: string) {
  return operate(store, 'export', file)
}
