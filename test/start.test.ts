/** `npm start` as its user meets it. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Service } from './support/service.ts'

let folder: string
type Child = ChildProcessByStdio<null, Readable, Readable>
let children: Child[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jokes-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const joke = { joke: 'What stays?', punchline: 'This.', category: 'Classic' }

describe('npm start', () => {
  it('tells where it listens, and each request in a line', async () => {
    const { service, child, lines } = await start()
    await service.list({ category: 'None' })
    child.kill('SIGINT')
    await once(child, 'exit')
    expect(lines.join('')).toMatch(
      /^Joke Service listens on http:\/\/localhost:\d+ and keeps its jokes in .+\.\nGET \/joke\?category=None 400 \d+ ms\n$/,
    )
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('keeps jokes and upvotes over a %s', async (signal) => {
    const first = await start()
    const [added] = await first.service.add(joke)
    await first.service.thumbUp(`${added?.id}`)
    first.child.kill(signal)
    const [exitCode] = await once(first.child, 'exit')
    expect(exitCode).toBe(signal === 'SIGKILL' ? null : 0)

    const second = await start()
    expect(await second.service.jokes({ searchString: 'stays' })).toEqual([{ ...added, thumbsUp: 1 }])
    expect((await second.service.create(joke)).status).toBe(409)
  })

  it('says in a sentence that the port is in use', async () => {
    const other = createServer().listen(0)
    await once(other, 'listening')
    expect(await failure({ PORT: String(Object(other.address()).port) })).toMatch(
      /^Port \d+ cannot be had: .*EADDRINUSE.*\. Set PORT to another\.\n$/,
    )
    other.close()
  })

  it('says in a sentence that PORT is no port', async () => {
    expect(await failure({ PORT: 'http' })).toBe('PORT must be a port number, not http.\n')
  })

  it('says in a sentence that DATA_DIR is not to be had', async () => {
    writeFileSync(join(folder, 'file'), '')
    expect(await failure({ DATA_DIR: join(folder, 'file', 'data') })).toMatch(
      /^The folder .+ cannot be made, ENOTDIR.*\.\n$/,
    )
  })

  it('says in a sentence that DATA_DIR is in use', async () => {
    await start()
    expect(await failure({})).toMatch(
      /^The folder .+ cannot be used, .*LOCK.*: is it writable, and in no other use\?\n$/,
    )
  })

  it('says in a sentence that the database cannot be reached', async () => {
    const closed = createServer().listen(0)
    await once(closed, 'listening')
    const address = closed.address()
    closed.close()
    const endpoint = `http://127.0.0.1:${Object(address).port}`
    expect(await failure({ AWS_ENDPOINT_URL_DYNAMODB: endpoint })).toMatch(
      new RegExp(`^The database at ${endpoint} cannot be used: .*ECONNREFUSED.*\\.\\n$`),
    )
  })
})

function run(environment: Record<string, string>): Child {
  const child = spawn(process.execPath, ['infra/local/main.ts'], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(folder, 'data'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

/** Starts and waits until it listens. */
async function start() {
  const child = run({})
  const lines: string[] = []
  child.stdout.on('data', (chunk) => lines.push(String(chunk)))
  await once(child.stdout, 'data')
  const url = /http:\S+/.exec(lines.join(''))?.[0]
  return { child, lines, service: new Service(`${url}`, async () => {}) }
}

/** What it says on standard error when it does not start. */
async function failure(environment: Record<string, string>): Promise<string> {
  const child = run(environment)
  const [message, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(exitCode).toBe(1)
  return message
}
