/** What the operators' commands share: which service they work on, what they ask, and how they stop and continue. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { findRecord } from '../../shared/store/removal.ts'
import { emptyTables } from '../support/access.ts'
import { listen } from '../support/listen.ts'
import { operate, resultOf, run, runHere, temporaryFolder, typing } from '../support/process.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
beforeEach(() => emptyTables(store))
afterEach(() => void vi.unstubAllEnvs())
afterAll(service.stop)

/** Adds jokes, and returns their ids in this order. */
async function add(...jokes: string[]): Promise<string[]> {
  return (await service.add(...jokes.map((joke) => ({ joke, category: 'School' })))).map(({ id }) => id)
}

/** Adds jokes that wait for approval. */
async function addWaiting(...jokes: string[]): Promise<string[]> {
  store.approval = true
  return add(...jokes).finally(() => {
    store.approval = false
  })
}

const listed = async () => idsOf(await service.jokes())

describe('--stack', () => {
  /** Runs a command where CloudFormation knows only the stack `JokeService-dev`, with these outputs. */
  async function onStack(outputs: Record<string, string>, ...command: [name: string, ...options: string[]]) {
    const { server, url } = await listen(async (request, response) => {
      const isKnown = new URLSearchParams(await text(request)).get('StackName') === 'JokeService-dev'
      response.writeHead(isKnown ? 200 : 400, { 'content-type': 'text/xml' })
      const members = Object.entries(outputs).map(
        ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      )
      response.end(
        isKnown
          ? `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
          : '<ErrorResponse><Error><Code>ValidationError</Code><Message>No such stack.</Message></Error></ErrorResponse>',
      )
    })
    onTestFinished(() => void server.close())
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', url)
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('endpoint'))
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
    return runHere(...command)
  }

  it('names the stack whose tables a command works on', async () => {
    const [id = '', other] = await add('On the stack', 'Another')
    const outputs = { ApiId: 'x', JokesTable: store.jokesTable, WordsTable: store.wordsTable }
    expect(await onStack(outputs, 'remove', id, '--stack', 'JokeService-dev')).toMatchObject({
      code: 0,
      stderr: 'Working on the stack JokeService-dev.\n1 joke removed.\n',
    })
    expect(await listed()).toEqual([other])
    expect(await service.jokes({ searchString: 'stack' })).toEqual([])
  })

  it.each([
    [{ JokesTable: 'x' }, 'JokeService-dev', /^The stack JokeService-dev is not a Joke Service: /],
    [{ WordsTable: 'x' }, 'JokeService-dev', /^The stack JokeService-dev is not a Joke Service: /],
    [{}, 'JokeService', /^Cannot find the tables of the stack JokeService: No such stack\. Set credentials /],
  ])('explains why it cannot use the outputs %j of the stack %s', async (outputs, stack, message) => {
    const { code, stderr } = await onStack(outputs, 'remove', 'x', '--stack', stack)
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })
})

describe('at a terminal', () => {
  it.each([
    ['', 1, 2],
    ['n', 1, 2],
    ['yesterday', 1, 2],
    ['y', 0, 0],
    ['Yes', 0, 0],
  ])('removes the jokes of a period or not, if %j is typed', async (answer, code, left) => {
    await add('One', 'Two')
    typing(answer)
    const { code: exitCode, stderr } = await operate(store, 'remove', '--since', '2020-01-01')
    expect([exitCode, (await listed()).length]).toEqual([code, left])
    expect(stderr).toContain(code === 0 ? '2 jokes removed.' : 'Nothing was changed.')
  })

  it.each([
    ['', 1],
    ['y', 1],
    ['1', 1],
    ['22', 1],
    ['2', 0],
  ])('erases two jokes or not, if %j is typed', async (answer, code) => {
    const ids = await add('One', 'Two')
    await operate(store, 'remove', ...ids)
    typing(answer)
    // Each counts once, however often it is named.
    expect(await operate(store, 'remove', ...ids, ...ids, '--erase')).toMatchObject({ code })
    // What is erased cannot be brought back.
    await operate(store, 'remove', ...ids, '--undo')
    expect(await listed()).toHaveLength(code === 0 ? 0 : 2)
  })

  it('lets in no joke and removes none, if nothing is typed', async () => {
    const [id = ''] = await addWaiting('One')
    typing('')
    expect(await operate(store, 'approve')).toMatchObject({ code: 0, stdout: '' })
    expect((await findRecord(store, id))?.state).toBe('waiting')
  })
})

describe('--ids', () => {
  it.each(['remove', 'approve'] as const)(
    'names a file: %s acts on the ids at the beginning of its lines',
    async (name) => {
      store.approval = true
      const ids = await add('One', 'Two', 'Three')
      store.approval = false
      const file = join(temporaryFolder(), 'ids')
      writeFileSync(file, `${ids[0]}  2026-01-01  ${ids[1]}\n\n  ${ids[2]}\n`)
      const { stdout } = await operate(store, name, '--ids', file)
      expect(stdout.match(/^\S+(?= {2}was waiting)/gm)?.toSorted()).toEqual([`${ids[0]}`, `${ids[2]}`].toSorted())
    },
  )

  it('reads standard input if it is -', async () => {
    const [id = '', other] = await add('One', 'Two')
    const { jokesTable: JOKES_TABLE, wordsTable: WORDS_TABLE } = store
    const env = { PATH: process.env.PATH, AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint'), JOKES_TABLE, WORDS_TABLE }
    execFileSync(process.execPath, ['tools/remove.ts', '--local', '--ids', '-'], { env, input: id, stdio: 'pipe' })
    expect(await listed()).toEqual([other])
  })
})

it('--since, --until and --search narrow what remove finds', async () => {
  const [, found] = await add('A cow', 'A bee')
  const period = ['--since', '2020-01-01', '--yes']
  expect((await operate(store, 'remove', ...period, '--until', '2020-01-02')).stderr).toContain('No joke to remove.')
  expect((await operate(store, 'remove', '--since', '9999-01-01', '--yes')).stderr).toContain('No joke to remove.')
  expect((await operate(store, 'remove', ...period, '--search', 'bee')).stdout).toContain(found)
  expect(await service.jokes()).toMatchObject([{ joke: 'A cow' }])
})

it.each([
  ['reindex', [], 'SIGINT'],
  ['reindex', [], 'SIGTERM'],
  ['restore', ['--from', 'Backup'], 'SIGINT'],
] as const)('%s %j continues after an id, and after %s says where it can continue', async (name, options, signal) => {
  const idOf = (page: number) => `${page}`.padStart(22, '0')
  const starts: unknown[] = []
  const { server, url } = await listen(async (request, response) => {
    const { TableName, ExclusiveStartKey } = JSON.parse(await text(request))
    starts.push([TableName, ExclusiveStartKey?.id.S])
    if (starts.length === 2) child.kill(signal)
    const page = { Items: [], LastEvaluatedKey: { id: { S: idOf(starts.length) } } }
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(page))
  })
  onTestFinished(() => void server.close())
  const child = run({ AWS_ENDPOINT_URL_DYNAMODB: url }, `tools/${name}.ts`, '--local', ...options, `--after=${idOf(0)}`)
  const [code, stdout, stderr] = await resultOf(child)
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^0 jokes read, 0 /)])
  const table = name === 'reindex' ? 'Jokes' : 'Backup'
  // The signal may arrive some pages later.
  expect(starts.slice(0, 2)).toEqual([
    [table, idOf(0)],
    [table, idOf(1)],
  ])
  expect(stderr).toContain(`Stopped before the end. Continue with --after=${idOf(starts.length)}.`)
})
