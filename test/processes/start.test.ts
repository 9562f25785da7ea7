/** `npm start` as its user meets it. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { NPM_START, run, start, temporaryFolder } from '../support/process.ts'

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
    const child = run({ DATA_DIR: join(temporaryFolder(), 'data') }, '--watch', NPM_START)
    expect(String(await once(child.stdout, 'data'))).toMatch(/^Joke Service listens/)
    child.kill('SIGTERM')
    await once(child, 'exit')
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

  it('has its jokes removed by `npm run remove -- --local`', async () => {
    const folder = temporaryFolder()
    const { service } = await start(folder)
    const [added] = await service.add(joke)
    const remove = run({ DATA_DIR: join(folder, 'data') }, 'tools/remove.ts', '--local', `${added?.id}`)
    const [output, [exitCode]] = await Promise.all([text(remove.stdout), once(remove, 'exit')])
    expect([exitCode, output]).toEqual([0, expect.stringContaining('was listed, removed')])
    expect(await service.jokes()).toEqual([])
  })

  it('listens on this machine only, unless HOST says otherwise', async () => {
    const { service } = await start(temporaryFolder())
    const { port } = new URL(service.url)
    // All of 127.0.0.0/8 is this machine, but it listens on 127.0.0.1 only.
    await expect(fetch(`http://127.0.0.2:${port}/joke`)).rejects.toThrow('fetch failed')

    const child = run({ DATA_DIR: join(temporaryFolder(), 'data'), HOST: '0.0.0.0' })
    const [line] = await once(child.stdout, 'data')
    const [, open] = /^Joke Service listens on http:\/\/localhost:(\d+) /.exec(String(line)) ?? []
    expect((await fetch(`http://127.0.0.2:${open}/joke`)).status).toBe(200)
  })

  it('needs no AWS profile, and treats empty variables as absent', async () => {
    const empty = { HOST: '', AWS_ENDPOINT_URL_DYNAMODB: '', AWS_REGION: '', AWS_ACCESS_KEY_ID: '', JOKES_TABLE: '' }
    const child = run({ DATA_DIR: join(temporaryFolder(), 'data'), AWS_PROFILE: 'of-somebody-else', ...empty })
    expect(String(await once(child.stdout, 'data'))).toMatch(/^Joke Service listens/)
    expect(await failure({ PORT: '', HOST: 'of-nobody.invalid' })).toMatch(/^HOST must be/)
  })

  it('serves compressed, and with ETags, what CloudFront would', async () => {
    const { service } = await start(temporaryFolder())
    await service.add(joke, { ...joke, punchline: 'This one, because it is so long. '.repeat(30).trim() })
    const ask = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(service.url + path, { headers })
      return { answer, encoding: answer.headers.get('content-encoding'), vary: `${answer.headers.get('vary')}` }
    }
    const browsers = { 'accept-encoding': 'gzip, deflate, br, zstd' }
    expect(await ask('/docs/swagger-ui-bundle.js', browsers)).toMatchObject({ encoding: 'br', vary: 'Accept-Encoding' })
    expect(await ask('/joke', browsers)).toMatchObject({
      encoding: 'br',
      vary: expect.stringContaining('Accept-Encoding'),
    })
    expect(await ask('/joke', { 'accept-encoding': 'gzip' })).toMatchObject({ encoding: 'gzip' })
    expect(await ask('/joke', { 'accept-encoding': 'identity' })).toMatchObject({ encoding: null })
    expect(await ask('/joke?numberofJokes=1&sortOrder=asc', browsers)).toMatchObject({ encoding: null })

    const { answer: first } = await ask('/docs', {})
    const etag = `${first.headers.get('etag')}`
    // Without a Cache-Control of its own, fetch sends one that asks for the whole file.
    const { answer: again } = await ask('/docs', { 'if-none-match': etag, 'cache-control': 'max-age=0' })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const { answer: changed } = await ask('/docs', { 'if-none-match': 'W/"old"', 'cache-control': 'max-age=0' })
    expect([changed.status, await changed.text()]).toEqual([200, await first.text()])
  })

  it.each(['EADDRINUSE', 'EADDRNOTAVAIL'])('says in plain English why it cannot listen (%s)', async (code) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = Object(other.address())
    expect(await failure(code === 'EADDRINUSE' ? { PORT: String(port) } : { HOST: '192.0.2.1' })).toBe(
      code === 'EADDRINUSE'
        ? `Port ${port} is already in use. Stop what uses it, or set PORT to another port.\n`
        : 'HOST must be an address of this machine, not 192.0.2.1.\n',
    )
    other.close()
  })

  it.each(['http', '65536', '-1'])('says in plain English that %s is no port', async (port) => {
    expect(await failure({ PORT: port })).toBe(`PORT must be a number from 0 to 65535, not ${port}.\n`)
  })

  it('says in plain English that it cannot create DATA_DIR', async () => {
    const folder = join(temporaryFolder(), 'missing', 'data')
    expect(await failure({ DATA_DIR: folder })).toBe(
      `Cannot create the folder ${folder}: its parent folder does not exist. Create it, or set DATA_DIR to another folder.\n`,
    )
  })

  it('says in plain English that DATA_DIR is a file', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(await failure({ DATA_DIR: file })).toMatch(
      /^Cannot keep data in the folder .+\. Set DATA_DIR to another folder\.\n$/,
    )
  })

  it('says in plain English that DATA_DIR is in use', async () => {
    const folder = temporaryFolder()
    await start(folder)
    const data = join(folder, 'data')
    expect(await failure({ DATA_DIR: data })).toBe(
      `The folder ${data} is already in use, perhaps by another npm start. Stop that, or set DATA_DIR to another folder.\n`,
    )
  })

  it('says in plain English that no database listens where it should', async () => {
    const closed = createServer().listen(0)
    await once(closed, 'listening')
    const endpoint = `http://127.0.0.1:${Object(closed.address()).port}`
    closed.close()
    expect(await failure({ AWS_ENDPOINT_URL_DYNAMODB: endpoint })).toBe(
      `No database listens at ${endpoint}. Start it, or leave out AWS_ENDPOINT_URL_DYNAMODB to use the local one.\n`,
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
