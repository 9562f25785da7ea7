/** Drills with the commands of the runbooks: approval, removal, erasure, restore and reindex. */
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { plural } from '../../shared/plural.ts'
import { changeState, findByState, findRecord, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { emptyTable, emptyTables, itemsOf, load, put, toStored, writeOrphans } from '../support/access.ts'
import { startBehindProxy, stopAll } from '../support/faults.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { operate as operateOn, operatingOn, runHere, sendSignal, temporaryFolder, typing } from '../support/process.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const operate = (command: string, ...options: string[]) => operateOn(store, command, ...options)
beforeEach(() => {
  store.approval = false
  return emptyTables(store)
})
afterAll(service.stop)

const good = numberedJokes(10)
const [one, two, three] = [numberedJoke(0), numberedJoke(1), numberedJoke(2)]

/** Returns the ids of all jokes that a listing shows. */
const listed = async (query = {}) => idsOf((await service.pages({ numberofJokes: '250', ...query })).flat())

it('remove shows the jokes of links before it asks', async () => {
  await service.add({ joke: 'Why?', punchline: 'Because.', category: 'Classic' })
  const ids = [...idsOf(await service.jokes()), ...(await service.addTexts('One', 'Other'))]
  const { stderr } = await operate('remove', '--since', '2020-01-01')
  expect(stderr).toMatch(/ {2}Why\? \/ Because\.\n.*Remove 3 jokes\?/s)
  const [first, ...others] = ids
  const links = [`https://jokes.example/?id=${first}`, `?id=${others.join('%2C')}&lang=en`]
  expect((await operate('remove', ...links)).stderr).toContain('\n3 jokes removed.\n')
  expect(await listed()).toEqual([])
})

it('remove prints each state of an offensive joke until it is erased', async () => {
  const [id = ''] = await service.addTexts(`Something ${'very, '.repeat(12)}offensive`)
  const { requestId } = (await findRecord(store, id)) ?? {}

  const line = `^${id}  was listed, removed  added by request ${requestId}  .* Classic, 0 upvotes  Something (very, ){11}ver…\n$`
  expect((await operate('remove', id, '--show')).stdout).toMatch(new RegExp(line))
  expect((await operate('remove', id, '--undo')).stdout).toContain('was removed, brought back')
  await operate('remove', id)
  expect((await operate('remove', id, '--erase', '--count', '1')).stdout).toContain('was removed, erased')
  expect((await operate('remove', id, '--undo')).stdout).toContain('is erased, left as it was')
})

it('erasing deletes entries left by a race, even if one joke fails', async () => {
  const [id = ''] = await service.addTexts('Erased twice over')
  const [joke] = await service.jokes({ id })
  if (joke) await writeOrphans(store, { ...joke, dateAdded: '2020-01-01T00:00:00.000Z', joke: 'Other words' })
  await operate('remove', id)
  const { code, stdout } = await operate('remove', id, 'A'.repeat(22), '--erase', '--count', '2')
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/was removed, erased.* index entries read, \d+ deleted\.\n$/s),
  ])
  expect(JSON.stringify(await itemsOf(store, store.wordsTable))).not.toContain(id)
})

it('a repeated removal deletes index entries that a killed one left', async () => {
  const joke = { ...one, id: `-${'A'.repeat(21)}` }
  await put(store, store.jokesTable, toStored(joke).item)
  expect((await operate('remove', joke.id)).stdout).toContain('was listed, removed')
  await writeOrphans(store, joke)
  await operate('remove', joke.id)
  expect(await itemsOf(store, store.wordsTable)).toEqual([])
})

it('a throttled removal says so once', async () => {
  const ids = await service.addTexts('One', 'Two', 'Three')
  const { proxy } = await startBehindProxy()
  let calls = 0
  proxy.plan = () => (++calls % 2 === 0 ? 'throttle' : undefined)
  using _ = operatingOn(store, proxy.endpoint)
  const { code, stderr } = await runHere('remove', '--local', ...ids)
  await stopAll()
  expect([code, stderr.match(/^The database throttles\. Going on more slowly\.$/gm)]).toEqual([0, [expect.anything()]])
  expect(stderr).toContain('\n3 jokes removed.\n')
  expect(await listed()).toEqual([])
})

it('undo leaves a joke that another command erases at the same time', async () => {
  const [id = ''] = await service.addTexts('Erased twice')
  await operate('remove', id)
  const original = DynamoDBDocumentClient.prototype.send
  using send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send')
  send.mockImplementationOnce(async function (this: unknown, ...args) {
    const read = await Reflect.apply(original, this, args)
    await changeState(store, id, TRANSITIONS.erase)
    return read
  })
  const { code, stdout } = await operate('remove', id, '--undo')
  expect([code, stdout]).toEqual([1, `${id}  is erased, left as it was\n`])
  // A failure of the database does not mean that the joke is unknown.
  const [other = ''] = await service.addTexts('Removed')
  await operate('remove', other)
  using _undo = vi.spyOn(TRANSITIONS.undo, 'next').mockImplementation(() => {
    throw new Error('no right')
  })
  const line = expect.stringContaining(`${other}  was removed, perhaps brought back`)
  const failed = { code: 1, stdout: line, stderr: expect.stringContaining('Error: no right') }
  expect(await operate('remove', other, '--undo')).toEqual(failed)
})

