/** Corrected jokes, as clients and operators see them. */
import * as v from 'valibot'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { identify, Joke } from '../../shared/joke.ts'
import type { Item } from '../../shared/store/item.ts'
import { correct } from '../../shared/store/operators/correction.ts'
import { act } from '../../shared/store/operators/states.ts'
import { readItem } from '../../shared/store/reads.ts'
import { emptyTable, put } from '../support/access.ts'
import { operate as operateOn } from '../support/process.ts'
import { idsOf, startService } from '../support/service.ts'

const text = { joke: 'Why did the chiken cross the rode?', punchline: 'To get across.', category: 'Classic' }
const right = { ...text, joke: 'Why did the chicken cross the road?' }
const id = identify(text)

const service = await startService()
/** The joke with the typos, with an upvote. */
let joke: Joke
beforeEach(async () => {
  service.store.approval = false
  await emptyTable(service.store)
  await service.add(text, { joke: 'Another joke', category: 'Classic' })
  joke = v.parse(Joke, (await service.thumbUp(id)).body)
})
afterAll(service.stop)

const operate = (command: string, ...options: string[]) => operateOn(service.store, command, ...options)
const fix = (...options: string[]) => operate('correct', id, ...(options.length > 0 ? options : ['--joke', right.joke]))
const expectJokes = (query: Record<string, string>, jokes: unknown[]) =>
  expect.poll(() => service.jokes(query), { timeout: 10_000 }).toEqual(jokes)

it('correct changes only the texts of a joke, and prints it before and after', async () => {
  const before: Item = (await readItem(service.store, id)) ?? {}
  const after = { ...joke, joke: right.joke }
  expect(await fix()).toMatchObject({
    code: 0,
    stdout: `${JSON.stringify(joke)}\n${JSON.stringify(after)}\n`,
    stderr: expect.stringContaining('1 joke corrected.\n'),
  })
  const written = { rev: Number(before.rev) + 1, edits: 1, changedAt: expect.any(String) }
  expect(await readItem(service.store, id)).toEqual({ ...before, joke: right.joke, ...written })
  await expectJokes({ searchString: 'chicken' }, [after])
  await expectJokes({ searchString: 'chiken' }, [])
  for (const sortBy of ['dateAdded', 'thumbsUp', 'random'])
    expect(await service.jokes({ sortBy })).toContainEqual(after)
})

it('correct takes a link, changes the other fields, and escapes what it prints', async () => {
  expect(idsOf(await service.jokes({ category: 'Classic' }))).toContain(id)
  const options = ['--category', 'French humour', '--punchline', 'Rude\u202e']
  const { stdout } = await operate('correct', `https://jokes.example/?id=${id}`, ...options)
  expect(stdout.split('\n')[1]).toContain('"punchline":"Rude\\u202e"')
  await expectJokes({ categories: 'French humour' }, [{ ...joke, punchline: 'Rude\u202e', category: 'French humour' }])
  expect(idsOf(await service.jokes({ category: 'Classic' }))).not.toContain(id)
})

it('each text of a corrected joke leads to it, and is refused to others', async () => {
  await fix()
  await fix('--punchline', 'To reach the other side.')
  const [other = ''] = await service.addTexts('First')
  const expectTaken = async (code: string, of?: string) => {
    for (const each of [text, right, { ...right, punchline: 'To reach the other side.' }]) {
      const { status, body } = await service.create({ ...each, category: 'School' })
      expect([status, Object(body).code, Object(body).id]).toEqual([409, code, of])
      const { stderr } = await operate('correct', other, '--joke', each.joke, '--punchline', each.punchline)
      expect(stderr).toMatch(new RegExp(`The joke ${id}, which is (listed|removed), has or had this text\\.`))
    }
  }
  await expectTaken('duplicate', id)
  await operate('remove', id)
  await expectTaken('removed')
})

