/** Corrected jokes, as clients and operators see them. */
import * as v from 'valibot'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { identify, Joke } from '../../shared/joke.ts'
import { correct } from '../../shared/store/operators/correction.ts'
import { reindex, restore, sweep } from '../../shared/store/operators/tableScans.ts'
import { emptyTable, emptyTables, itemsOf, put } from '../support/access.ts'
import { operate as operateOn } from '../support/process.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const operate = (command: string, ...options: string[]) => operateOn(store, command, ...options)
afterAll(service.stop)

const text = { joke: 'Why did the chiken cross the rode?', punchline: 'To get across.', category: 'Classic' }
const right = { ...text, joke: 'Why did the chicken cross the road?' }

/** The joke with the typos, with three upvotes. */
let joke: Joke
let id: string
beforeEach(async () => {
  store.approval = false
  await emptyTables(store)
  await service.add(text, { joke: 'Another joke', category: 'Classic' })
  id = identify(text)
  for (let count = 0; count < 3; count++) joke = v.parse(Joke, (await service.thumbUp(id)).body)
})

const fix = (jokeText = right.joke) => operate('correct', id, '--joke', jokeText)
const find = async (searchString: string) => idsOf(await service.jokes({ searchString }))
const stateOf = async (wanted: string) =>
  (await itemsOf(store, store.jokesTable)).find((item) => item.id === wanted)?.state

