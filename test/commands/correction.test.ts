/** Corrected jokes, as clients and operators see them. */
import * as v from 'valibot'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { identify, Joke } from '../../shared/joke.ts'
import { readItem } from '../../shared/store/reads.ts'
import { act } from '../../tools/changes.ts'
import { emptyTable, itemsOf, put } from '../support/access.ts'
import { operate } from '../support/process.ts'
import { startService } from '../support/service.ts'

const text = { joke: 'why did the eleve sleep', punchline: 'He was tired', category: 'Classic' }
const right = { ...text, joke: 'Why did the élève sleep?', punchline: 'He was tired.' }
const id = identify(text)

const service = await startService()
const { store } = service
/** The joke with an upvote. */
let joke: Joke
beforeEach(async () => {
  await emptyTable(store)
  await service.add(text)
  joke = v.parse(Joke, (await service.thumbUp(id)).body)
})
afterAll(service.stop)

const fix = (...options: string[]) => operate(store, 'correct', id, ...options)

it('correct changes case, accents, punctuation and category, and nothing else', async () => {
  const before = await readItem(store, id)
  const options = ['--joke', right.joke, '--punchline', right.punchline, '--category', 'french_humour']
  const stdout = `Classic / ${text.joke} / He was tired\nFrench humour / ${right.joke} / He was tired.\n`
  expect(await fix(...options)).toMatchObject({ code: 0, stdout })
  const after = { ...joke, ...right, category: 'French humour' }
  const written = { rev: Number(before?.rev) + 1, edits: 1, changedAt: expect.any(String) }
  expect(await readItem(store, id)).toEqual({ ...before, ...after, ...written })
  await expect.poll(() => service.jokes({ categories: 'French humour' })).toEqual([after])
  expect(await service.create(text)).toMatchObject({ status: 409, body: { code: 'duplicate', id } })
  await fix('--category', 'School')
  expect(await readItem(store, id)).toMatchObject({ ...right, category: 'School', edits: 2 })
})

it('correct corrects a waiting joke, named by its link, even where its punchline begins', async () => {
  await put(store, { ...(await readItem(store, id)), jokeState: 'waiting' })
  const options = ['--joke', `${text.joke}? ${text.punchline}\u202e`, '--punchline', ' ']
  const { code, stdout } = await operate(store, 'correct', `https://jokes.example/?id=${id}`, ...options)
  expect([code, stdout]).toEqual([0, expect.stringContaining('sleep? He was tired\\u202e\n')])
  expect(await readItem(store, id)).toMatchObject({ jokeState: 'waiting', punchline: '' })
})

it('correct changes nothing if the joke would have other words, and says how to replace it', async () => {
  const before = await itemsOf(store)
  const stderr = expect.stringContaining(`This would be another joke, so nothing was changed. Remove ${id}, and add`)
  expect(await fix('--joke', 'Why did she sleep?')).toMatchObject({ code: 1, stdout: '', stderr })
  expect(await itemsOf(store)).toEqual(before)
})

it.each<[what: string, options: string[], reason: string]>([
  ['a long text', ['--joke', 'x'.repeat(1_001)], 'joke must be at most 1000 characters long.'],
  ['an unknown category', ['--category', 'Puns'], 'The categories are Word game, '],
  ['nothing', [], 'Say what to correct: --joke, --punchline or --category.'],
])('correct refuses %s', async (_, options, reason) => {
  expect(await fix(...options)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(reason) })
  expect(await service.jokes({ id })).toEqual([joke])
})

it('correct leaves a removed joke', async () => {
  await act(store, id, 'remove')
  const stderr = expect.stringContaining(`${id} is removed, so it can't be corrected.`)
  expect(await fix('--category', 'School')).toMatchObject({ code: 1, stderr })
  expect(await readItem(store, id)).toMatchObject({ category: 'Classic', edits: 1 })
})
