/** Approved, removed and erased jokes, as clients and operators see them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { identify, type Joke } from '../../shared/joke.ts'
import type { Item, State } from '../../shared/store/item.ts'
import { CACHE } from '../../shared/store/limits.ts'
import { readItem } from '../../shared/store/reads.ts'
import { type Action, act } from '../../tools/changes.ts'
import { emptyTable, itemsOf, put, putJokes, toItem } from '../support/access.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { operate as operateOn, temporaryFolder } from '../support/process.ts'
import { idsOf, startService, waitForRefreshes } from '../support/service.ts'

const service = await startService()
const { store } = service
waitForRefreshes()
beforeEach(() => emptyTable(store))
afterEach(() => {
  store.approval = false
  vi.restoreAllMocks()
})
afterAll(service.stop)

const operate = (command: string, ...options: string[]) => operateOn(store, command, ...options)
const storedState = async (id: string) => (await readItem(store, id))?.jokeState
/** Waits until the listing of all jokes has these ids, because another process writes them. */
const expectListed = (...ids: string[]) =>
  expect.poll(async () => idsOf(await service.jokes({ numberofJokes: '250' }))).toEqual(ids.toSorted())

const WAS_LISTED = { jokeState: 'removed', stateBefore: 'listed' } as const
const WAS_WAITING = { jokeState: 'removed', stateBefore: 'waiting' } as const

describe('an action', () => {
  const joke = numberedJoke(1)
  it.each<[state: string, Item, states: Partial<Record<Action, State>>]>([
    ['listed', { jokeState: 'listed' }, { approve: 'listed', remove: 'removed', undo: 'listed' }],
    ['waiting', { jokeState: 'waiting' }, { approve: 'listed', remove: 'removed', undo: 'waiting' }],
    ['removed, was listed', WAS_LISTED, { remove: 'removed', undo: 'listed', erase: 'erased' }],
    ['removed, was waiting', WAS_WAITING, { remove: 'removed', undo: 'waiting', erase: 'erased' }],
  ])('changes a joke only if its state allows it: %s', async (_, attributes, states) => {
    for (const action of ['approve', 'remove', 'undo', 'erase'] as const) {
      const before = { ...toItem(store, joke), note: 'by hand', ...attributes }
      await put(store, before)
      const state = states[action]
      expect(await act(store, joke.id, action)).toEqual({ item: before, state })
      const after = state === undefined || state === before.jokeState ? before : changed(before, state)
      expect(await readItem(store, joke.id)).toEqual(after)
      if (state !== 'erased') continue
      for (const later of ['approve', 'remove', 'undo', 'erase'] as const)
        expect((await act(store, joke.id, later)).state).toBe(later === 'erase' ? 'erased' : undefined)
    }
  })

  /** The item after a change of its state. */
  function changed(before: Item, state: State): object {
    const written = { changedAt: expect.any(String), rev: Number(before.rev) + 1, edits: 1 }
    if (state === 'erased') return { id: before.id, feed: before.feed, jokeState: state, ...written }
    return { ...before, ...written, jokeState: state, stateBefore: before.jokeState }
  }

  it('removes and erases an item without edits', async () => {
    const item = Object.fromEntries(Object.entries(toItem(store, joke)).filter(([name]) => name !== 'edits'))
    await put(store, item)
    expect((await operate('remove', joke.id)).stdout).toContain('was listed, removed')
    await put(store, { ...item, ...WAS_LISTED })
    expect((await operate('erase', joke.id, '--count', '1')).stdout).toContain('was removed, erased')
  })

  it('leaves an item without a state, and an unknown id', async () => {
    const item = { id: 'A'.repeat(22), rev: 1 }
    await put(store, item)
    for (const action of ['approve', 'remove', 'undo', 'erase'] as const) {
      expect(await act(store, item.id, action)).toEqual({ item, state: undefined })
      expect(await act(store, 'B'.repeat(22), action)).toEqual({})
    }
  })
})

const text = { joke: 'An offensive joke', punchline: 'about ornithologists', category: 'Classic' }
const LISTINGS = [{}, { sortBy: 'thumbsUp' }, { sortBy: 'random' }, { category: 'Classic' }, { searchString: 'orni' }]

/** Whether listings and previews show a joke, the status of an upvote, and the `code` of adding an equal joke. */
async function traces({ id, joke }: Joke) {
  const page = await fetch(`${service.url}/?id=${id}`)
  const shown = new Set([(await page.text()).includes(`og:title" content="${joke}"`)])
  for (const query of [...LISTINGS, { id }]) shown.add(idsOf(await service.jokes(query)).includes(id))
  const again = Object((await service.create({ ...text, category: 'School' })).body)
  return [[...shown], (await service.thumbUp(id)).status, again.code, again.id]
}

it('clients see no joke that waits, was removed or erased, and cannot add it again', async () => {
  store.approval = true
  // Each listing refreshes.
  vi.spyOn(CACHE, 'freshMs', 'get').mockReturnValue(0)
  const id = identify(text)
  const [joke = numberedJoke(1)] = await service.add(text)
  const run = async (action: Action, ...expected: unknown[]) => {
    await act(store, id, action)
    expect(await traces(joke)).toEqual(expected)
  }
  expect(await traces(joke)).toEqual([[false], 404, 'waiting', undefined])
  await run('approve', [true], 200, 'duplicate', id)
  await run('remove', [false], 404, 'removed', undefined)
  await run('undo', [true], 200, 'duplicate', id)
  expect(await service.jokes({ id })).toEqual([{ ...joke, thumbsUp: 2 }])
  await run('remove', [false], 404, 'removed', undefined)
  await run('erase', [false], 404, 'removed', undefined)
})

