/** `bin/jokes import` and `bin/jokes export`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { load } from '../support/access.ts'
import { listen } from '../support/listen.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { resultOf, runHere, sendSignal, temporaryFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

const folder = temporaryFolder(afterAll)
const SAMPLES = join(import.meta.dirname, '../sample-jokes.json')
const service = await startService()
afterAll(service.stop)

describe('bin/jokes import', () => {
  it('adds each joke once', async () => {
    const file = write('two.json', '[{"joke":"One","category":"School"},{"joke":"Two","category":"School"}]')
    for (const stdout of ['2 added, 0 there already, 0 rejected.\n', '0 added, 2 there already, 0 rejected.\n'])
      expect(await importFile(file)).toMatchObject({ code: 0, stdout })
    expect(await service.jokes()).toHaveLength(2)
  })

  it('maps fields and categories, and says what it leaves out', async () => {
    const file = write('rows.csv', 'Body;type;stars\nMapped;old;5\nMapped too;;\n')
    const refused = await importFile(file)
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining("--map 'Body=joke'") })
    const categories = ['--category', 'old=School', '--category', 'Classic']
    const options = ['--map', 'Body=joke', '--map', 'type=category', ...categories]
    const { stdout, stderr } = await importFile(file, ...options)
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^2 added/), expect.stringContaining('stars')])
    for (const [category, joke] of Object.entries({ School: 'Mapped', Classic: 'Mapped too' }))
      expect(await service.jokes({ searchString: 'mapped', category })).toMatchObject([{ joke }])
  })

  it('keeps rejected jokes in a file that it accepts again, and never overwrites it', async () => {
    const lines = ['{"joke":"Good","category":"School"}', '{"joke":"","category":"School"}', '7', '{"joke": "Broken"']
    const file = write('mixed.jsonl', lines.join('\n'))
    const rejects = `${file}.invalid.jsonl`
    const first = await importFile(file)
    expect(first).toMatchObject({ code: 1, stdout: expect.stringMatching(/^1 added, 0 there already, 3 rejected/) })
    const written = fs.readFileSync(rejects, 'utf8')
    expect(written.split('\n')).toEqual([
      expect.stringMatching(/^# line 2: joke .+/),
      lines[1],
      expect.stringMatching(/^# line 3: joke .+/),
      '7',
      expect.stringMatching(/^# line 4: This is not JSON/),
      lines[3],
      '',
    ])
    // The second import rejects the same jokes, so it writes no other file.
    await importFile(file)
    expect(fs.existsSync(`${file}.invalid-2.jsonl`)).toBe(false)

    const corrected = written.replace('""', '"Mended"').replace('"Broken"', '"Whole","category":"School"}')
    fs.writeFileSync(rejects, corrected)
    expect((await importFile(rejects)).stdout).toMatch(/^2 added, 0 there already, 1 rejected/)
    // The corrected file still holds the jokes that were just added.
    expect(fs.readFileSync(rejects, 'utf8')).toBe(corrected)
    expect(fs.readFileSync(`${file}.invalid-2.jsonl`, 'utf8')).toMatch(/^# line 4: .+\n7\n$/)
  })

  it('accepts rejected rows of a table again with the same options', async () => {
    const long = 'x'.repeat(1_001)
    const file = write('rows2.csv', `Witz;type\n${long};old\n`)
    const options = ['--map', 'Witz=joke', '--map', 'type=category', '--category', 'School']
    await importFile(file, ...options)
    const rejects = `${file}.invalid.jsonl`
    fs.writeFileSync(rejects, fs.readFileSync(rejects, 'utf8').replace(long, 'Short'))
    expect((await importFile(rejects, ...options)).stdout).toMatch(/^1 added, 0 there already, 0 rejected/)
  })

  it('prints no control characters of a file', async () => {
    const { stdout, stderr } = await importFile(write('control.json', '[{"joke":"","\\u001b[2J":1}]'))
    expect(stdout + stderr).not.toContain('\x1b')
  })

  it('reads only the file in a dry run', async () => {
    const file = write('dry.csv', 'joke,category\nDry,School\nNowhere,Rome\n')
    const { code, stdout } = await runHere('import', file, 'http://localhost:1', '--dry-run')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^2 jokes: 1 valid, 1 rejected\.\n1 × category must be /)])
    expect(fs.existsSync(`${file}.invalid.jsonl`)).toBe(false)
  })

  it('tells outcomes apart by their code, whatever the detail', async () => {
    const codes = ['duplicate', 'waiting', 'removed', 'invalid']
    const url = await startStub((response) => {
      if (response.req.method === 'GET') return void response.end('[{}]')
      const code = codes.shift()
      response.writeHead(code === 'invalid' ? 400 : 409).end(JSON.stringify({ code, detail: 'Other words.' }))
    })
    const { stdout } = await runHere('import', write('codes.json', '["One", "Two", "Three", "Four"]'), url)
    expect(stdout).toMatch(
      /^0 added, 1 waiting for approval, 1 there already, 1 removed by the operators, 1 rejected\.$/m,
    )
  })

  it('counts new jokes that wait for approval', async () => {
    const approving = await startService()
    onTestFinished(approving.stop)
    approving.store.approval = true
    const { stdout } = await runHere('import', SAMPLES, approving.url)
    expect(stdout).toMatch(/^0 added, 62 waiting for approval, 0 there already, 0 rejected/)
  })

  it('says after Ctrl+C how many jokes are left', async () => {
    const slow = await startStub((response, count) => {
      if (response.req.method === 'GET') return void response.end('[{}]')
      response.writeHead(count < 5 ? 201 : 503, { 'retry-after': '1000' }).end('{}')
      // Each of the 16 simultaneous requests waits now.
      if (count === 5 + 16 - 1) sendSignal('SIGINT')
    })
    const { code, stdout, stderr } = await runHere('import', SAMPLES, slow)
    expect([code, stdout]).toEqual([130, '5 added, 0 there already, 0 rejected.\n'])
    expect(stderr).toContain('Left: 57 of 62 jokes. Run the same command again')
  })

  it('adds the rest when it is repeated after a kill', async () => {
    const empty = await startService()
    onTestFinished(empty.stop)
    let count = 0
    const { server, url } = await listen(async (request, response) => {
      if (++count === 30) child.kill('SIGKILL')
      const { method = '', url = '' } = request
      const body = method === 'POST' ? { body: await text(request) } : {}
      const answer = await fetch(new URL(url, empty.url), { method, ...body })
      response.writeHead(answer.status).end(await answer.text())
    })
    onTestFinished(() => void server.close())
    const child = start('import', SAMPLES, url)
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    const { code, stdout } = await runHere('import', SAMPLES, empty.url)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ added, [1-9]\d* there already, 0 rejected\.\n$/)])
    expect((await empty.pages({ numberofJokes: '250' })).flat()).toHaveLength(62)
  })

  it.each([
    [413, '', 'rejected', '0 added, 0 there already, 1 rejected.'],
    [200, '', 'explained', ' answers 200. Check its URL. Left: 1 of 1 joke.'],
  ])('a joke answered %i with the detail "%s" is %s', async (status, detail, _, output) => {
    const url = await startStub((response) => response.writeHead(status).end(JSON.stringify({ detail })))
    const { code, stdout, stderr } = await runHere('import', write('one.json', '["One"]'), url)
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(output)])
  })
})

describe('bin/jokes export', async () => {
  /** More jokes than fit on a page. */
  const many = numberedJokes(260)
  const full = await startService()
  await load(full.store, many)
  afterAll(full.stop)

  it('writes all pages to one JSON array', async () => {
    const file = join(folder, 'out.json')
    expect(await runHere('export', file, full.url)).toMatchObject({ code: 0, stdout: '' })
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(many)
  })

  it('writes JSON Lines to standard output', async () => {
    const [exitCode, output] = await resultOf(start('export', '-', full.url))
    const lines = output.trim().split('\n')
    expect([exitCode, lines.map((line) => JSON.parse(line))]).toEqual([0, many])
  })

  it.each(['csv', 'jsonl', 'JSON'])('an import of an exported .%s file gives the same jokes', async (ending) => {
    const texts = ['=1+1', '+A, "B"', ' @\u00A0\nC;\r\nD', 'sep=;', '# "', 'a\rb', '\uFEFF\t\r-é🐔', '%', '["x']
    const category = 'School'
    const jokes = texts.map((joke, index) => ({ joke: `${joke} ${index}`, punchline: index > 2 ? joke : '', category }))
    const [from, to] = await Promise.all([startService(), startService()])
    onTestFinished(async () => void (await Promise.all([from.stop(), to.stop()])))
    await from.add(...jokes)
    const file = join(folder, `back.${ending}`)
    await runHere('export', file, from.url)
    expect((await runHere('import', file, to.url)).stdout).toBe('9 added, 0 there already, 0 rejected.\n')
    const textsOf = async (each: typeof from) =>
      (await each.jokes()).map(({ joke, punchline }) => [joke, punchline]).sort()
    expect(await textsOf(to)).toEqual(await textsOf(from))
    // Spreadsheets need the byte order mark to read UTF-8.
    if (ending === 'csv') expect(fs.readFileSync(file, 'utf8')).toMatch(/^\uFEFFid,joke,punchline,category,/)
  })

  it('leaves the folder unchanged if it fails or is stopped', async () => {
    const here = join(folder, 'kept')
    fs.mkdirSync(here)
    const file = join(here, 'kept.json')
    fs.writeFileSync(file, 'kept')
    const failing = await startStub((response, count) => {
      if (count === 0) response.writeHead(500).end('{"detail":"no"}')
      else sendSignal('SIGINT')
    })
    expect(await runHere('export', file, failing)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('500: no'),
    })
    expect(await runHere('export', file, failing)).toMatchObject({ code: 130 })
    expect([fs.readdirSync(here), fs.readFileSync(file, 'utf8')]).toEqual([['kept.json'], 'kept'])
  })
})

function write(name: string, content: string): string {
  const file = join(folder, name)
  fs.writeFileSync(file, content)
  return file
}

function importFile(file: string, ...options: string[]) {
  return runHere('import', file, service.url, ...options)
}

/** Starts a command as a process, in the folder of these tests. */
function start(tool: 'import' | 'export', ...given: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/jokes'), tool, ...given], { cwd: folder })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Starts a server for one test, and returns its URL. @param answer gets the number of earlier requests */
async function startStub(answer: (response: ServerResponse, count: number) => void): Promise<string> {
  let count = 0
  const { server, url } = await listen((_, response) => answer(response, count++))
  onTestFinished(() => void server.close())
  return url
}
