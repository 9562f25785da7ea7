/** `bin/jokes import` and `bin/jokes export`. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { createJoke } from '../../shared/store/jokes.ts'
import { act } from '../../shared/store/operators/states.ts'
import { load } from '../support/access.ts'
import { listen } from '../support/listen.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { operate, resultOf, runHere, sendSignal, temporaryFolder } from '../support/process.ts'
import { startReworded } from '../support/reworded.ts'
import { startService } from '../support/service.ts'

const folder = temporaryFolder(afterAll)
const EMPTY = 'must not be empty: at least one letter, digit, symbol or punctuation mark.'
const ONE_OF = `must be one of ${CATEGORIES.join(', ')}.`
const FINISHES = 'The command finishes what it has begun. A second Ctrl+C ends it at once.'
const UNKNOWN = 'Only an import can tell which of those wait for approval, or were removed.\n'
const SAMPLES = join(import.meta.dirname, '../sample-jokes.json')
const service = await startService()
afterAll(service.stop)

describe('bin/jokes import', () => {
  it('import adds each joke once', async () => {
    const file = write('two.json', JSON.stringify(['One', 'Two'].map((joke) => ({ joke, category: 'School' }))))
    const stderr = `Importing ${file} into ${service.url}.\n`
    for (const stdout of ['2 added, 0 there already, 0 rejected.\n', '0 added, 2 there already, 0 rejected.\n'])
      expect(await importFile(file)).toEqual({ code: 0, stdout, stderr })
    expect(await service.jokes()).toHaveLength(2)
  })

  it('import writes invalid jokes of standard input to the working directory', async () => {
    const child = start('import', '-', service.url)
    child.stdin.end('{"joke":"Piped","category":"School"}\n{"joke":"","category":"School"}')
    const [exitCode, output] = await resultOf(child)
    expect([exitCode, output.split('\n', 1)]).toEqual([1, ['1 added, 0 there already, 1 rejected.']])
    const written = fs.readFileSync(join(folder, 'stdin.invalid.jsonl'), 'utf8')
    expect(written).toBe(`# line 2: joke ${EMPTY}\n{"joke":"","category":"School"}\n`)
  })

  it('import accepts the corrected file of rejected jokes', async () => {
    const lines = [
      '{"joke": "Good [", "punchline": "}, \\"", "category": "School"}',
      '{"joke": "", "category": "Classic", "rating": 5}',
      '7',
      '{"joke": "Broken": "category": "Classic"',
    ]
    const file = write('mixed.jsonl', lines.join('\n'))
    const rejects = `${file}.invalid.jsonl`
    const told = (file: string) =>
      `The rejected jokes are in ${file}, each under its line and reason. Correct them there, and import that file with the same options.\n`
    const { code, stdout } = await importFile(file)
    expect([code, stdout.startsWith(`1 added, 0 there already, 3 rejected.\n${told(rejects)}`)]).toEqual([1, true])
    const written = fs.readFileSync(rejects, 'utf8')
    expect(written.split('\n')).toEqual([
      `# line 2: joke ${EMPTY} rating is unknown. Known are joke, punchline, category.`,
      lines[1],
      '# line 3: body must be a JSON object.',
      '7',
      `# line 4: This is not JSON: Expected ',' or '}' after property value in JSON at position 17 (column 18).`,
      lines[3],
      '',
    ])
    // The second import rejects the same jokes, so it writes no other file.
    expect((await importFile(file)).stdout).toContain(told(rejects))

    const corrected = written
      .replace('""', '"Mended"')
      .replace(', "rating": 5', '')
      .replace(/Broken":(.*)/, 'Whole",$1}')
    fs.writeFileSync(rejects, corrected)
    const second = await importFile(rejects)
    expect(second.stdout).toMatch(/^2 added, 0 there already, 1 rejected/)
    expect(fs.readFileSync(rejects, 'utf8')).toBe(corrected)
    // The corrected file still holds the jokes that were just added.
    expect(second.stdout).toContain(told(`${file}.invalid-2.jsonl`))
    expect(fs.readFileSync(`${file}.invalid-2.jsonl`, 'utf8')).toBe('# line 4: body must be a JSON object.\n7\n')
    expect((await service.jokes({ searchString: 'mended' })).map(({ joke }) => joke)).toEqual(['Mended'])
  })

  it('import never overwrites a corrected file', async () => {
    const file = write('once.jsonl', '{"joke":"Once more","category":"Rome"}\n{"joke":"","category":"School"}')
    await importFile(file)
    const rejects = `${file}.invalid.jsonl`
    const corrected = fs.readFileSync(rejects, 'utf8').replace('Rome', 'School')
    fs.writeFileSync(rejects, corrected)
    const { stdout } = await importFile(rejects)
    expect(stdout).toMatch(/^1 added, 0 there already, 1 rejected.\nThe rejected jokes are in \S+\.invalid-2\.jsonl, /)
    expect(fs.readFileSync(rejects, 'utf8')).toBe(corrected)
  })

  it('import writes each rejected joke of a JSON file on one line', async () => {
    const file = write('pretty.json', '[\n  {"joke": "",\n   "category": "Classic"\n  }\n]')
    await importFile(file)
    const json = '{"joke": "", "category": "Classic" }'
    expect(fs.readFileSync(`${file}.invalid.jsonl`, 'utf8')).toBe(`# joke 1, line 2: joke ${EMPTY}\n${json}\n`)
  })

  it('import accepts its rejected rows of CSV with the same options', async () => {
    const file = write('rows.csv', 'été;type\r\n"Bold" as brass;old\r\nFine;old')
    const options = ['--map', 'été=joke', '--map', 'type=category', '--map', 'type:old=Classic']
    expect((await importFile(file, ...options)).stdout).toMatch(/^1 added, 0 there already, 1 rejected/)
    const rejects = `${file}.invalid.jsonl`
    const json = '{"été":"\\"Bold\\" as brass","type":"old"}'
    const written = `# line 2: Its quotation marks are not paired as in CSV.\n${json}\n`
    expect(fs.readFileSync(rejects, 'utf8')).toBe(written)
    expect((await importFile(rejects, ...options)).stdout).toBe('1 added, 0 there already, 0 rejected.\n')
  })

  it('import names options that help with rejected jokes', async () => {
    const lines = Array.from({ length: 1200 }, (_, index) => `,School,${index > 2 ? 'x' : ''},${index > 3 ? 'y' : ''}`)
    const file = write('reasons.csv', `title,type,my notes,\x1b[2J\n${lines.join('\n')}\nA,Rome\nB,\n`)
    const jsonl = write('broken.jsonl', '{"joke" 1}\n{"punchline": "a", "category" 2}')
    const told = [
      "1,197 × fields that are not accepted (my notes, \\u001b[2J): leave them out with --map '*='",
      '1,200 × joke is required: say which field it is with --map FIELD=joke',
      `1 × category ${ONE_OF} Translate others with --map category:OTHER=Classic`,
      '1 × category is required: set it with --map category:=Classic',
    ]
    for (const options of [['--dry-run'], []]) {
      const { stdout } = await importFile(file, '--map', 'title=joke', '--map', 'type=category', ...options)
      expect(stdout.split('\n').slice(-5, -1).sort()).toEqual(told.toSorted())
      expect(stdout.match(/^[\d,]+(?= ×)/gm)).toEqual(['1,200', '1,197', '1', '1'])
      expect(stdout).not.toContain('\x1b')
      expect((await importFile(jsonl, ...options)).stdout).toContain('\n2 × This is not JSON.\n')
    }
  })

  it('a dry run only predicts the result', async () => {
    await service.add({ joke: 'There', category: 'School' })
    const file = write('dry.csv', 'joke,category\nThere,School\nNot there,School\nnot  THERE,Classic\nNowhere,Rome\n')
    expect(await importFile(file, '--dry-run')).toEqual({
      code: 1,
      stdout: `1 would be added, 2 there already, 1 rejected.\n${UNKNOWN}line 5: category ${ONE_OF}\n1 × category ${ONE_OF} Translate others with --map category:OTHER=Classic\n`,
      stderr: `Dry run: importing ${file} into ${service.url}.\n`,
    })
    const { stdout } = await importFile(SAMPLES, '--dry-run')
    expect(stdout).toBe(`62 would be added, 0 there already, 0 rejected.\n${UNKNOWN}`)
    expect(await service.jokes({ searchString: 'not there' })).toEqual([])
    expect(fs.readdirSync(folder)).not.toContain('dry.csv.invalid.jsonl')
  })

  it('import counts the jokes of each outcome separately', async () => {
    const approving = await startService()
    onTestFinished(approving.stop)
    const [id = ''] = await approving.addTexts('Removed')
    await approving.addTexts('There')
    await operate(approving.store, 'remove', id)
    const file = write('states.csv', 'joke,category\nThere,School\nRemoved,School\nNew,School\nNew 2,School\n,School\n')
    const run = async (...options: string[]) => (await runHere('import', file, approving.url, ...options)).stdout
    expect(await run('--dry-run')).toContain('3 would be added, 1 there already, 1 rejected.')
    approving.store.approval = true
    const told = '0 added, 2 waiting for approval, 1 there already, 1 removed by the operators, 1 rejected.'
    // The first import adds the jokes, the second finds them waiting.
    for (const _ of ['first', 'second']) expect(await run()).toContain(told)
  })

  it('a dry run looks up many jokes with one request', async () => {
    const asked: number[] = []
    const url = await startStub((response) => {
      asked.push(new URL(response.req.url ?? '', service.url).searchParams.get('id')?.split(',').length ?? 0)
      response.end('[]')
    })
    expect((await runHere('import', SAMPLES, url, '--dry-run')).stdout).toContain('62 would be added')
    expect(asked.reduce((sum, ids) => sum + ids)).toBe(62)
    expect(asked).toEqual([16, 16, 16, 14])
  })

  it('a stopped import says how many jokes are left', async () => {
    const slow = await startStub((response, count) => {
      if (response.req.method === 'GET') return void response.end('[{}]')
      response.writeHead(count < 5 ? 201 : 503, { 'retry-after': '1000' }).end('{}')
      // Each of the 16 simultaneous requests waits now.
      if (count === 5 + 16 - 1) sendSignal('SIGINT')
    })
    expect(await runHere('import', SAMPLES, slow)).toEqual({
      code: 130,
      stdout: '5 added, 0 there already, 0 rejected.\n',
      stderr: `Importing ${SAMPLES} into ${slow}.\n${FINISHES}\nStopped before the end. Left: 57 of 62 jokes. Run the same command again: no joke is added twice.\n`,
    })
  })

  it('an import repeated after a kill adds each joke once', async () => {
    const empty = await startService()
    onTestFinished(empty.stop)
    let count = 0
    const { server, url } = await listen(async (request, response) => {
      if (++count === 30) child.kill('SIGKILL')
      const body = request.method === 'POST' ? { body: await text(request) } : {}
      const { status, body: answer } = await fetch(new URL(request.url ?? '', empty.url), {
        method: `${request.method}`,
        ...body,
      })
      response.writeHead(status).end(answer && Buffer.from(await new Response(answer).arrayBuffer()))
    })
    onTestFinished(() => void server.close())
    const child = start('import', SAMPLES, url)
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    const { code, stdout } = await runHere('import', SAMPLES, empty.url)
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ added, [1-9]\d* there already, 0 rejected\.\n$/)])
    expect((await empty.pages({ numberofJokes: '250' })).flat()).toHaveLength(62)
  })

  it('a stopped dry run says how many jokes are left', async () => {
    const slow = await startStub((response, count) => {
      response.writeHead(count === 0 ? 200 : 503, { 'retry-after': '1000' }).end('[]')
      if (count === 1) sendSignal('SIGINT')
    })
    const { stdout, stderr } = await runHere('import', SAMPLES, slow, '--dry-run')
    expect(stdout).toContain('16 would be added')
    expect(stderr).toContain('Left: 46 of 62 jokes.')
  })

  it('import rejects jokes that are too large or too deeply nested', async () => {
    const url = await startStub((response) => {
      response.writeHead(response.req.headers['content-type'] === 'application/json' ? 413 : 415).end()
    })
    const file = write('large.jsonl', '{}')
    expect((await runHere('import', file, url)).stdout).toContain('0 added, 0 there already, 1 rejected.\n')
    expect(fs.readFileSync(`${file}.invalid.jsonl`, 'utf8')).toBe('# line 1: The service answers 413.\n{}\n')
    const deep = write('deep.jsonl', `{"joke": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`)
    expect((await runHere('import', deep, url)).stdout).toContain('1 × It has too many levels.\n')
  })

  it.each(['jsonl', 'json'])('import rejects a joke of thousands of levels in a .%s file', async (ending) => {
    const deep = `{"category": "School", "joke": ${'['.repeat(3_000)}${']'.repeat(3_000)}}`
    const file = write(`levels.${ending}`, ending === 'json' ? `[${deep}]` : deep)
    expect((await importFile(file)).stdout).toContain('1 × It has too many levels.\n')
  })

  it('import says only why it cannot reach a service', async () => {
    const { server, url } = await listen()
    await new Promise((closed) => server.close(closed))
    const address = url.replace('http://', '')
    const { code, stdout, stderr } = await runHere('import', SAMPLES, address)
    expect([code, stdout, stderr.split('\n', 2)]).toEqual([
      1,
      '',
      [`Importing ${SAMPLES} into http://${address}.`, expect.stringMatching(/^http:\S+ does not answer .*REFUSED/)],
    ])
  })

  it('import of a file without jokes says so', async () => {
    expect((await importFile(write('none.json', '[]'))).stdout).toBe('0 added, 0 there already, 0 rejected.\n')
  })

  it.each([
    [500, 'Not today.', 1, ' answers 500: Not today. Left: 1 of 1 joke.'],
    [200, '', 1, ' answers 200. Check its URL. Left: 1 of 1 joke.'],
  ])('import explains the status %i with the detail "%s"', async (status, detail, code, output) => {
    const url = await startStub((response) => response.writeHead(status).end(JSON.stringify({ detail })))
    const result = await runHere('import', write('x.jsonl', '{}'), url)
    expect([result.code, result.stdout + result.stderr]).toEqual([code, expect.stringContaining(output)])
  })
})

it('import tells outcomes apart if every detail is another sentence', async () => {
  const { store, stop: stopOther } = await startService()
  onTestFinished(stopOther)
  const { url, stop } = await startReworded(store)
  onTestFinished(stop)
  const category = 'School'
  const [listed, waiting, removed] = await Promise.all(
    ['Listed', 'Waiting', 'Removed'].map((joke) =>
      createJoke({ ...store, approval: joke === 'Waiting' }, { joke, punchline: '', category }),
    ),
  )
  await act(store, `${removed?.id}`, 'remove')
  const jokes = [listed, waiting, removed].map((added) => ({ joke: added?.joke, category }))
  const faulty = [{ joke: 'No category' }, { joke: 'A rating', category, rating: 5 }, { category }]
  const { stdout } = await runHere('import', write('codes.json', JSON.stringify([...jokes, ...faulty])), url)
  expect(stdout).toContain('0 added, 1 waiting for approval, 1 there already, 1 removed by the operators, 3 rejected.')
  for (const advice of [
    'category is required: set it with --map category:=Classic',
    "fields that are not accepted (rating): leave them out with --map '*='",
    'joke is required: say which field it is with --map FIELD=joke',
  ])
    expect(stdout).toContain(`1 × ${advice}`)
})

it.each([
  ['export', 'no-such-folder/file.csv', 'no-such-folder/file.csv: no such file or directory.'],
  ['import', '.', 'the file: illegal operation on a directory.'],
])('%s explains why it cannot use %s', async (tool, file, reason) => {
  const { code, stdout, stderr } = await runHere(tool, file)
  expect([code, stdout, stderr.split('\n')[1]]).toEqual([1, '', `Cannot use ${reason}`])
})

describe('bin/jokes export', async () => {
  /** More jokes than fit on a page. */
  const many = numberedJokes(260)
  const full = await startService()
  await load(full.store, many)
  afterAll(full.stop)

  it('export writes all pages to one JSON array', async () => {
    const file = join(folder, 'out.json')
    const stderr = `Exporting the jokes of ${full.url} to ${file}.\n260 jokes.\n`
    expect(await runHere('export', file, full.url)).toEqual({ code: 0, stdout: '', stderr })
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(many)
    const none = await startStub((response) => response.end('[]'))
    await runHere('export', file, none)
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual([])
  })

  it.each(['csv', 'jsonl', 'NDJSON', 'json'])(
    'an import of an exported .%s file gives the same jokes',
    async (ending) => {
      const texts = ['=1+1', '+A, "B"', ' @\u00A0\nC;\r\nD', 'sep=;', '# "', 'a\rb', '\uFEFF\t\r-é🐔']
      const jokes = texts.map((joke, index) => ({
        joke: `${joke} ${index}`,
        punchline: index > 2 ? joke : '',
        category: 'School',
      }))
      const [from, to] = await Promise.all([startService(), startService()])
      onTestFinished(async () => void (await Promise.all([from.stop(), to.stop()])))
      await from.add(...jokes)
      const file = join(folder, `back.${ending}`)
      expect((await runHere('export', file, from.url)).code).toBe(0)
      expect((await runHere('import', file, to.url)).stdout).toBe('7 added, 0 there already, 0 rejected.\n')
      const textsOf = async (each: typeof from) =>
        (await each.jokes()).map(({ joke, punchline }) => [joke, punchline]).sort()
      expect(await textsOf(to)).toEqual(await textsOf(from))
      const written = fs.readFileSync(file, 'utf8')
      // Spreadsheets need the byte order mark to read UTF-8.
      if (ending === 'csv') expect(written).toMatch(/^\uFEFFid,joke,punchline,category,thumbsUp,thumbsDown,dateAdded\n/)
      else expect(written.startsWith('[')).toBe(ending === 'json')
    },
  )

  it('import reads what export writes to standard output', async () => {
    const [exitCode, output, error] = await resultOf(start('export', '-', full.url))
    expect([exitCode, error]).toEqual([0, `Exporting the jokes of ${full.url} to standard output.\n260 jokes.\n`])
    expect(parseLines(output)).toEqual(many)
    const some = write('some.jsonl', output.split('\n').slice(0, 20).join('\n'))
    const { stdout } = await runHere('import', some, full.url)
    expect(stdout).toBe('0 added, 20 there already, 0 rejected.\n')
  })

  it('export ends without an error when its reader goes away', async () => {
    const child = start('export', '-', full.url)
    child.stdout.destroy()
    const [error, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect([exitCode, error.split('\n').slice(1)]).toEqual([0, ['']])
  })

  it('export writes to the target of a link or into a pipe', async () => {
    const [file, link, pipe] = [write('old.jsonl', 'old'), join(folder, 'link.jsonl'), join(folder, 'pipe.jsonl')]
    fs.symlinkSync(file, link)
    execFileSync('mkfifo', [pipe])
    const piped = readFile(pipe, 'utf8')
    for (const path of [link, pipe]) await runHere('export', path, full.url)
    expect([fs.lstatSync(pipe).isFIFO(), fs.lstatSync(link).isSymbolicLink()]).toEqual([true, true])
    for (const written of [fs.readFileSync(file, 'utf8'), await piped]) expect(parseLines(written)).toEqual(many)
  })

  it('a failed or stopped export leaves the folder unchanged', async () => {
    const here = join(folder, 'kept')
    fs.mkdirSync(here)
    const file = join(here, 'kept.json')
    fs.writeFileSync(file, 'kept')
    const link = join(folder, 'link.json')
    fs.symlinkSync(file, link)
    const failing = await startStub((response, count) => {
      if (count === 0) response.writeHead(500).end('{"detail":"no"}')
      // bin/jokes passes Ctrl+C on to another Node.js, so it may arrive twice.
      else for (let time = 0; time < 2; time++) child.kill('SIGINT')
    })
    const stderr = expect.stringContaining(`\n${failing} answers 500: no\n`)
    expect(await runHere('export', file, failing)).toEqual({ code: 1, stdout: '', stderr })
    const child = start('export', link, failing)
    expect(await resultOf(child)).toEqual([
      130,
      '',
      expect.stringContaining(`\n${FINISHES}\nStopped before the end.\n`),
    ])
    expect([fs.readdirSync(here), fs.readFileSync(file, 'utf8')]).toEqual([['kept.json'], 'kept'])
  })
})

function parseLines(lines: string): unknown[] {
  return lines.match(/.+/g)?.map((line) => JSON.parse(line)) ?? []
}

function write(name: string, content: string | Buffer): string {
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