it('a waiting joke is approved with its corrected words', async () => {
  service.store.approval = true
  const [waiting = ''] = await service.addTexts('A patient tipo')
  await operate('correct', waiting, '--joke', 'A patient typo')
  const { status, body } = await service.create({ joke: 'A patient typo', category: 'School' })
  expect([status, body]).toEqual([409, expect.objectContaining({ code: 'waiting' })])
  expect(body).not.toHaveProperty('id')
  await operate('approve', waiting)
  await expectJokes({ searchString: 'typo' }, [expect.objectContaining({ id: waiting })])
})

it('the text of an alias without a joke counts as removed', async () => {
  await put(service.store, { id: identify(right), of: 'x'.repeat(22), rev: 1 })
  expect(await service.create(right)).toMatchObject({ status: 409, body: { code: 'removed' } })
})

it.each([
  [['--joke', 'x'.repeat(1_001)], 'joke must be at most 1,000 characters long.'],
  [
    ['--joke', 'another JOKE!', '--punchline', ' '],
    `The joke ${identify({ joke: 'Another joke', punchline: '' })}, which is listed, has or had this text.`,
  ],
])('correct refuses what POST /joke would refuse (%#)', async (options, reason) => {
  const { code, stdout, stderr } = await fix(...options)
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${reason} The joke was not changed.`)])
  expect(await service.jokes({ id })).toEqual([joke])
})

it.each<[state: string, Item]>([
  ['removed', { feed: 'removed' }],
  ['damaged', { rev: 'text' }],
  ['damaged', { rev: [] }],
  ['damaged', { thumbsUp: 'text' }],
])('correct leaves a joke that is %s by %j', async (state, edit) => {
  const item = { ...(await readItem(service.store, id)), ...edit }
  await put(service.store, item)
  const stderr = expect.stringMatching(`joke ${id} is ${state}, so it cannot be corrected.`)
  expect(await fix()).toMatchObject({ code: 1, stderr })
  expect(await readItem(service.store, id)).toEqual(item)
})

it('correct leaves an erased joke', async () => {
  for (const action of ['remove', 'erase'] as const) await act(service.store, id, action)
  expect(await fix()).toMatchObject({ code: 1, stderr: expect.stringMatching(`${id} is erased, so it cannot be`) })
})

it('a joke can get back its first text, and then its corrected one', async () => {
  for (const each of [right.joke, text.joke, right.joke]) {
    expect((await fix('--joke', each)).code).toBe(0)
    expect(await service.jokes({ id })).toEqual([{ ...joke, joke: each }])
  }
  expect(await fix()).toMatchObject({ code: 0, stdout: '' })
})

it('two corrections at once reserve the text that they make together', async () => {
  const corrections = [{ joke: right.joke }, { punchline: 'To reach the other side.' }]
  await Promise.all(corrections.map((correction) => correct(service.store, id, correction, () => {})))
  const both = { ...right, punchline: 'To reach the other side.' }
  expect(await service.jokes({ id })).toMatchObject([both])
  expect(await service.create(both)).toMatchObject({ status: 409, body: { code: 'duplicate', id } })
})

it('the text of two simultaneous requests for it belongs to one joke', async () => {
  const correction = correct(service.store, id, right, () => {}).catch(() => false)
  const [added] = await Promise.all([service.create(right), correction])
  const [current] = await service.jokes({ id })
  expect(added.status).toBe(current?.joke === right.joke ? 409 : 201)
})

it('clients cannot see an alias, and commands name its joke instead of changing it', async () => {
  await fix()
  const alias = identify(right)
  expect(await service.jokes({ id: alias })).toEqual([])
  for (const sortBy of ['dateAdded', 'thumbsUp', 'random']) expect(await service.jokes({ sortBy })).toHaveLength(2)
  expect((await service.thumbUp(alias)).status).toBe(404)
  for (const [command = '', ...options] of [['remove'], ['approve'], ['correct', '--joke', 'x']]) {
    const { code, stdout, stderr } = await operate(command, alias, ...options)
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(`${alias} +is an alias of the joke ${id}`)])
  }
  expect(await readItem(service.store, alias)).toMatchObject({ of: id })
})
