/** Arguments, targets, questions, progress and signals of all commands. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { emptyTables } from '../support/access.ts'
import { listen } from '../support/listen.ts'
import { onTerminal, operate, resultOf, run, runHere, sendSignal, temporaryFolder, typing } from '../support/process.ts'
import { createStore, idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
beforeEach(() => emptyTables(store))
afterEach(() => void vi.unstubAllEnvs())
afterAll(service.stop)

const listed = async () => idsOf(await service.jokes())

/** Environment of a command in its own process, with --local. */
const environment = {
  AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint'),
  JOKES_TABLE: store.jokesTable,
  WORDS_TABLE: store.wordsTable,
}

describe('a command', () => {
  const names = ['import', 'export', 'approve', 'remove', 'restore', 'reindex', 'smoke', 'locate']

  it.each(['bin/jokes', ...names.map((name) => `bin/jokes ${name}`)])(
    '%s has a usage with two examples',
    async (usage) => {
      const [, ...command] = usage.split(' ')
      const stdout = expect.stringMatching(new RegExp(`^Usage: ${usage} .*\nExamples:(\n  ${usage} ?.*){2,}\n$`, 's'))
      for (const options of [['--help'], ['-h'], ...(command.length > 0 ? [] : [[]])])
        expect(await runHere(...command, ...options)).toEqual({ code: 0, stdout, stderr: '' })
    },
  )

  it.each([
    ['approve', /where approval is on: locally after APPROVAL=on npm start/],
    ['approve', /links to jokes, as the page's Share button gives, or ids/],
    ['remove', /links to jokes, as the page's Share button gives, or ids/],
    ['import', /by default, the one that npm start runs with the same PORT and HOST/],
  ])('the help of %s says %s', async (name, text) => {
    expect((await runHere(name, '--help')).stdout.replaceAll(/\s+/g, ' ')).toMatch(text)
  })

  it.each([
    ['import test/sample-jokes.json', /^62 added/],
    ['export -', /^$/],
    ['smoke', /^The service lists jokes\./],
  ])('%s without an address uses the service of npm start', async (command, stdout) => {
    vi.stubEnv('PORT', new URL(service.url).port)
    vi.stubEnv('HOST', '')
    const result = await runHere(...command.split(' '))
    expect(result).toEqual({ code: 0, stdout: expect.stringMatching(stdout), stderr: expect.any(String) })
  })

  it('--version prints the version of the project', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(await runHere('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('the help of bin/jokes lists each command with a summary', async () => {
    const { stdout } = await runHere()
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z].*`, 'm'))
  })

  it.each<[options: string, message: RegExp]>([
    ['imprt file', /^Unknown command 'imprt' \(did you mean import\?\): see bin\/jokes --help\.$/],
    ['toString', /^Unknown command 'toString': see bin\/jokes --help\.$/],
    [
      'remove --local',
      /^Name jokes by ids, links, --ids, --since, --waiting or --removed: see bin\/jokes remove --help\.$/,
    ],
    ['remove --local x --since 2026-01-01', /^Name jokes by ids, links, /],
    ['remove --local x --undo --erase', /^Choose --undo or --erase: /],
    ['remove --local --until 2026-01-01', /^--until needs --since or --waiting: /],
    ['remove --local --waiting --search $$$', /^--search \$\$\$ holds no word, so it would choose every joke: /],
    ['remove --local --search x', /^--search needs --since or --waiting: /],
    ['remove --local --since 2026-01-01 --undo', /^--undo needs ids or links; --removed lists those/],
    ['remove --local --removed --erase', /^--erase needs ids or links; --removed lists those/],
    ['remove --local --since 2026-01-01 --beginnings', /^--beginnings needs --search: /],
    ['remove --local x --count 1', /^--count needs --erase: /],
    ['remove --local x --yes', /^--yes needs --since or --waiting: /],
    ['approve --local x --all', /^Choose one: jokes, --all or --json: /],
    ['approve --local --ids /dev/null --all', /^Choose one: /],
    ['approve --local --all --json', /^Choose one: /],
    ['remove --local --since 2026-02-28T23:00:00.5+01:00 --until x', /^x is not a time/],
    ['remove --local --since 2001', /^2001 is not a time/],
    ['remove --local --since +2026-01-01', /is not a time/],
    ['remove --local --since 2026-01-01Z', /is not a time/],
    ['remove --local --since 2026-02-28T25:00Z', /is not a time/],
    ['remove --local --since 2026-02-31', /is not a time/],
    ['remove --local EMPTY', /^An argument is empty, perhaps because .* not set: see bin\/jokes remove --help\.$/],
    ['remove --local --since 2026-01-01 --search EMPTY', /^An argument is empty, /],
    ['remove --local --since 2026-01-01 --search=', /^An argument is empty, /],
    ['approve --local x --count 1', /^--count needs --all: /],
    ['remove x', /^Say which service: --stack NAME \(production is JokeService\), or --local: see bin\/jokes remove /],
    ['remove x --local --stack JokeService', /^Option '--local' cannot be used with option '--stack <name>': see /],
    ['import', /^Missing required argument 'file': see bin\/jokes import --help\.$/],
    ['import file --too', /^Unknown option '--too': see bin\/jokes import --help\.$/],
    ['import file --mapp x', /^Unknown option '--mapp' \(did you mean --map\?\): see bin\/jokes import --help\.$/],
    ['import file --map EMPTY', /^An argument is empty, /],
    ['import file --map x', /^--map x: it must be FIELD=NAME, /],
    ['import a b c', /^Too many arguments for 'import'\. Expected 2 arguments but got 3: a, b, c: see /],
    ['import file ftp://x', /^ftp:\/\/x is not the address of a service, /],
    ['export', /^Missing required argument 'file': see bin\/jokes export --help\.$/],
    ['export a.xlsx', /^The name of the file must end in one of \.json, \.jsonl, \.ndjson, \.csv: see /],
    ['export all', /^The name of the file must end in /],
    ['export a.csv xhttp://y', /^xhttp:\/\/y is not the address of a service, /],
    ['reindex --local x', /^Too many arguments for 'reindex'\. Expected 0 /],
    ['reindex --local --after x', /^x is not the id of a joke: see bin\/jokes reindex --help\.$/],
    ['restore --local --from x --after x', /^x is not the id of a joke: see bin\/jokes restore --help\.$/],
    ['restore --local', /^Required option '--from <table>' not specified: see /],
    ['restore --local --from x --missing --newer', /^Choose --missing or --newer: /],
    ['smoke --stack x http://localhost', /^Without --write, there is nothing to remove: /],
    [
      'locate Lists 1:1',
      /'Lists' is invalid .* Allowed choices are Create, List, ThumbsUp: see bin\/jokes locate --help\.$/,
    ],
    ['remove --local x', /^No local service keeps its jokes in \/nowhere\. Run npm start first\.$/],
  ])('a command refuses wrong arguments before it reads jokes: %s', async (options, message) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
    vi.stubEnv('DATA_DIR', '/nowhere')
    const args = options.split(' ').map((option) => option.replace('EMPTY', ''))
    const { code, stdout, stderr } = await runHere(...args)
    expect([code, stdout, stderr.trimEnd()]).toEqual([1, '', expect.stringMatching(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each<[command: string, options: string, message: RegExp]>([
    ['remove', `--since 2026-01-01 --search ${'x'.repeat(201)}`, /\nsearchString must be at most 200 .* long\.\n$/],
    ['remove', 'x'.repeat(3_000), /\nValidationException: .*\n$/],
    ['restore', '--from absent', /\nRestoring from absent\.\nA table does not exist\. Check its name\.\n$/],
    ['restore', '--from OWN', /\nJokes-\S+ is the table of the service itself\. Name the restored/],
  ])('a failing command explains what went wrong: %s %s', async (command, options, message) => {
    const given = options.replace('OWN', store.jokesTable).split(' ')
    const { code, stdout, stderr } = await operate(store, command, ...given)
    expect([code, stdout.replace('0 jokes read, 0 restored.\n', '')]).toEqual([1, ''])
    expect(stderr).toMatch(message)
  })

  it('a command explains that it cannot reach the database', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1')
    // Without this, the retries would wait for seconds.
    using _random = vi.spyOn(Math, 'random').mockReturnValue(0)
    const { code, stderr } = await runHere('remove', '--local', '--since', '2026-01-01')
    const reason = 'Cannot connect: connect ECONNREFUSED 127.0.0.1:1.'
    expect([code, stderr.split('\n')[1]]).toEqual([1, `The jokes could not be read. Try again. ${reason}`])
  })
})

describe('--stack', () => {
  /** Runs a command where each stack has these outputs, except that `JokeService-none` does not exist. */
  async function onStack(outputs: Record<string, string>, ...command: string[]) {
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }))
    using _send = vi.spyOn(CloudFormationClient.prototype, 'send').mockImplementation(async ({ input }) => {
      if (Object(input).StackName === 'JokeService-none') throw new Error('No such stack.')
      return { Stacks: [{ Outputs }] }
    })
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('endpoint'))
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
    return await runHere(...command)
  }

  it('--stack selects the tables of a stack', async () => {
    const [id = '', other] = await service.addTexts('On the stack', 'Another')
    const outputs = { ApiId: 'x', JokesTable: store.jokesTable, WordsTable: store.wordsTable }
    const { code, stderr } = await onStack(outputs, 'remove', id, '--stack', 'JokeService-dev')
    expect([code, stderr]).toEqual([0, 'Working on the stack JokeService-dev.\n1 joke removed.\n'])
    expect(await listed()).toEqual([other])
    expect(await service.jokes({ searchString: 'stack' })).toEqual([])
  })

  it.each([
    ['remove x', 'JokeService', 'JokeService-dev'],
    ['approve x', 'JokeService', 'JokeService-dev'],
    ['reindex', 'JokeService-dev', 'JokeService'],
    ['restore --from x', 'JokeService-dev', 'JokeService'],
    ['smoke http://localhost --write', 'JokeService-dev', 'JokeService'],
  ])('%s refuses a stack other than the one selected in the shell', async (command, read, stack) => {
    vi.stubEnv('JOKE_STACK', read)
    const { code, stderr } = await onStack({}, ...command.split(' '), '--stack', stack)
    const message = `This command is for ${stack}, but this shell works on ${read}. Say --stack $stack, or open another shell.\n`
    expect([code, stderr]).toEqual([1, message])
  })

  it('only a restore into production asks for the number of jokes', async () => {
    await service.addTexts('One', 'Two')
    const outputs = { JokesTable: 'Other', WordsTable: store.wordsTable }
    const from = ['--from', store.jokesTable]
    expect((await onStack(outputs, 'restore', '--stack', 'JokeService-dev', ...from)).stderr).not.toContain('Type')
    const restore = (...options: string[]) => onStack(outputs, 'restore', '--stack', 'JokeService', ...from, ...options)
    const question = `Restore 2 jokes from ${store.jokesTable}?`
    expect((await restore()).stderr).toContain(`${question} Type their number: There is no terminal`)
    const refused = {
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('You typed "3", but the number of jokes is 2.'),
    }
    expect(await restore('--count', '3')).toEqual(refused)
    expect((await restore('--count', '2')).stderr).toContain(`\nRestoring from ${store.jokesTable}.\n`)
  })

  it.each([
    [{ JokesTable: 'x' }, 'JokeService-dev', /^The stack JokeService-dev is not a Joke Service: /],
    [{ WordsTable: 'x' }, 'JokeService-dev', /^The stack JokeService-dev is not a Joke Service: /],
    [{}, 'JokeService-none', /^Cannot find the tables of the stack JokeService-none: No such stack\. Set credentials /],
  ])('--stack explains why it cannot use the outputs %j of %s', async (outputs, stack, message) => {
    const { code, stderr } = await onStack(outputs, 'remove', 'x', '--stack', stack)
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })
})

it('removing the jokes of a period needs a yes at the terminal', async () => {
  await service.addTexts('One', 'Two')
  const type = async (...answers: string[]) => {
    typing(...answers)
    const { code, stderr } = await operate(store, 'remove', '--since', '2020-01-01')
    return [code, /^(Nothing|Stopped|\d jokes? removed).*$/m.exec(stderr)?.[0], (await listed()).length]
  }
  for (const answer of ['', 'n', 'yesterday']) expect(await type(answer)).toEqual([1, 'Nothing was changed.', 2])
  expect(await type()).toEqual([1, 'Stopped.', 2])
  expect(await type('y')).toEqual([0, '2 jokes removed.', 0])
  await service.addTexts('Three')
  expect(await type('Yes')).toEqual([0, '1 joke removed.', 0])
})

it('erasing jokes needs their number typed at the terminal', async () => {
  const ids = await service.addTexts('One', 'Two')
  await operate(store, 'remove', ...ids)
  // A joke named twice counts once.
  const erase = (...options: string[]) => operate(store, 'remove', ...ids, ...ids, '--erase', ...options)
  const question = 'Erase 2 jokes for ever? Type their number: There is no terminal to ask on: add --count 2'
  expect((await erase()).stderr).toContain(question)
  expect((await erase('--count', '1')).code).toBe(1)
  for (const answer of ['', 'y', '1', '22', '2.0']) {
    typing(answer)
    const message = `You typed "${answer}", but the number of jokes is 2. Nothing was changed.`
    expect(await erase()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
  }
  typing('2')
  expect(await erase()).toMatchObject({ code: 0, stderr: expect.stringContaining('2 jokes erased.') })
})

it('commands show their progress on a terminal', async () => {
  const ids = await service.addTexts('One', 'Two')
  const written = onTerminal()
  const drawn = async (command: Promise<unknown>) => {
    await command
    return written.mock.calls.splice(0).join('')
  }
  expect(await drawn(operate(store, 'reindex'))).toMatch(/\b2\b[^\n█]*$/)
  expect(await drawn(operate(store, 'remove', ...ids))).toContain('█ 2 of 2')
  const imported = await drawn(runHere('import', 'test/sample-jokes.json', service.url))
  expect(imported).toMatch(/█ 62 of 62[^\n]*$/)
  const exported = await drawn(runHere('export', join(temporaryFolder(), 'all.csv'), service.url))
  expect(exported).toMatch(/62 jokes\.\n[^█]*62/)
})

it('Ctrl+C at a question exits 130', async () => {
  await service.addTexts('One')
  onTerminal()
  typing('\x03')
  const { code, stderr } = await operate(store, 'remove', '--since', '2020-01-01')
  expect([code, stderr]).toEqual([130, expect.stringMatching(/\nStopped\.\n$/)])
})

it.each(['remove x', 'reindex', 'reindex --all'])(
  'a second Ctrl+C ends %s while the database hangs',
  async (command) => {
    let again: NodeJS.Timeout | undefined
    const { server, url } = await listen(() => {
      again ??= setInterval(() => child.kill('SIGINT'), 1_500)
      child.kill('SIGINT')
    })
    onTestFinished(() => void server.close())
    const child = run({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: url }, [
      'bin/jokes',
      ...command.split(' '),
      '--local',
    ])
    const [code, , stderr] = await resultOf(child).finally(() => clearInterval(again))
    expect([code, stderr.split('\n').slice(1)]).toEqual([
      130,
      ['The command finishes what it has begun. A second Ctrl+C ends it at once.', ''],
    ])
  },
)

it('smoke --write removes its joke even after Ctrl+C', async () => {
  const { server, url } = await listen(async (request, response) => {
    const { method = '', url = '' } = request
    if (method === 'POST' && url.startsWith('/joke')) child.kill('SIGINT')
    const body = method === 'POST' ? { body: await text(request) } : {}
    const answer = await fetch(new URL(url, service.url), { method, ...body })
    response.writeHead(answer.status).end(await answer.text())
  })
  onTestFinished(() => void server.close())
  const child = run(environment, ['bin/jokes', 'smoke', url, '--write', '--local'])
  const [code, stdout] = await resultOf(child)
  expect([code, stdout]).toEqual([
    130,
    expect.stringMatching(/^The service adds a joke\.$.*^The joke is removed again\.$/ms),
  ])
  expect(await listed()).toEqual([])
})

it('smoke --write refuses the store of another service', async () => {
  const other = await createStore()
  const tables = { JOKES_TABLE: other.jokesTable, WORDS_TABLE: other.wordsTable }
  const child = run({ ...environment, ...tables }, ['bin/jokes', 'smoke', service.url, '--write', '--local'])
  const [code, stdout, stderr] = await resultOf(child)
  expect([code, stderr]).toEqual([1, expect.stringContaining('The joke is not in the store that was named')])
  expect(stdout).toContain(`To remove the joke: bin/jokes remove ${await listed()} --stack NAME`)
})

it('--ids - reads an id or link from each line of standard input', async () => {
  const ids = await service.addTexts('One', 'Two', 'Three')
  const input = `${ids[0]}  2026-01-01  ${ids[1]}\n\n  https://jokes.example/?lang=en&id=${ids[2]}\n`
  const remove = (input: string) =>
    execFileSync(process.execPath, ['bin/jokes', 'remove', '--local', '--ids', '-'], {
      env: environment,
      input,
      stdio: 'pipe',
    })
  remove(input)
  expect(await listed()).toEqual([ids[1]])
  expect(String(remove(''))).toBe('')
})

it.each([
  ['reindex', 'SIGTERM', 143, 'Jokes'],
  ['restore --from Backup', 'SIGINT', 130, 'Backup'],
] as const)('%s stopped by %s says where it can continue: exit code %i', async (command, signal, exitCode, table) => {
  const idOf = (page: number) => `${page}`.padStart(22, '0')
  const starts: unknown[] = []
  const { server, url } = await listen(async (request, response) => {
    const { TableName, ExclusiveStartKey } = JSON.parse(await text(request))
    starts.push([TableName, ExclusiveStartKey?.id.S])
    if (starts.length === 2) sendSignal(signal)
    const damaged = { id: { S: idOf(starts.length) }, state: { S: 'listed' } }
    const page = { Items: [damaged], ...(starts.length < 5 && { LastEvaluatedKey: { id: damaged.id } }) }
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(page))
  })
  onTestFinished(() => void server.close())
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', url)
  const [name = '', ...options] = command.split(' ')
  const { code, stdout, stderr } = await runHere(name, '--local', ...options, `--after=${idOf(0)}`)
  expect([code, stdout]).toEqual([exitCode, expect.stringMatching(/^2 jokes read, 0 /)])
  expect(starts).toEqual([idOf(0), idOf(1)].map((id) => [table, id]))
  expect(stderr).toContain(`\nStopped before the end. Continue with --after=${idOf(2)}.\n`)
})