it.each(['SIGINT', 'expired'])('a removal stopped by %s prints every change it has made', async (reason) => {
  const jokes = numberedJokes(17)
  const error = Object.assign(new Error('No.'), { name: 'ExpiredTokenException', $fault: 'client' })
  const original = DynamoDBDocumentClient.prototype.send
  for (let last = 1; last < 60; last += 3) {
    await emptyTables(store)
    await load(store, jokes)
    const send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send')
    send.mockImplementation(function (this: unknown, ...args) {
      if (reason === 'SIGINT' && send.mock.calls.length === last) sendSignal(reason)
      if (reason !== 'SIGINT' && send.mock.calls.length > last) return Promise.reject(error)
      return Reflect.apply(original, this, args)
    })
    const { code, stdout, stderr } = await operate('remove', ...idsOf(jokes))
    send.mockRestore()
    const printed = (outcome: string) =>
      Array.from(stdout.matchAll(new RegExp(`^(\\S+)  was listed, ${outcome}`, 'gm')), ([, id = '']) => id)
    const [done, perhaps] = [printed('removed'), printed('perhaps removed')]
    const removed = (await Array.fromAsync(findByState(store, 'removed'))).flat().map(({ id }) => id)
    expect(removed).toEqual(expect.arrayContaining(done))
    expect([...done, ...perhaps]).toEqual(expect.arrayContaining(removed))
    if (reason === 'SIGINT') expect(perhaps).toEqual([])
    if (last === 1) expect(done.length).toBeLessThan(jokes.length)
    expect(stderr).toContain(`${plural(done.length, 'joke')} removed`)
    expect([code, stderr.includes('Run the same command again')]).toEqual([reason === 'SIGINT' ? 130 : 1, true])
    expect((await operate('remove', ...idsOf(jokes))).code).toBe(0)
    expect([await listed(), await itemsOf(store, store.wordsTable)]).toEqual([[], []])
  }
})

it('a stopped erasure sweeps no index entries', async () => {
  const ids = await service.addTexts('One', 'Two')
  await operate('remove', ...ids)
  const original = DynamoDBDocumentClient.prototype.send
  using send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(function (this: unknown, ...args) {
    if (send.mock.calls.length === 1) sendSignal('SIGINT')
    return Reflect.apply(original, this, args)
  })
  const { code, stdout, stderr } = await operate('remove', ...ids, '--erase', '--count', '2')
  expect([code, stdout.includes('index entries read'), stderr.includes('Run the same command again')]).toEqual([
    130,
    false,
    true,
  ])
})

it('remove --search matches whole words unless --beginnings is given', async () => {
  await service.addTexts('One bee', 'It has been', 'Two beer')
  const period = ['--since', '2020-01-01', '--search', 'bee', '--yes']
  expect((await operate('remove', ...period)).stderr).toContain('1 joke removed.')
  expect((await service.jokes()).map(({ joke }) => joke)).toEqual(['Two beer', 'It has been'])
  expect((await operate('remove', ...period, '--search', 'two bee')).stderr).toContain('No joke was found.')
  expect((await operate('remove', ...period, '--beginnings')).stderr).toContain('2 jokes removed.')
})

it('remove --since reads no pages from before the period', async () => {
  await load(store, numberedJokes(600))
  const callsFor = async (since: string) => {
    using send = vi.spyOn(DynamoDBDocumentClient.prototype, 'send')
    expect((await operate('remove', '--since', since)).stderr).toContain('joke')
    return send.mock.calls.length
  }
  expect(await callsFor('2026-01-01T09:59Z')).toBeLessThan(await callsFor('2026-01-01'))
})

