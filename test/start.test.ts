/** `npm start` as its user meets it. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { run, start, temporaryFolder } from './support/process.ts'

const joke = { joke: 'What stays?', punchline: 'This.', category: 'Classic' }

describe('npm start', () => {
  it('tells where it listens, and each request in a line', async () => {
    const folder = temporaryFolder()
    const { service, child, lines } = await start(folder)
    await service.list({ category: 'None' })
    child.kill('SIGINT')
    await once(child, 'exit')
    expect(lines.join('')).toMatch(
      /^Joke Service listens on http:\/\/localhost:\d+ and keeps its jokes in .+\.\nGET \/joke\?category=None 400 \d+ ms\n$/,
    )
  })

  it('stops although a client holds a connection that it does not use', async () => {
    const { service, child } = await start(temporaryFolder())
    const silent = connect(Number(new URL(service.url).port), '127.0.0.1')
    silent.on('error', () => {})
    await once(silent, 'connect')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
    silent.destroy()
  })

  it('starts as `npm run dev` does it, too', async () => {
    const child = run({ DATA_DIR: join(temporaryFolder(), 'data') }, '--watch')
    expect(String(await once(child.stdout, 'data'))).toMatch(/^Joke Service listens/)
    child.kill('SIGTERM')
    await once(child, 'exit')
  })

  it('needs no AWS profile, whatever the environment says', async () => {
    const child = run({ DATA_DIR: join(temporaryFolder(), 'data'), AWS_PROFILE: 'of-somebody-else' })
    expect(String(await once(child.stdout, 'data'))).toMatch(/^Joke Service listens/)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('keeps jokes and upvotes over a %s', async (signal) => {
    const folder = temporaryFolder()
    const first = await start(folder)
    const [added] = await first.service.add(joke)
    await first.service.thumbUp(`${added?.id}`)
    first.child.kill(signal)
    const [exitCode] = await once(first.child, 'exit')
    expect(exitCode).toBe(signal === 'SIGKILL' ? null : 0)

    const second = await start(folder)
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
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    expect(await failure({ DATA_DIR: join(folder, 'file', 'data') })).toMatch(
      /^The folder .+ cannot be made, ENOTDIR.*\.\n$/,
    )
  })

  it('says in a sentence that DATA_DIR is in use', async () => {
    const folder = temporaryFolder()
    await start(folder)
    expect(await failure({ DATA_DIR: join(folder, 'data') })).toMatch(
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

/** What it says on standard error when it does not start. */
async function failure(environment: Record<string, string>): Promise<string> {
  const child = run(environment)
  const [message, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect(exitCode).toBe(1)
  return message
}
