/** Tests the local database. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Level } from 'level'
import { expect, it, onTestFinished } from 'vitest'
import { startDynalite } from '../../infra/local/localDatabase.ts'
import { fail } from '../../infra/local/startup.ts'
import { JOKES } from '../../shared/store/item.ts'
import { NPM_START, resultOf, run, temporaryFolder } from '../support/process.ts'

it('the database serves only programs on this machine', async () => {
  const { endpoint, stop } = await startDynalite(undefined, fail)
  onTestFinished(stop)
  const port = Number(new URL(endpoint).port)
  // All of 127.0.0.0/8 is this machine, but the database listens on 127.0.0.1 only.
  await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow('fetch failed')
  const status = async (headers: Record<string, string>) => {
    const get = request({ host: '127.0.0.1', port, headers }).end()
    const [response] = await once(get, 'response')
    response.resume()
    return response.statusCode
  }
  for (const name of ['127.0.0.1', 'localhost', 'host.docker.internal'])
    expect(await status({ host: `${name}:${port}` })).toBe(200)
  // Web pages send such headers.
  const names = [`rebound.example:${port}`, '['].map((host) => ({ host }))
  for (const headers of [{ origin: 'http://127.0.0.1:3000' }, { origin: 'null' }, ...names])
    expect(await status(headers)).toBe(403)
})

it('the database refuses a folder written by another version', async () => {
  const folder = join(temporaryFolder(), 'data')
  await (await startDynalite(folder, fail)).stop()
  const message = `The folder ${folder} has jokes in the format of another version of this service. If you do not need them, delete`
  const refused = () => expect(startDynalite(folder, fail)).rejects.toThrow(message)
  const { sortKey } = JOKES.index
  onTestFinished(() => void Object.assign(JOKES.index, { sortKey }))
  JOKES.index.sortKey = 'another'
  await refused()
  rmSync(join(folder, 'FORMAT'))
  await refused()
})

it('a folder stays usable after a start on a full disk', async () => {
  const folder = join(temporaryFolder(), 'data')
  await (await startDynalite(folder, fail)).stop()
  const [code] = await resultOf(run({ DATA_DIR: folder }, [NPM_START], 'ulimit -f 0'))
  expect(code).toBe(1)
  await (await startDynalite(folder, fail)).stop()
})

it('the database refuses a folder that another process uses', async () => {
  const folder = join(temporaryFolder(), 'data')
  const inUse = `Cannot keep data in the folder ${folder}: another program uses it, perhaps another npm start.`
  const refused = () => expect(startDynalite(folder, fail)).rejects.toThrow(inUse)
  const starting = new Level(join(folder, 'LOCK.db'))
  await starting.open()
  await refused()
  await starting.close()
  const { stop } = await startDynalite(folder, fail)
  await refused()
  await stop()
})