it('remove finds any amount of spam', async () => {
  const spam = numberedJokes(300).map((joke, minute) => ({ ...joke, joke: `Pill ${minute}`, punchline: '' }))
  const others = [
    { ...numberedJoke(300), joke: 'A pill after', id: '1'.repeat(22) },
    { ...numberedJoke(301), joke: 'A pill before', dateAdded: '2025-12-31T23:59:59.999Z' },
    { ...numberedJoke(302), dateAdded: '2026-01-01T04:50:00.000Z' },
  ]
  await load(store, [...others, ...spam])
  const period = ['--until', '2026-01-01T05:00Z', '--search', 'pill', '--since']
  const asked = await operate('remove', ...period, '2026-01-01')
  expect(asked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/Remove 300 jokes\?.* add --yes/) })
  const all = await operate('remove', '--until', '2026-01-01T05:00Z', '--since', '2026-01-01T04:50Z')
  expect(all.stderr).toMatch(/\n\S{22} {2}2026-01-01T04:50:00\.000Z .+\n.*Remove 11 jokes\?/)
  const { code, stdout, stderr } = await operate('remove', ...period, '2026-01-01T04:40Z', '--yes')
  expect([code, stdout.match(/was listed, removed/g)?.length]).toEqual([0, 20])
  const [, advice = ''] = /^20 jokes removed\.\n.*: bin\/jokes (.+)$/m.exec(stderr) ?? []
  using _ = operatingOn(store)
  expect((await runHere(...advice.split(' '))).code).toBe(0)
  expect(await listed()).toEqual(idsOf([...others, ...spam.slice(0, 280)]))
})

describe('where jokes wait for approval', () => {
  beforeEach(() => {
    store.approval = true
  })
  const statesOf = (ids: string[]) => Promise.all(ids.map(async (id) => (await findRecord(store, id))?.state))

  it('undoing the removal of a waiting joke makes it wait again', async () => {
    const [id = ''] = await service.addTexts('Waiting')
    expect((await operate('remove', id)).stdout).toContain('was waiting, removed')
    expect(await operate('approve', id)).toMatchObject({ code: 1, stdout: expect.stringContaining('is removed') })
    expect(await operate('remove', id, '--undo')).toMatchObject({
      stdout: expect.stringContaining('was removed, waits for approval again'),
      stderr: expect.stringContaining('\n1 joke brought back, 1 of them waiting for approval again.\n'),
    })
    expect(await operate('remove', id, '--undo')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is waiting'),
    })
  })

  it('approve asks about each waiting joke, the oldest first', async () => {
    const [first] = await service.add({ joke: '1st', punchline: '\u202e\nLater\n.', category: 'Classic' })
    const ids = [`${first?.id}`, ...(await service.addTexts('2nd', '3rd', '4th', '5th', '6th', '7th'))]
    const { requestId } = (await findRecord(store, `${first?.id}`)) ?? {}
    typing('Yes', 'no', '?', '', 'l', 'y', 'q', 'y')
    const { code, stdout, stderr } = await operate('approve')
    expect([code, stdout.match(/was waiting, \w+ {2}2/g)?.length]).toEqual([0, 3])
    expect(stderr).toContain(`\n1 of 7: ${first?.id}`)
    expect(stderr).toContain(`Classic, added by request ${requestId}\n    1st\n    \\u202e Later .\n`)
    const untouched = ['waiting', 'waiting']
    expect(await statesOf(ids)).toEqual(['listed', 'removed', ...untouched, 'listed', ...untouched])
  })

  it('approve shows a damaged joke', async () => {
    const id = 'A'.repeat(22)
    await put(store, store.jokesTable, { id, state: 'waiting', dateAdded: '2026', category: 'Classic' })
    typing('n')
    const { stdout, stderr } = await operate('approve')
    expect(stderr).toContain(`\n1 of 1: ${id}  a damaged joke, added by request unknown\n`)
    expect(stdout).toBe(`${id}  was waiting, removed\n`)
  })

  it('remove --removed lists what --waiting selected', async () => {
    expect((await operate('remove', '--removed')).stderr).toContain('\nNo joke is removed.\n')
    const ids = await service.addTexts('A pill', 'Another pill', 'A good one')
    const asked = await operate('remove', '--waiting', '--search', 'pill')
    expect(asked.code).toBe(1)
    expect(asked.stderr).toMatch(/A pill\n.*Another pill\n.*Remove 2 jokes\?/s)
    const { joke: first } = (await findRecord(store, `${ids[0]}`)) ?? {}
    for (const period of ['--since=2999-01-01', '--until=2020-01-01', `--until=${first?.dateAdded}`])
      expect((await operate('remove', '--waiting', period)).stderr).toContain('No joke was found.')
    await operate('remove', '--waiting', '--search', 'pill', '--yes')
    expect(await statesOf(ids)).toEqual(['removed', 'removed', 'waiting'])
    const { code, stdout } = await operate('remove', '--removed')
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^${ids[0]}  .*A pill\n${ids[1]}  .*Another pill\n$`))
    const file = join(temporaryFolder(), 'ids')
    writeFileSync(file, stdout)
    await operate('remove', '--undo', '--ids', file)
    expect(await statesOf(ids)).toEqual(['waiting', 'waiting', 'waiting'])
  })

  it('approve --all asks for the number of jokes', async () => {
    const ids = await service.addTexts('One', 'Other')
    const refused = 'Approve 2 jokes? Type their number: There is no terminal to ask on: add --count 2.'
    expect(await operate('approve', '--all')).toMatchObject({ code: 1, stderr: expect.stringContaining(refused) })
    expect((await operate('approve', '--all', '--count', '3')).stderr).toContain(
      'You typed "3", but the number of jokes is 2.',
    )
    expect(await statesOf(ids)).toEqual(['waiting', 'waiting'])
    typing('2')
    expect((await operate('approve', '--all')).code).toBe(0)
    expect(await statesOf(ids)).toEqual(['listed', 'listed'])
  })

  it('approve fails if one of the named jokes does not wait', async () => {
    const [one = '', two = '', three = ''] = await service.addTexts('One', 'Two', 'Three')
    const file = join(temporaryFolder(), 'ids')
    writeFileSync(file, `${two} ${three}\n${'A'.repeat(22)}`)
    const { code, stdout, stderr } = await operate('approve', one, '--ids', file)
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${'A'.repeat(22)}  no joke has this id\n`)])
    expect(stdout).toContain(`${two}  was waiting, approved  added by request `)
    expect(stderr).toContain('2 jokes approved, 1 left as they were.\n1 joke could not be approved.')
    expect((await operate('approve', one)).code).toBe(0)
    expect(await statesOf([one, two, three])).toEqual(['listed', 'listed', 'waiting'])
  })

  it('approve --json only prints the waiting jokes', async () => {
    expect((await operate('approve')).stderr).toMatch(/^Working on the local database http:\S+\.\nNo joke waits\.\n$/)
    const ids = await service.addTexts('One', 'Other')
    const lines = (await operate('approve', '--json')).stdout.trim().split('\n')
    const requestId = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      ['One', 'Other'].map((joke, index) => ({ id: ids[index], joke, punchline: '', category: 'Classic', requestId })),
    )
    const asked = 'Approve it? yes, no (removes it), later or quit [y/n/L/q] There is no terminal to ask on'
    expect((await operate('approve')).stderr).toContain(`${asked}: name jokes, or add --all or --json.`)
    expect(await service.jokes()).toEqual([])
  })
})