it('correct changes only the texts of a joke', async () => {
  const after = { ...joke, joke: right.joke }
  expect(await fix()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${JSON.stringify(joke)}\n${JSON.stringify(after)}\n`),
    stderr: expect.stringContaining('1 joke corrected.\n'),
  })
  for (const query of [{ id }, { searchString: 'chicken' }, { searchString: 'chicken', sortBy: 'thumbsUp' }])
    expect(await service.jokes(query)).toEqual([after])
  for (const sortBy of ['dateAdded', 'thumbsUp', 'random'])
    expect(await service.jokes({ sortBy })).toContainEqual(after)
})

it('a corrected joke is found by its new words only', async () => {
  await fix()
  expect([await find('chicken'), await find('chiken'), await find('rode')]).toEqual([[id], [], []])
  const prefixes = (await itemsOf(store, store.wordsTable)).map(({ prefix }) => prefix)
  expect(prefixes).toEqual(expect.arrayContaining(['chick', 'road']))
  expect(prefixes.filter((prefix) => ['chik', 'rod'].includes(String(prefix)))).toEqual([])
})

it('correct changes the category of a joke, by its link', async () => {
  await operate('correct', `https://jokes.example/?id=${id}`, '--category', 'French humour')
  expect(idsOf(await service.jokes({ category: 'Classic' }))).not.toContain(id)
  for (const query of [{}, { sortBy: 'thumbsUp' }, { sortBy: 'random' }, { searchString: 'chiken' }])
    expect(idsOf(await service.jokes({ ...query, categories: 'French humour' }))).toEqual([id])
})

it('a space as its punchline turns a joke into a pun', async () => {
  await operate('correct', id, '--punchline', ' ')
  expect(await service.jokes({ id })).toMatchObject([{ punchline: '' }])
})

it.each([
  ['first', text],
  ['corrected', right],
])('adding the %s text of a corrected joke gets 409 with its id', async (_, again) => {
  await fix()
  const { status, body } = await service.create({ ...again, category: 'School' })
  expect([status, body]).toEqual([409, expect.objectContaining({ code: 'duplicate', id })])
})

it('adding the corrected text of a waiting joke gets 409 without an id', async () => {
  store.approval = true
  const [waiting = ''] = await service.addTexts('A patient tipo')
  await operate('correct', waiting, '--joke', 'A patient typo')
  const { status, body } = await service.create({ joke: 'A patient typo', category: 'School' })
  expect([status, body]).toEqual([409, expect.objectContaining({ code: 'waiting' })])
  expect(body).not.toHaveProperty('id')
})

it('adding the corrected text of a removed joke gets 409 without an id', async () => {
  await fix()
  await operate('remove', id)
  const { status, body } = await service.create(right)
  expect([status, body]).toEqual([409, expect.objectContaining({ code: 'removed' })])
  expect(body).not.toHaveProperty('id')
})

it('a waiting joke is approved with its corrected words', async () => {
  store.approval = true
  const [waiting = ''] = await service.addTexts('A patient tipo')
  await operate('correct', waiting, '--joke', 'A patient typo', '--category', 'School')
  expect(await find('typo')).toEqual([])
  await operate('approve', waiting)
  expect([await find('typo'), await find('tipo')]).toEqual([[waiting], []])
  expect(idsOf(await service.jokes({ category: 'School' }))).toEqual([waiting])
})

it('the text of an alias without a joke counts as removed', async () => {
  await put(store, store.jokesTable, { id: identify(right), state: 'alias', of: 'x'.repeat(22) })
  expect(await service.create(right)).toMatchObject({ status: 409, body: { code: 'removed' } })
})

it.each([
  [['--joke', 'x'.repeat(1_001)], 'joke must be at most 1,000 characters long.'],
  [['--joke', ' '], 'joke must not be empty: at least one letter, digit, symbol or punctuation mark.'],
  [['--category', 'Cats'], 'category must be one of Word game, Classic, School, KnockKnock, French humour.'],
])('correct refuses a text that POST /joke would refuse (%#)', async (options, reason) => {
  const { code, stdout, stderr } = await operate('correct', id, ...options)
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${reason} The joke was not changed.`)])
  expect(await service.jokes({ id })).toEqual([joke])
})

it('correct names the joke that already has the text', async () => {
  const [other = ''] = await service.addTexts('Taken')
  const { code, stderr } = await operate('correct', id, '--joke', 'taken!', '--punchline', ' ')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`An equal joke exists: the joke ${other}, which is listed.`),
  ])
  expect(await service.jokes({ id })).toEqual([joke])
})

it('correct refuses the earlier text of another joke without calling them equal', async () => {
  const [other = ''] = await service.addTexts('First')
  for (const later of ['Second', 'Third']) await operate('correct', other, '--joke', later)
  for (const earlier of ['First', 'Second']) {
    const { code, stderr } = await operate('correct', id, '--joke', earlier, '--punchline', ' ')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`This text belonged to the joke ${other}, which is listed.`),
    ])
  }
  await operate('remove', other)
  const { stderr } = await operate('correct', id, '--joke', 'Third', '--punchline', ' ')
  expect(stderr).toContain(`An equal joke exists: the joke ${other}, which is removed.`)
})

it.each(['removed', 'erased'])('correct refuses a joke that is %s', async (state) => {
  await operate('remove', id)
  if (state === 'erased') await operate('remove', id, '--erase', '--count', '1')
  expect(await fix()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`The joke ${id} is ${state}, so it cannot be corrected.`),
  })
})

it.each([
  [['A'.repeat(22), '--joke', 'x'], `No joke has the id ${'A'.repeat(22)}.`],
  [['A'.repeat(22)], 'Say what to change: --joke, --punchline or --category: see bin/jokes correct --help.'],
  [[`?id=${'A'.repeat(22)},${'B'.repeat(22)}`, '--joke', 'x'], 'Name one joke: see bin/jokes correct --help.'],
])('correct explains what is wrong with its arguments (%#)', async (options, reason) => {
  expect(await operate('correct', ...options)).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
})

it('correcting nothing says so', async () => {
  expect(await operate('correct', id, '--joke', text.joke)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The joke has these texts and this category already.'),
  })
})

it('correcting nothing writes the entries that a killed command left out', async () => {
  await emptyTable(store, store.wordsTable)
  await operate('correct', id, '--joke', text.joke)
  expect(await find('chiken')).toEqual([id])
})

it('a joke can get back its first text, then its corrected one', async () => {
  for (const each of [right.joke, text.joke, right.joke]) {
    expect((await fix(each)).code).toBe(0)
    expect(await service.jokes({ id })).toEqual([{ ...joke, joke: each }])
  }
})

it('a change of punctuation alone needs no alias', async () => {
  await fix('Why did the chiken cross the rode…')
  expect(await service.jokes({ id })).toMatchObject([{ joke: 'Why did the chiken cross the rode…' }])
  expect((await itemsOf(store, store.jokesTable)).filter(({ state }) => state === 'alias')).toEqual([])
})

it('two corrections at once reserve the text that they make together', async () => {
  const corrections = [{ joke: right.joke }, { punchline: 'To reach the other side.' }]
  await Promise.all(corrections.map((correction) => correct(store, id, correction, () => {})))
  const both = { ...right, punchline: 'To reach the other side.' }
  expect(await service.jokes({ id })).toMatchObject([both])
  expect(await service.create(both)).toMatchObject({ status: 409, body: { code: 'duplicate', id } })
})

it('the text of one of two simultaneous requests for it belongs to one joke', async () => {
  const [added] = await Promise.all([service.create(right), correct(store, id, right, () => {}).catch(() => false)])
  const [current] = await service.jokes({ id })
  expect(added.status).toBe(current?.joke === right.joke ? 409 : 201)
})

it.each(['remove', 'approve', 'correct'])('%s names the joke of an alias instead of changing it', async (command) => {
  await fix()
  const alias = identify(right)
  const { code, stdout, stderr } = await operate(command, alias, ...(command === 'correct' ? ['--joke', 'x'] : []))
  expect([code, stdout + stderr]).toEqual([
    1,
    expect.stringContaining(`${alias}${command === 'correct' ? ' is an' : '  is an'} alias of the joke ${id}`),
  ])
  expect(await stateOf(alias)).toBe('alias')
})

it('clients cannot see an alias', async () => {
  await fix()
  const alias = identify(right)
  expect(await service.jokes({ id: alias })).toEqual([])
  for (const sortBy of ['dateAdded', 'thumbsUp', 'random']) expect(await service.jokes({ sortBy })).toHaveLength(2)
  expect((await service.thumbUp(alias)).status).toBe(404)
})

it('erasing a corrected joke deletes the index entries of its texts', async () => {
  await fix()
  const alias = identify(right)
  // A request that added the corrected text at the same time has lost, and left an entry.
  await put(store, store.wordsTable, { prefix: 'lost', entry: `0mj3v0ruv#${alias}#Classic` })
  await operate('remove', id)
  await operate('remove', id, '--erase', '--count', '1')
  expect(JSON.stringify(await itemsOf(store, store.wordsTable))).not.toMatch(`${id}|${alias}`)
  expect((await itemsOf(store, store.jokesTable)).filter((item) => item.of === id)).toEqual([
    { id: alias, state: 'alias', of: id },
  ])
  for (const each of [text, right]) expect(await service.create(each)).toMatchObject({ body: { code: 'removed' } })
})

it('pages that are read while a joke is corrected show each joke once', async () => {
  const shown: Joke[] = []
  for await (const page of service.follow({ numberofJokes: '1', sortOrder: 'desc' })) {
    if (shown.length === 0) await fix()
    shown.push(...page)
  }
  expect(shown.map(({ joke }) => joke)).toEqual(['Another joke', right.joke])
})

it('a restore leaves out a corrected joke whose text was added again', async () => {
  await fix()
  const backup = await startService()
  await put(backup.store, backup.store.jokesTable, ...(await itemsOf(store, store.jokesTable)))
  await emptyTables(store)
  const [again] = await service.add(right)
  await Array.fromAsync(restore(store, backup.store.jokesTable, { existing: false, newer: false }))
  await backup.stop()
  expect(await find('chicken')).toEqual([again?.id])
})

it('reindex counts jokes without aliases', async () => {
  await fix()
  expect((await operate('reindex', '--all')).stdout).toContain('2 jokes read, ')
  expect(await find('chicken')).toEqual([id])
})

it('a restore brings back a corrected joke with its alias', async () => {
  await fix()
  const backup = await startService()
  await put(backup.store, backup.store.jokesTable, ...(await itemsOf(store, store.jokesTable)))
  await emptyTables(store)
  await Array.fromAsync(restore(store, backup.store.jokesTable, { existing: false, newer: false }))
  await backup.stop()
  expect(await find('chicken')).toEqual([id])
  expect(await service.create(right)).toMatchObject({ status: 409, body: { code: 'duplicate', id } })
  const entries = await itemsOf(store, store.wordsTable)
  await Array.fromAsync(reindex(store, true))
  await Array.fromAsync(sweep(store))
  expect(await itemsOf(store, store.wordsTable)).toEqual(entries)
})
