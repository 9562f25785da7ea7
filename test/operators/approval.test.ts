/** New jokes wait where the setting `approval` is on. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { approveJoke, findRecord } from '../../shared/store/removal.ts'
import { reindex, restore } from '../../shared/store/upkeep.ts'
import { emptyTables, itemsOf, put } from '../support/access.ts'
import { operate as operateOn, temporaryFolder, typing } from '../support/process.ts'
import { expectProblem, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const operate = (command: string, ...options: string[]) => operateOn(store, command, ...options)
beforeEach(() => {
  store.approval = true
  return emptyTables(store)
})
afterAll(service.stop)

const text = { joke: 'A joke about patience', punchline: 'Later.', category: 'Classic' }

/** Adds jokes, in the order of their dates. */
async function addWaiting(...jokes: string[]): Promise<string[]> {
  return (await service.add(...jokes.map((joke) => ({ ...text, joke })))).map(({ id }) => id)
}

const statesOf = (ids: string[]) => Promise.all(ids.map(async (id) => (await findRecord(store, id))?.state))

describe('a joke that waits', () => {
  it('was answered 201, is in no listing, cannot be upvoted and is not added again, until it is approved', async () => {
    const [joke] = await service.add(text)
    const id = `${joke?.id}`
    expect(joke).toEqual({ ...text, id, thumbsUp: 0, thumbsDown: 0, dateAdded: expect.any(String) })
    const orders = ['dateAdded', 'thumbsUp', 'thumbsDown', 'random'].map((sortBy) => ({ sortBy }))
    const listings = [...orders, { searchString: 'pati later' }, { category: 'Classic' }, { id }]
    for (const query of listings) expect(await service.jokes(query)).toEqual([])
    expect((await service.thumbUp(id)).status).toBe(404)
    expectProblem(await service.create({ ...text, category: 'School' }), {
      status: 409,
      title: 'Conflict',
      detail: 'This joke has been added already, and waits for the approval of the operators of the service.',
    })
    expect(await itemsOf(store, store.wordsTable)).toEqual([])
    await approveJoke(store, id)
    for (const query of listings) expect(await service.jokes(query)).toEqual([joke])
    expect((await service.thumbUp(id)).status).toBe(200)
    expect((await operate('approve')).stderr).toContain('No joke waits.')
  })

  it('still waits after it was restored from a backup, and after a reindex', async () => {
    const [id] = await addWaiting('Waiting')
    const backup = { ...store, jokesTable: `Backup-${randomUUID()}` }
    await createTables(backup, configOf(inject('endpoint')))
    await put(store, backup.jokesTable, ...(await itemsOf(store, store.jokesTable)))
    await emptyTables(store)
    for await (const _ of restore(store, backup.jokesTable, { existing: true, newer: true }));
    for await (const _ of reindex(store, true));
    expect(await itemsOf(store, store.wordsTable)).toEqual([])
    expect((await operate('approve', '--all')).stdout).toContain(`${id}  was waiting, approved`)
  })

  it('can be removed, comes back by an undo, and does not wait again', async () => {
    const [id = ''] = await addWaiting('Waiting')
    expect((await operate('remove', id)).stdout).toContain('was waiting, removed')
    expect(await operate('approve', id)).toMatchObject({ code: 1, stdout: expect.stringContaining('is removed') })
    expect((await operate('remove', id, '--undo')).stdout).toContain('was removed, brought back')
    expect((await service.jokes({ searchString: 'waiting' })).map((joke) => joke.id)).toEqual([id])
  })

  it('still waits where approval is off now, and others do not', async () => {
    const waiting = await addWaiting('Waiting')
    store.approval = false
    const listed = await addWaiting('Listed')
    expect(await statesOf([...waiting, ...listed])).toEqual(['waiting', 'listed'])
  })
})

describe('npm run approve', () => {
  it('shows each joke and who sent it, the oldest first, and does as it is told', async () => {
    const ids = await addWaiting('1st', '2nd', '3rd', '4th', '5th', '6th', '7th')
    const { requestId } = (await findRecord(store, `${ids[0]}`)) ?? {}
    typing('Yes', 'no', '?', '', 'l', 'y', 'q', 'y')
    const { code, stdout, stderr } = await operate('approve')
    expect([code, stdout.match(/was waiting, \w+/g)?.length]).toEqual([0, 3])
    expect(stderr).toContain(`1 of 7: ${ids[0]}`)
    expect(stderr).toContain(`Classic, added by request ${requestId}\n    1st\n    Later.\n`)
    const untouched = ['waiting', 'waiting']
    expect(await statesOf(ids)).toEqual(['listed', 'removed', ...untouched, 'listed', ...untouched])
  })

  it('lets in those that are named, and fails if one does not wait', async () => {
    const [one = '', two = '', three = ''] = await addWaiting('One', 'Two', 'Three')
    const file = join(temporaryFolder(), 'ids')
    writeFileSync(file, `${two}\n${'A'.repeat(22)}`)
    const { code, stdout, stderr } = await operate('approve', one, '--ids', file)
    expect([code, stdout]).toEqual([1, expect.stringContaining(`${'A'.repeat(22)}  no joke has this id\n`)])
    expect(stderr).toContain('2 jokes approved, 1 left as they were.\n1 joke could not be approved.')
    expect((await operate('approve', one)).code).toBe(0)
    expect(await statesOf([one, two, three])).toEqual(['listed', 'listed', 'waiting'])
  })

  it('prints those that wait for scripts, and does nothing without being told what', async () => {
    const ids = await addWaiting('One', 'Other')
    const lines = (await operate('approve', '--json')).stdout.trim().split('\n')
    const requestId = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      ['One', 'Other'].map((joke, index) => ({ ...text, joke, id: ids[index], requestId })),
    )
    expect((await operate('approve')).stderr).toContain('no terminal to ask on')
    expect((await operate('approve', '--all', '--json')).stderr).toContain('Choose one')
    expect(await service.jokes()).toEqual([])
  })
})