it('restore replaces only the jokes that its options select', async () => {
  const backup = `Backup-${randomUUID()}`
  await createTables({ ...store, jokesTable: backup }, configOf(inject('endpoint')))
  await put(store, backup, ...good.map((joke) => toStored(joke).item))
  await load(store, good.slice(3))
  await put(store, store.jokesTable, { ...toStored(two).item, joke: 'Vandalized', thumbsUp: 1_000_000 })
  const { joke, punchline, category } = three
  const again = await service.add({ joke, punchline, category })
  const restored = async (...options: string[]) => {
    const { stdout, stderr } = await operate('restore', '--from', backup, ...options)
    expect(stderr).toMatch(`\nRestoring from ${backup}.`)
    return [stdout, await service.jokes({ id: [one, two, three].map(({ id }) => id).join() })]
  }
  expect(await restored('--missing')).toEqual(['10 jokes read, 1 restored.\n', expect.arrayContaining([one, ...again])])
  expect(await restored()).toEqual(['10 jokes read, 9 restored.\n', expect.arrayContaining([one, two, ...again])])
  expect(await restored('--newer')).toEqual([
    '10 jokes read, 10 restored.\n',
    expect.arrayContaining([one, two, three]),
  ])
  expect(await listed({ searchString: 'tea time' })).toEqual(idsOf(good))
})

it('reindex --all writes missing entries of listed jokes only', async () => {
  const [kept = '', removed = ''] = await service.addTexts('Kept joke', 'Removed joke')
  await operate('remove', removed)
  await emptyTable(store, store.wordsTable)
  expect((await operate('reindex')).stdout).toBe('2 jokes read, 0 updated.\n')
  expect((await operate('reindex', '--all')).stdout).toBe(
    '2 jokes read, 1 updated.\n9 index entries read, 0 deleted.\n',
  )
  expect(await listed({ searchString: 'joke' })).toEqual([kept])
  await operate('remove', removed, '--undo')
  expect(await listed({ searchString: 'joke' })).toEqual([kept, removed].toSorted())
})

it("the smoke test's role allows exactly the calls that remove its joke", async () => {
  const original = DynamoDBDocumentClient.prototype.send
  const calls = new Set<string>()
  using _ = vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(function (this: unknown, ...args) {
    // The calls of the service do not count. It has its own client.
    if (this !== store.database) calls.add(args[0].constructor.name.replace('Command', 'Item'))
    return Reflect.apply(original, this, args)
  })
  expect((await operate('smoke', service.url, '--write')).code).toBe(0)
  const allowed = /Action: \[(dynamodb:.+)\]/.exec(readFileSync('.github/roles.yml', 'utf8'))?.[1]
  expect([...calls].map((call) => `dynamodb:${call}`).toSorted()).toEqual(allowed?.split(', ').toSorted())
})