describe('the commands', () => {
  it('print each joke as it was, and an erased one without its text', async () => {
    const [id = ''] = await service.add({ joke: 'Rude\u202e', punchline: 'very\nrude', category: 'School' }).then(idsOf)
    await service.thumbUp(id)
    const text = '.* {2}School, 1 upvote {2}Rude\\\\u202e / very rude\n$'
    const printed = async (command: string, ...options: string[]) => (await operate(command, id, ...options)).stdout
    expect(await printed('remove')).toMatch(new RegExp(`^${id} {2}was listed, removed  ${text}`))
    await expectListed()
    expect(await printed('undo')).toMatch(new RegExp(`^${id} {2}was removed, brought back  ${text}`))
    await expectListed(id)
    await printed('remove')
    expect(await printed('erase', '--count', '1')).toBe(`${id}  was removed, erased\n`)
    expect(JSON.stringify(await itemsOf(store))).not.toMatch(/rude/i)
  })

  it('count a joke in the wanted state as done, others as failures', async () => {
    const [one = '', two = ''] = await service.addTexts('One', 'Two')
    await operate('remove', one)
    const again = await operate('remove', one, `https://jokes.example/?lang=en&id=${one},${two}`)
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('\n1 joke removed, 1 unchanged.\n')])
    const unknown = await operate('undo', one, 'A'.repeat(22))
    expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining('  is unknown, so it is unchanged\n')])
    expect(unknown.stderr).toContain('\n1 joke brought back, 1 unchanged.\n')
    expect([await storedState(one), await storedState(two)]).toEqual(['listed', 'removed'])
  })

  it('read the lines that find printed, in any state', async () => {
    store.approval = true
    const [one = '', two = '', three = ''] = await service.addTexts('Pill one', 'Pill two', 'A good one')
    const file = join(temporaryFolder(), 'found')
    const found = async (...options: string[]) => {
      const { stdout } = await operate('find', ...options)
      writeFileSync(file, `\ufeff\r\n${stdout.replaceAll('\n', '\r\n')}`)
      return Array.from(stdout.matchAll(/^\S+/gm), String)
    }
    await expect.poll(() => found('--waiting')).toEqual([one, two, three])
    const { dateAdded } = (await readItem(store, two)) ?? {}
    expect(await found('--waiting', '--since', `${dateAdded}`)).toEqual([two, three])
    expect(await found('--waiting', '--search', 'PIL')).toEqual([one, two])
    expect((await operate('approve', '--ids', file)).code).toBe(0)
    await expect.poll(() => found()).toEqual([one, two])
    expect((await operate('remove', '--ids', file)).code).toBe(0)
    await expect.poll(() => found('--removed', '--search', 'two')).toEqual([two])
    expect((await operate('undo', '--ids', file)).code).toBe(0)
    expect(await Promise.all([one, two, three].map(storedState))).toEqual(['removed', 'listed', 'waiting'])
  })

  it('erase needs the number of jokes', async () => {
    const ids = await service.addTexts('One', 'Two')
    await operate('remove', ...ids)
    const stderr = 'Nothing was erased. To erase these jokes for ever, add --count 2.\n'
    for (const options of [[], ['--count', '1']])
      expect(await operate('erase', ...ids, ...ids, ...options)).toMatchObject({ code: 1, stderr })
    expect((await operate('erase', ...ids, '--count', '2')).code).toBe(0)
  })

  it('check all lines of --ids before the first write', async () => {
    const [id = ''] = await service.addTexts('One')
    const file = join(temporaryFolder(), 'ids')
    writeFileSync(file, `${id}  a joke\n\nDone.\n`)
    const { code, stderr } = await operate('remove', '--ids', file)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Done\. is neither the id of a joke/)])
    expect(await storedState(id)).toBe('listed')
  })

  it('stopped by an error, begin no further change, print every change, and go on when repeated', async () => {
    const jokes = numberedJokes(100)
    const ids = idsOf(jokes)
    // An option begins with a hyphen, too.
    expect(ids[0]).toBe('-zKWj3feBDqc2ZXzaIDS7i')
    await putJokes(store, jokes)
    const { send } = DynamoDBDocumentClient.prototype
    const error = Object.assign(new Error('No.'), { name: 'ExpiredTokenException', $fault: 'client' })
    let calls = 0
    vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(function (this: unknown, ...args) {
      return ++calls === 20 ? Promise.reject(error) : Reflect.apply(send, this, args)
    })
    const { code, stdout, stderr } = await operate('remove', ...ids)
    const printed = Array.from(stdout.matchAll(/^(\S+) {2}was listed, removed/gm), ([, id]) => id)
    const removed = (await itemsOf(store)).filter(({ jokeState }) => jokeState === 'removed').map(({ id }) => id)
    expect(printed.toSorted()).toEqual(removed.toSorted())
    expect(removed.length).toBeLessThan(40)
    const summary = `\nDone: ${removed.length} of 100. For the rest, run the same command again.\n`
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${summary}ExpiredTokenException: No.\n`)])
    expect(await operate('remove', ...ids)).toMatchObject({ code: 0 })
    await expectListed()
  })
})
