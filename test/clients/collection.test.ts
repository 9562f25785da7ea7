/** `npm run import` and `npm run export` as their user meets them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { type Service, startService } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'jokes-'))
let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

describe('npm run import', () => {
  it('adds the jokes of a JSON array, and none of them twice', async () => {
    expect(await importFile('test/sample-jokes.json')).toEqual([0, '62 added, 0 already there, 0 invalid.\n', ''])
    expect(await importFile('test/sample-jokes.json')).toEqual([0, '0 added, 62 already there, 0 invalid.\n', ''])
    expect(await service.jokes({ numberofJokes: '250' })).toHaveLength(62)
  })

  it('reads JSON Lines, with empty lines, comments and Windows line ends', async () => {
    const file = write(
      'lines.jsonl',
      '# mine\r\n\r\n{"joke":"One","category":"School"}\r\n{"joke":"Two","category":"School"}',
    )
    expect(await importFile(file)).toEqual([0, '2 added, 0 already there, 0 invalid.\n', ''])
  })

  it('keeps the invalid ones with line and reason in a file that can be mended and imported', async () => {
    const array = `[
      {"joke": "Good [", "punchline": "}, \\"", "category": "School"},
      {"joke": "", "category": "Classic", "rating": 5},
      {"joke": "Cut
        off},
      7,
      {
        "joke": "Good, too",
        "category": "Classic"
      }
    ]`
    const file = write('mixed.json', array)
    const [exitCode, output] = await importFile(file)
    const rejects = `${file}.invalid.jsonl`
    expect([exitCode, output]).toEqual([
      1,
      `2 added, 0 already there, 3 invalid.\nThe invalid ones, each below its reason, are in ${rejects}: mend them there and import that file.\n`,
    ])
    const lines = readFileSync(rejects, 'utf8').split('\n')
    expect(lines).toEqual([
      '# line 3: joke must not be empty. rating is not accepted here; these are: joke, punchline, category.',
      '{"joke": "", "category": "Classic", "rating": 5}',
      expect.stringMatching(/^# line 4: .*JSON/),
      '{"joke": "Cutoff}',
      '# line 6: body must be a JSON object.',
      '7',
      '',
    ])
    writeFileSync(rejects, lines.join('\n').replace('""', '"Mended"').replace(', "rating": 5', ''))
    expect((await importFile(rejects))[1]).toMatch(/^1 added, 0 already there, 2 invalid/)
  })

  it('takes other names and values by --map', async () => {
    const file = write(
      'mapped.json',
      JSON.stringify([
        { id: 1, type: 'general', setup: 'Mapped one', punchline: 'One.', rating: 5 },
        { id: 2, type: 'knock-knock', setup: 'Mapped two', punchline: 'Two.', rating: 4 },
        { id: 3, setup: 'Mapped three', punchline: 'Three.' },
      ]),
    )
    const map = [
      'setup=joke',
      'type=category',
      'rating=',
      'type:general=Classic',
      'type:knock-knock=KnockKnock',
      'type:=School',
    ]
    expect(await importFile(file, ...map.flatMap((mapping) => ['--map', mapping]))).toEqual([
      0,
      '3 added, 0 already there, 0 invalid.\n',
      '',
    ])
    const jokes = await service.jokes({ searchString: 'mapped' })
    expect(jokes.map(({ joke, punchline, category }) => [joke, punchline, category]).toSorted()).toEqual([
      ['Mapped one', 'One.', 'Classic'],
      ['Mapped three', 'Three.', 'School'],
      ['Mapped two', 'Two.', 'KnockKnock'],
    ])
  })

  it('tries again while the service is busy', async () => {
    const file = write('few.jsonl', '{"joke":"One","category":"School"}\n{"joke":"Two","category":"School"}')
    let answers = 0
    const busy = await startStub((response, count) => {
      answers = response.writeHead([429, 503, 502, 201][count] ?? 409, { 'retry-after': '0' }).end('{}') && count + 1
    })
    expect(await run('import', file, '--to', busy.url)).toEqual([0, '1 added, 1 already there, 0 invalid.\n', ''])
    expect(answers).toBe(5)
    busy.stop()
  })

  it('can be broken off, and tells how many are left', async () => {
    const slow = await startStub((response, count) => {
      response.writeHead(count < 5 ? 201 : 503, { 'retry-after': '1000' }).end('{}')
      if (count === 20) child.kill('SIGINT')
    })
    const child = start('import', 'test/sample-jokes.json', '--to', slow.url)
    expect(await resultOf(child)).toEqual([
      1,
      '5 added, 0 already there, 0 invalid.\n',
      'Broken off. 57 are left: run the same again, which adds no joke twice.\n',
    ])
    slow.stop()
  })

  it.each([
    [['no-such-file'], /^ENOENT.*no-such-file/],
    [[], /^Usage/],
    [['test/sample-jokes.json', '--map', 'setup'], /^--map setup: it must be FIELD=NAME or FIELD:VALUE=OTHER\./],
    [['test/sample-jokes.json', '--to', 'nowhere'], /^Invalid URL/],
    [['test/sample-jokes.json', '--too', 'x'], /^Unknown option '--too'/],
  ])('says what is wrong with %j', async (given, message) => {
    const [exitCode, output, error] = await run('import', ...given)
    expect([exitCode, output]).toEqual([1, ''])
    expect(error).toMatch(message)
  })
})

describe('npm run export', () => {
  /** More than fit on a page. */
  const many = Array.from({ length: 260 }, (_, index) => numberedJoke(index))
  let full: Service
  beforeAll(async () => {
    full = await startService()
    await load(many)
  })
  afterAll(() => full.stop())

  it.each(['out.json', 'out.jsonl'])('writes the whole collection, over all pages, to %s', async (name) => {
    const file = join(folder, name)
    expect(await run('export', file, '--from', full.url)).toEqual([0, '260 jokes.\n', ''])

    const written = readFileSync(file, 'utf8')
    const jokes = name.endsWith('.json')
      ? JSON.parse(written)
      : written
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
    expect(jokes).toEqual(many)
  })

  it('writes what can be imported', async () => {
    const file = join(folder, 'again.jsonl')
    await run('export', file, '--from', full.url)
    const some = readFileSync(file, 'utf8').split('\n').slice(0, 20)
    const again = await run('import', write('some.jsonl', some.join('\n')), '--to', full.url)
    expect(again).toEqual([0, '0 added, 20 already there, 0 invalid.\n', ''])
  })

  it('writes nothing where a page fails', async () => {
    const failing = await startStub((response) => response.writeHead(500).end('{"detail":"no"}'))
    const file = join(folder, 'failed.json')
    const [exitCode, , error] = await run('export', file, '--from', failing.url)
    expect([exitCode, error]).toEqual([1, expect.stringContaining('answers 500: {"detail":"no"}')])
    expect(() => readFileSync(file)).toThrow('ENOENT')
    failing.stop()
  })
})

function write(name: string, content: string): string {
  const file = join(folder, name)
  writeFileSync(file, content)
  return file
}

function importFile(file: string, ...options: string[]) {
  return run('import', file, '--to', service.url, ...options)
}

function start(tool: 'import' | 'export', ...given: string[]) {
  return spawn(process.execPath, [`tools/${tool}.ts`, ...given], { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** What it ends with, and what it says. */
async function run(
  tool: 'import' | 'export',
  ...given: string[]
): Promise<[exitCode: number, output: string, error: string]> {
  return resultOf(start(tool, ...given))
}

async function resultOf(child: ReturnType<typeof start>): Promise<[exitCode: number, output: string, error: string]> {
  const [output, error, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return [exitCode, output, error]
}

/** A service that answers as a test needs it. */
async function startStub(answer: (response: ServerResponse, count: number) => void) {
  let count = 0
  const server = createServer((_, response) => answer(response, count++)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${Object(server.address()).port}`, stop: () => server.close() }
}
