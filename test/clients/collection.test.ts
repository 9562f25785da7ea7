/** `bin/jokes import` and `bin/jokes export`. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { act } from '../../tools/changes.ts'
import { emptyTable, itemsOf, load, put, toItem } from '../support/access.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { environmentOf, operate, resultOf, run, runHere, temporaryFolder } from '../support/process.ts'
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
  it('adds each joke once', async () => {
    const file = write('two.json', '[{"joke":"One","category":"School"},{"joke":"Two","category":"School"}]')
    for (const stdout of [counts(2, 0), counts(0, 2)]) expect(await importFile(file)).toMatchObject({ code: 0, stdout })
    expect(await service.jokes()).toHaveLength(2)
  })

  it('adds jokes as listed or waiting, and leaves those that wait or were removed', async () => {
    await load(store, [numberedJoke(0), numberedJoke(1)])
    await act(store, numberedJoke(1).id, 'remove')
    await put(store, toItem(store, numberedJoke(2), 'waiting'))
    const importTo = async (count: number, ...options: string[]) =>
      (await importFile(write('all.json', JSON.stringify(numberedJokes(count))), ...options)).stdout
    const existing = ', 1 waiting, 1 removed before, 0 rejected.\n'
    expect(await importTo(5, '--waiting')).toBe(`2 added as waiting, 1 there already${existing}`)
    expect(await importTo(3)).toBe(`0 added, 1 there already${existing}`)
    expect(idsOf(await service.jokes())).toEqual([numberedJoke(0).id])
    // The setting of the service does not count.
    store.approval = true
    await importFile(write('more.json', '["Listed"]'), '--category', 'School')
    await expect.poll(() => service.jokes(), { timeout: 10_000 }).toHaveLength(2)
  })

  it.each(['', '--waiting'])('prints the commands that undo it %s', async (waiting) => {
    await service.addTexts('Another')
    const options = ['--category', 'School', ...(waiting ? [waiting] : [])]
    const { stderr } = await importFile(write('undo.json', '["One", "Two"]'), ...options)
    const [, find = '', remove = ''] =
      /^To undo this import: bin\/jokes (.+) > added\.txt && bin\/jokes (.+)$/m.exec(stderr) ?? []
    const type = (line: string) => {
      const [command = '', ...options] = line.split(' ')
      return operate(store, command, ...options)
    }
    const found = async () => (await type(find)).stdout
    await expect.poll(found, { timeout: 10_000 }).toMatch(/^.+\n.+\n$/)
    const file = write('added.txt', await found())
    const { code } = await type(remove.replace('added.txt', file))
    expect([code, await service.jokes()]).toEqual([0, [expect.objectContaining({ joke: 'Another' })]])
  })

  it('shows the first joke, and what it leaves out', async () => {
    const file = write('rows.csv', 'Body;type;stars\n"Mapped\u202E,\n\njoke";old;5\n')
    const advice = expect.stringContaining('  --map Body=joke  # Mapped')
    expect(await importFile(file)).toMatchObject({ code: 1, stdout: '', stderr: advice })
    const options = ['--map', 'Body=joke', '--map', 'type=category', '--category', 'old=School']
    const { stdout, stderr } = await importFile(file, ...options)
    expect(stdout).toBe(counts(1, 0))
    expect(stderr).toContain('1 field left out: stars.')
    expect(stderr).toContain('The first joke:\n  setup: Mapped\\u202e, joke\n  punchline:\n  category: School\n')
    expect(await service.jokes({ category: 'School' })).toMatchObject([{ joke: 'Mapped\u202E,\n\njoke' }])
  })

  it('adds nothing from a text listing of the service on standard input', async () => {
    await service.add(
      ...['', 'Be\n\ncause.'].map((punchline) => ({ joke: `One,\n\n${punchline}`, punchline, category: 'School' })),
    )
    const response = await fetch(new URL('joke', service.url), { headers: { accept: 'text/plain' } })
    const file = write('listing', await response.text())
    const args = ['tools/main.ts', 'import', '-', '--blocks', '--category', 'Classic']
    const [code, stdout] = await resultOf(run(environmentOf(store), args, `exec <${file}`))
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^0 added, 2 there already, .+ 0 rejected\.\n$/)])
  })

  it('keeps rejected jokes in a file that it accepts again, and never overwrites it', async () => {
    const lines = ['{"joke":"Good","category":"School"}', '{"joke":"","category":"School"}', '7', '{"joke": "Broken"']
    const file = write('mixed.jsonl', lines.join('\n'))
    const rejects = `${file}.invalid.jsonl`
    const first = await importFile(file)
    expect(first).toMatchObject({ code: 1, stdout: expect.stringMatching(/^1 added, .+, 3 rejected/) })
    const written = fs.readFileSync(rejects, 'utf8')
    expect(written.split('\n')).toEqual([
      expect.stringMatching(/^# line 2: joke .+/),
      lines[1],
      expect.stringMatching(/^# line 3: joke .+/),
      '{"joke":7}',
      expect.stringMatching(/^# line 4: This is not JSON/),
      lines[3],
      '',
    ])
    // The second import rejects the same jokes, so it writes no other file.
    await importFile(file)
    expect(fs.existsSync(`${file}.invalid-2.jsonl`)).toBe(false)

    const corrected = written.replace('""', '"Mended"').replace('"Broken"', '"Whole","category":"School"}')
    fs.writeFileSync(rejects, corrected)
    expect((await importFile(rejects)).stdout).toMatch(/^2 added, .+, 1 rejected/)
    // The corrected file still holds the jokes that were just added.
    expect(fs.readFileSync(rejects, 'utf8')).toBe(corrected)
    expect(fs.readFileSync(`${file}.invalid-2.jsonl`, 'utf8')).toMatch(/^# line 4: .+\n{"joke":7}\n$/)
  })

  it('accepts rejected rows of a table again with the same options', async () => {
    const long = 'x'.repeat(1_001)
    const file = write('rows2.csv', `Witz;type\n${long};old\n`)
    const options = ['--map', 'Witz=joke', '--map', 'type=category', '--category', 'School']
    await importFile(file, ...options)
    const rejects = `${file}.invalid.jsonl`
    fs.writeFileSync(rejects, fs.readFileSync(rejects, 'utf8').replace(long, 'Short'))
    expect((await importFile(rejects, ...options)).stdout).toBe(counts(1, 0))
  })

  it('prints no control characters of a file', async () => {
    const { stdout, stderr } = await importFile(write('control.json', '[{"joke":"","\\u001b[2J":1}]'))
    expect(stdout + stderr).not.toContain('\x1b')
  })

  it('says the same in a dry run, which only reads the file', async () => {
    const lines = `joke,category\nDry,School\ndry!,Classic\nNowhere,Rome\n${'x'.repeat(1_001)},School\n`
    const file = write('dry.csv', lines)
    const { code, stdout } = await runHere('import', file, '--dry-run')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^4 jokes: 1 valid, 1 repeated, 2 rejected\.\n1 × category must be /)
    expect(fs.existsSync(`${file}.invalid.jsonl`)).toBe(false)
    const [, ...reasons] = stdout.split('\n')
    expect((await importFile(file)).stdout.split('\n').slice(1)).toEqual(expect.arrayContaining(reasons))
  })
})

describe('bin/jokes export', () => {
  it('writes all listed jokes of two pages of DynamoDB, the oldest first', async () => {
    const many = numberedJokes(900).map((joke) => ({ ...joke, punchline: 'x'.repeat(1_000) }))
    await load(store, many)
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
    await load(store, [numberedJoke(0)])
    await put(store, { ...toItem(store, numberedJoke(1)), thumbsUp: 'many' })
    const file = join(folder, 'damaged.jsonl')
    const stderr = expect.stringContaining(`\n${numberedJoke(1).id}  left out, because it is damaged\n1 joke.\n`)
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
    await load(store, numberedJokes(9))
    const here = join(folder, 'kept')
    fs.mkdirSync(here)
    const file = join(here, 'kept.json')
    fs.writeFileSync(file, 'kept')
    const command = ['tools/main.ts', 'export', file]
    const message = expect.stringMatching(/kept\.json: file too large\.\n$/)
    expect(await resultOf(run(environmentOf(store), command, FULL_DISK))).toEqual([1, '', message])
    expect([fs.readdirSync(here), fs.readFileSync(file, 'utf8')]).toEqual([['kept.json'], 'kept'])
  })
})

it('a command whose output cannot be written ends with a sentence', async () => {
  await load(store, numberedJokes(9))
  const limit = `${FULL_DISK} && exec > ${join(folder, 'found')}`
  const message = expect.stringMatching(/\nCannot write the output: file too large\.\n$/)
  expect(await resultOf(run(environmentOf(store), ['tools/main.ts', 'find'], limit))).toEqual([1, '', message])
})

/** Limits each file to half a kilobyte. */
const FULL_DISK = "trap '' XFSZ && ulimit -f 1"

function write(name: string, content: string): string {
  const file = join(folder, name)
  fs.writeFileSync(file, content)
  return file
}

/** The result of an import that refuses nothing. */
function counts(added: number, existing: number): string {
  return `${added} added, ${existing} there already, 0 waiting, 0 removed before, 0 rejected.\n`
}

function importFile(file: string, ...options: string[]) {
  return operate(store, 'import', file, ...options)
}

function exportTo(file: string) {
  return operate(store, 'export', file)
}
