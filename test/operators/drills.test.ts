/** What operators do when something went wrong, with the commands of the runbooks. */
import { randomUUID } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { eraseJoke, findRecord } from '../../shared/store/removal.ts'
import { openStore } from '../../shared/store/store.ts'
import { emptyTable, emptyTables, itemsOf, load, put } from '../support/access.ts'
import { startProxy } from '../support/faults.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { operate as operateOn, runHere, typing } from '../support/process.ts'
import { byId, idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const operate = (...command: [name: 'remove' | 'reindex' | 'restore', ...options: string[]]) =>
  operateOn(store, ...command)
beforeEach(() => emptyTables(store))
afterEach(() => void vi.unstubAllEnvs())
afterAll(service.stop)

const good = numberedJokes(10)

/** The ids of all jokes that a listing shows. */
async function listed(query: Record<string, string> = {}): Promise<string[]> {
  return idsOf((await service.pages({ numberofJokes: '250', ...query })).flat())
}

/** Changes text and upvotes of a joke directly in the table. */
async function overwrite(id: string, text: string, thumbsUp = 0): Promise<void> {
  const edit = new UpdateCommand({
    TableName: store.jokesTable,
    Key: { id },
    UpdateExpression: 'SET joke = :text, thumbsUp = :thumbsUp',
    ExpressionAttributeValues: { ':text': text, ':thumbsUp': thumbsUp },
  })
  await store.database.send(edit)
}

it('an offensive joke is traced, removed, restored, removed again and erased', async () => {
  await load(store, good)
  const [joke] = await service.add({ joke: 'Something offensive', category: 'Classic' })
  const id = `${joke?.id}`
  const { requestId } = (await findRecord(store, id)) ?? {}

  const line = `^${id}  was listed, removed  added by request ${requestId}  .* Classic, 0 upvotes  Something offensive\n$`
  expect((await operate('remove', id, '--show')).stdout).toMatch(new RegExp(line))
  expect(await listed()).toEqual(idsOf(good))
  expect((await operate('remove', id, '--undo')).stdout).toContain('was removed, brought back')
  expect(await listed({ searchString: 'offensive' })).toEqual([id])
  await operate('remove', id)
  const question = 'Erase 1 joke for ever? Type their number: There is no terminal to ask on: add --count 1'
  expect((await operate('remove', id, '--erase')).stderr).toContain(question)
  expect((await operate('remove', id, '--erase', '--count', '2')).code).toBe(1)
  for (const line of ['', 'y', '2']) {
    typing(line)
    expect((await operate('remove', id, '--erase')).stderr).toContain('is not their number. Nothing was changed.')
  }
  expect((await findRecord(store, id))?.state).toBe('removed')
  typing('1')
  expect((await operate('remove', id, '--erase')).stdout).toContain('was removed, erased')
  expect((await operate('remove', id, '--undo')).stdout).toContain('is erased, left as it was')
  expect(await listed()).toEqual(idsOf(good))
})

it('a joke that another command has erased meanwhile is left as it is', async () => {
  const [joke] = await service.add({ joke: 'Erased twice', category: 'Classic' })
  const id = `${joke?.id}`
  await operate('remove', id)
  const proxy = await startProxy()
  let updates = 0
  proxy.plan = async (operation) => {
    if (operation === 'UpdateItem' && updates++ === 0) await eraseJoke(store, id)
    return undefined
  }
  const { code, stdout } = await operateOn(openStore(store, configOf(proxy.endpoint)), 'remove', id, '--undo')
  proxy.stop()
  expect([code, stdout, updates]).toEqual([1, `${id}  is erased, left as it was\n`, 1])
})

it('a search takes whole words, unless told to take their beginnings', async () => {
  await service.add(...['One bee', 'It has been', 'Two beer'].map((joke) => ({ joke, category: 'Classic' })))
  const period = ['--since', '2020-01-01', '--search', 'bee', '--yes']
  expect((await operate('remove', ...period)).stderr).toContain('1 joke removed.')
  expect((await service.jokes()).map(({ joke }) => joke)).toEqual(['Two beer', 'It has been'])
  expect((await operate('remove', ...period, '--beginnings')).stderr).toContain('2 jokes removed.')
})

it('300 spam jokes are removed by time and words, and no others', async () => {
  const spam = Array.from({ length: 300 }, (_, number) => ({
    ...numberedJoke(number + 100),
    joke: `Buy pills no. ${number}`,
  }))
  const later = { ...numberedJoke(5_000), joke: 'Pills, added later' }
  const others = [...good.slice(1), { ...numberedJoke(0), joke: 'Pills, added before' }, numberedJoke(450), later]
  await load(store, [...others, ...spam], ({ prefix }) => prefix === 'pills')
  const period = ['--since', `${spam[0]?.dateAdded}`, '--until', later.dateAdded, '--search', 'pills']

  const asked = await operate('remove', ...period)
  expect(asked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Remove 300 jokes?') })
  for (const answer of ['', 'n', 'yess']) {
    typing(answer)
    expect((await operate('remove', ...period)).stderr).toContain('Nothing was changed.')
  }
  expect(await listed()).toHaveLength(312)
  const { code, stdout, stderr } = await operate('remove', ...period, '--yes')
  expect([code, stdout.trim().split('\n').length]).toEqual([0, 300])
  expect(stderr).toContain('300 jokes removed.')
  expect(await listed()).toEqual(idsOf(others))
})

describe('with a restored table', () => {
  let backup: string
  beforeEach(async () => {
    await load(store, good)
    backup = `Backup-${randomUUID()}`
    await createTables({ ...store, jokesTable: backup }, configOf(inject('endpoint')))
    await put(store, backup, ...(await itemsOf(store, store.jokesTable)))
  })

  it('restore undoes wrong changes, and keeps what was removed or added since', async () => {
    const [wrong, removed, erased] = good
    if (!wrong || !removed || !erased) throw new Error('There are no jokes.')
    await overwrite(wrong.id, 'Vandalized', 1_000_000)
    await operate('remove', removed.id, erased.id)
    await operate('remove', erased.id, '--erase', '--count', '1')
    const [added] = await service.add({ joke: 'Added since', category: 'School' })

    const { code, stdout } = await operate('restore', '--from', backup)
    expect([code, stdout]).toEqual([0, '10 jokes read, 8 restored.\n'])
    expect(await service.jokes({ id: wrong.id })).toEqual([wrong])
    expect(await listed()).toEqual([...idsOf(good.slice(3)), wrong.id, `${added?.id}`].toSorted())
    expect((await findRecord(store, erased.id))?.state).toBe('erased')
  })

  it('restore --missing adds missing jokes, and keeps current votes', async () => {
    const [voted, ...gone] = good
    await emptyTables(store)
    await load(store, voted ? [{ ...voted, thumbsUp: 77 }] : [])
    const { stdout } = await operate('restore', '--from', backup, '--missing')
    expect(stdout).toBe('10 jokes read, 9 restored.\n')
    expect((await service.jokes({ id: `${voted?.id}` }))[0]?.thumbsUp).toBe(77)
    expect(await listed({ searchString: 'tea time', sortBy: 'thumbsUp' })).toEqual(idsOf(good))
    expect(byId(await service.jokes({ id: idsOf(gone).join() }))).toEqual(byId(gone))
  })

  it('restore keeps jokes that were lost and added again since, unless told to replace them', async () => {
    const [lost, ...others] = good
    if (!lost) throw new Error('There are no jokes.')
    await emptyTables(store)
    await load(store, others)
    const { joke, punchline, category } = lost
    const [again] = await service.add({ joke, punchline, category })
    for (const options of [['--missing'], []]) {
      await operate('restore', '--from', backup, ...options)
      expect(await service.jokes({ id: lost.id })).toEqual([again])
    }
    await operate('restore', '--from', backup, '--newer')
    expect(await service.jokes({ id: lost.id })).toEqual([lost])
    expect(await listed({ searchString: 'tea time' })).toEqual(idsOf(good))
  })
})

describe('reindex', () => {
  it('updates the words of a joke that was edited by hand', async () => {
    const [joke] = await service.add({ joke: 'Mispelled wurds', category: 'Classic' })
    await service.add({ joke: 'Another one', category: 'School' })
    await overwrite(`${joke?.id}`, 'Misspelled words')
    expect((await operate('reindex')).stdout).toBe('2 jokes read, 1 updated.\n')
    expect(await listed({ searchString: 'words' })).toEqual([joke?.id])
    expect(await listed({ searchString: 'wurds' })).toEqual([])
    const lists = (await itemsOf(store, store.wordsTable)).map(({ prefix }) => prefix)
    expect(lists).toEqual(expect.arrayContaining(['anothe', 'misspe', 'one', 'words']))
    expect(lists).not.toContain('wurds')
    expect((await operate('reindex')).stdout).toBe('2 jokes read, 0 updated.\n')
  })

  it('writes missing words with --all, but not of removed jokes, which get theirs when they come back', async () => {
    const jokes = await service.add(
      ...['Listed', 'Removed', 'Erased'].map((joke) => ({ joke: `${joke} joke`, category: 'Classic' })),
    )
    const [, removed, erased] = jokes
    await operate('remove', `${removed?.id}`, `${erased?.id}`)
    await operate('remove', `${erased?.id}`, '--erase', '--count', '1')
    await emptyTable(store, store.wordsTable)
    expect((await operate('reindex', '--all')).stdout).toBe('3 jokes read, 1 updated.\n')
    expect(await listed({ searchString: 'joke' })).toEqual(idsOf(jokes.slice(0, 1)))
    await operate('remove', `${removed?.id}`, '--undo')
    expect(await listed({ searchString: 'joke' })).toEqual(idsOf(jokes.slice(0, 2)))
    expect(JSON.stringify(await itemsOf(store, store.wordsTable))).not.toContain(erased?.id)
  })
})

describe('a command', () => {
  const EMPTY = /(has an empty value|is empty)\. See npm run remove -- --help\.$/
  const NAME_JOKES = /^Name jokes by their ids, or by --since\./
  const WHICH_SERVICE = /^Say which service: --stack NAME \(production is JokeService\), or --local\. See npm run /

  it.each<[options: string, message: RegExp]>([
    ['remove --local', NAME_JOKES],
    ['remove --local x --since 2026-01-01', NAME_JOKES],
    ['remove --local x --undo --erase', /^Choose --undo or --erase\./],
    ['remove --local --until 2026-01-01', /^--until and --search need --since\./],
    ['remove --local --search x', /^--until and --search need --since\./],
    ['remove --local --since 2026-01-01 --undo', /^--since finds listed jokes only/],
    ['remove --local --since 2026-01-01 --beginnings', /^--beginnings needs --search\./],
    ['remove --local x --count 1', /^--count needs --erase\./],
    ['remove --local x --yes', /^--yes needs --since\./],
    ['remove --local x --stack JokeService', WHICH_SERVICE],
    ['remove --local --since yesterday', /^yesterday is not a time/],
    ['remove --local --since 2001', /^2001 is not a time/],
    ['remove --local --since 2026-02-30T25:00Z', /is not a time/],
    ['remove --local --since 2026-02-31', /is not a time/],
    ['remove --local EMPTY --yes', EMPTY],
    ['remove --local --ids EMPTY', EMPTY],
    ['remove --local --since 2026-01-01 --until EMPTY --yes', EMPTY],
    ['remove --local --since 2026-01-01 --search EMPTY --yes', EMPTY],
    ['remove x', WHICH_SERVICE],
    ['reindex', WHICH_SERVICE],
    ['restore --from x', WHICH_SERVICE],
    ['remove --local x', /^No local service keeps its jokes in \/nowhere\. Run npm start first\.$/],
  ])('refuses its options before it reads any joke: %s', async (options, message) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
    vi.stubEnv('DATA_DIR', '/nowhere')
    const [command = '', ...others] = options.split(' ').map((option) => option.replace('EMPTY', ''))
    const { code, stdout, stderr } = await runHere(command, ...others)
    expect([code, stdout, stderr.trimEnd()]).toEqual([1, '', expect.stringMatching(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it.each<[command: 'remove' | 'restore', options: string, last: RegExp]>([
    [
      'remove',
      `--since 2026-01-01 --search ${'x'.repeat(201)}`,
      /^searchString must be at most 200 characters long\.$/,
    ],
    ['remove', 'x'.repeat(3_000), /^ValidationException: /],
    ['restore', '--from absent', /^A table does not exist: absent, or/],
    ['restore', `--from ${store.jokesTable}`, /Name the restored one\.$/],
  ])('explains what went wrong: %s %s', async (command, options, last) => {
    const result = await operate(command, ...options.split(' '))
    expect([result.code, result.stdout, lastLine(result)]).toEqual([1, '', expect.stringMatching(last)])
  })

  it('explains that the database cannot be reached', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1')
    const reason = 'Cannot connect: connect ECONNREFUSED 127.0.0.1:1.'
    expect(lastLine(await runHere('reindex', '--local'))).toBe(reason)
    const removed = await runHere('remove', '--local', '--since', '2026-01-01')
    expect([removed.code, lastLine(removed)]).toEqual([1, `The jokes could not be read just now: try again. ${reason}`])
  })

  it('refuses to work without an option that npm has kept for itself, and shows the right line', async () => {
    vi.stubEnv('npm_config_undo', 'true')
    vi.stubEnv('npm_config_stack', 'true')
    const { code, stderr } = await runHere('remove', 'x', 'JokeService-dev')
    const line =
      'Put all options after --, as in: npm run remove -- … --undo … --stack. See npm run remove -- --help.\n'
    expect([code, stderr]).toEqual([1, `npm has kept --undo and --stack for itself. ${line}`])
  })

  it('lists ids that no joke has', async () => {
    const { code, stdout } = await operate('remove', 'AAAAAAAAAAAAAAAAAAAAAA')
    expect([code, stdout]).toEqual([1, 'AAAAAAAAAAAAAAAAAAAAAA  no joke has this id\n'])
  })
})

function lastLine({ stderr }: { stderr: string }): string | undefined {
  return stderr.trim().split('\n').at(-1)
}
