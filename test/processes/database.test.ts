/** The local database. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Level } from 'level'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startDynalite } from '../../infra/local/localDatabase.ts'
import { itemsOf } from '../support/access.ts'
import { end, resultOf, run, start, temporaryFolder } from '../support/process.ts'
import { createStore } from '../support/service.ts'

it('the database serves only programs on this machine', async () => {
  const { endpoint, stop } = await startDynalite()
  onTestFinished(stop)
  expect((await fetch(endpoint)).status).toBe(200)
  // Browsers send this header.
  for (const origin of ['http://127.0.0.1:3000', 'null'])
    expect((await fetch(endpoint, { method: 'POST', headers: { origin } })).status).toBe(403)
  // All of 127.0.0.0/8 is this machine, but the database listens on 127.0.0.1 only.
  await expect(fetch(endpoint.replace('127.0.0.1', '127.0.0.2'))).rejects.toThrow('fetch failed')
})

it('npm start refuses a folder of another version, and says how to keep its jokes', async () => {
  const folder = temporaryFolder()
  await end((await start(folder)).child)
  const data = join(folder, 'data')
  const file = join(data, 'FORMAT')
  const older = readFileSync(file, 'utf8').replace(/\d+/, '9')
  for (const change of [() => writeFileSync(file, older), () => rmSync(file)]) {
    change()
    const message = `The folder ${data} has jokes of another version of this service. To keep them, start that`
    expect(await resultOf(run({ DATA_DIR: data }))).toEqual([1, '', expect.stringContaining(message)])
  }
})

it('a folder stays usable after a start on a full disk', async () => {
  const folder = temporaryFolder()
  await end((await start(folder)).child)
  const [code] = await resultOf(run({ DATA_DIR: join(folder, 'data') }, undefined, 'ulimit -f 0'))
  expect(code).toBe(1)
  await start(folder)
})

it('a second npm start on the same folder says that the folder is in use', async () => {
  const folder = temporaryFolder()
  await start(folder)
  const data = join(folder, 'data')
  const message = `Cannot keep data in the folder ${data}: it is in use by another program, perhaps another npm start. Set DATA_DIR to another folder.\n`
  expect(await resultOf(run({ DATA_DIR: data }))).toEqual([1, '', message])
})

it('the database closes the iterators of its queries, which would fill the memory', async () => {
  const { endpoint, stop } = await startDynalite(join(temporaryFolder(), 'data'))
  onTestFinished(stop)
  const level = new Level(join(temporaryFolder(), 'other'))
  await level.open()
  onTestFinished(() => level.close())
  using close = vi.spyOn(Object.getPrototypeOf(level.values()), 'close')
  await itemsOf(await createStore({}, endpoint))
  await vi.waitFor(() => expect(close).toHaveBeenCalled(), 10_000)
})
