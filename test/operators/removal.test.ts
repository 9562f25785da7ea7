/** Jokes that operators remove or erase. */
import { afterAll, describe, expect, it } from 'vitest'
import { UnknownJoke } from '../../shared/errors.ts'
import { identify, type Joke } from '../../shared/joke.ts'
import { eraseJoke, findRecord, removeJoke, undoRemoval } from '../../shared/store/removal.ts'
import { emptyTables, itemsOf, put, toStored, writeOrphans } from '../support/access.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
afterAll(service.stop)

const text = { joke: 'An offensive joke', punchline: 'about ornithologists', category: 'Classic' }

async function addVoted(): Promise<Joke> {
  await emptyTables(store)
  const [joke] = await service.add(text, { ...text, joke: 'A harmless joke' })
  if (!joke) throw new Error('No joke was added.')
  await service.thumbUp(joke.id)
  return { ...joke, thumbsUp: 1 }
}

/** Listings of all jokes. */
const LISTINGS = [{}, { sortBy: 'thumbsUp' }, { sortBy: 'thumbsDown' }, { sortBy: 'random' }]

/** The listings that show a joke, and the answers to adding and upvoting it. */
async function traces({ id }: Joke) {
  const again = await service.create({ ...text, category: 'School' })
  const shownBy: object[] = []
  for (const query of [...LISTINGS, { searchString: 'ornithologists' }, { id }]) {
    const jokes = (await service.pages(query)).flat()
    if (jokes.some((joke) => joke.id === id)) shownBy.push(query)
  }
  return { shownBy, upvote: (await service.thumbUp(id)).status, again: again.status, problem: again.body }
}

const removed = {
  shownBy: [],
  upvote: 404,
  again: 409,
  problem: {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    detail: 'This joke was removed by the operators of the service, so it cannot be added again.',
  },
}

describe('a removed joke', () => {
  it('appears in no listing, cannot be upvoted, and cannot be added again', async () => {
    const joke = await addVoted()
    await removeJoke(store, joke.id)
    expect(await traces(joke)).toEqual(removed)
    expect(await service.jokes()).toHaveLength(1)
    expect(await findRecord(store, joke.id)).toMatchObject({ state: 'removed', joke })
  })

  it('reappears with its votes when its removal is undone, and can be removed again', async () => {
    const joke = await addVoted()
    await removeJoke(store, joke.id)
    await undoRemoval(store, joke.id)
    expect(await service.jokes({ id: joke.id })).toEqual([joke])
    expect(await traces(joke)).toMatchObject({
      shownBy: [...LISTINGS, { searchString: 'ornithologists' }, { id: joke.id }],
      upvote: 200,
      again: 409,
      problem: { id: joke.id },
    })
    await removeJoke(store, joke.id)
    expect(await traces(joke)).toEqual(removed)
  })
})

describe('an erased joke', () => {
  it('leaves only its id, so that it cannot be added again', async () => {
    const joke = await addVoted()
    // The loser of two simultaneous creates leaves rows with another date and category.
    await writeOrphans(store, { ...joke, category: 'School', dateAdded: '2026-01-01T00:00:00.000Z' })
    await removeJoke(store, joke.id)
    await eraseJoke(store, joke.id)
    expect(await traces(joke)).toEqual(removed)
    const items = [...(await itemsOf(store, store.jokesTable)), ...(await itemsOf(store, store.wordsTable))]
    const left = items.filter((item) => JSON.stringify(item).includes(joke.id))
    expect(left).toEqual([{ id: joke.id, removedAt: expect.any(String), erasedAt: expect.any(String) }])
    expect(await findRecord(store, joke.id)).toEqual({ id: joke.id, state: 'erased' })
  })

  it('takes no words from other jokes', async () => {
    const joke = await addVoted()
    const others = (await service.jokes({ searchString: 'ornithologists' })).filter(({ id }) => id !== joke.id)
    await removeJoke(store, joke.id)
    await eraseJoke(store, joke.id)
    expect(others).toHaveLength(1)
    expect(await service.jokes({ searchString: 'ornithologists' })).toEqual(others)
  })

  it('leaves no rows of words that its stored words do not hold', async () => {
    await emptyTables(store)
    const manyWords = Array.from({ length: 200 }, (_, index) => `ж${index}`).join(' ')
    const [joke] = await service.add({ joke: manyWords, category: 'Classic' })
    await removeJoke(store, `${joke?.id}`)
    await eraseJoke(store, `${joke?.id}`)
    expect(await itemsOf(store, store.wordsTable)).toEqual([])
  })

  it('leaves no rows of an equal joke in another spelling, whose request lost against it', async () => {
    await emptyTables(store)
    const [joke] = await service.add({ joke: 'Stop ‼', category: 'Classic' })
    if (!joke) throw new Error('No joke was added.')
    expect(identify({ joke: 'Stop ‼️', punchline: '' })).toBe(joke.id)
    await writeOrphans(store, { ...joke, joke: 'Stop ‼️', dateAdded: '2026-01-01T00:00:00.000Z' })
    await removeJoke(store, joke.id)
    expect(await itemsOf(store, store.wordsTable)).toEqual([])
  })

  it('cannot be restored or removed', async () => {
    const joke = await addVoted()
    await removeJoke(store, joke.id)
    await eraseJoke(store, joke.id)
    await expect(undoRemoval(store, joke.id)).rejects.toThrow(UnknownJoke)
    await expect(removeJoke(store, joke.id)).rejects.toThrow(UnknownJoke)
    expect(await service.jokes()).toHaveLength(1)
  })

  it('must have been removed before', async () => {
    const joke = await addVoted()
    await expect(eraseJoke(store, joke.id)).rejects.toThrow(UnknownJoke)
    expect(await service.jokes({ id: joke.id })).toEqual([joke])
  })
})

it('the record of a joke contains the id of the request that added it', async () => {
  const joke = await addVoted()
  const item = (await itemsOf(store, store.jokesTable)).find(({ id }) => id === joke.id)
  const record = await findRecord(store, joke.id)
  expect(record).toEqual({ id: joke.id, joke, state: 'listed', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(item?.createdBy).toMatch(new RegExp(`^${record?.requestId}#`))
})

it('the record of a joke whose request is not stored has none', async () => {
  const joke = await addVoted()
  const id = 'R'.repeat(22)
  const { createdBy: _, ...item } = toStored({ ...joke, id }).item
  await put(store, store.jokesTable, item)
  expect(await findRecord(store, id)).toEqual({ id, joke: { ...joke, id }, state: 'listed' })
})

it.each([removeJoke, undoRemoval, eraseJoke])('$name rejects an unknown id', async (act) => {
  const id = 'AAAAAAAAAAAAAAAAAAAAAA'
  await expect(act(store, id)).rejects.toThrow(UnknownJoke)
  expect(await findRecord(store, id)).toBeUndefined()
})
