import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listen } from '../support/listen.ts'
import { end, firstOutput, NPM_START, resultOf, run, start, temporaryFolder } from '../support/process.ts'

const joke = { joke: 'What stays?', punchline: 'This.', category: 'Classic' }

describe('npm start', () => {
  it('prints its address, and a line for each request', async () => {
    const { service, child, lines } = await start(temporaryFolder())
    await service.list({ category: 'None' })
    await end(child)
    expect(lines.join('')).toMatch(
      /^Joke Service listens on http:\/\/localhost:\d+ and keeps its jokes in .+\.\nGET \/joke\?category=None 400 \d+ ms\n$/,
    )
  })

  it('stops although a client holds an unused connection', async () => {
    const { service, child } = await start(temporaryFolder())
    const silent = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {})
    await once(silent, 'connect')
    expect(await end(child, 'SIGINT')).toBe(0)
    silent.destroy()
  })

  it('starts with --watch, as npm run dev does', async () => {
    const child = run({ DATA_DIR: join(temporaryFolder(), 'data') }, '--watch', NPM_START)
    expect(await firstOutput(child)).toMatch(/^Joke Service listens/)
    await end(child)
  })

  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])('keeps jokes and upvotes after %s', async (signal) => {
    const folder = temporaryFolder()
    const first = await start(folder)
    const [added] = await first.service.add(joke)
    await first.service.thumbUp(`${added?.id}`)
    expect(await end(first.child, signal)).toBe(0)
    // Otherwise, the next start would repair the indexes, as after a crash.
    expect(existsSync(join(folder, 'data/IN_USE'))).toBe(false)
    const { service } = await start(folder)
    expect(await service.jokes({ searchString: 'stays' })).toEqual([{ ...added, thumbsUp: 1 }])
    expect((await service.create(joke)).status).toBe(409)
  })

  it('lets new jokes wait for approval if APPROVAL is on', async () => {
    const { service } = await start(temporaryFolder(), { APPROVAL: 'on' })
    await service.add(joke)
    expect(await service.jokes()).toEqual([])
  })

  it('hides a joke that npm run remove -- --local removes', async () => {
    const folder = temporaryFolder()
    const { service } = await start(folder)
    const [added] = await service.add(joke)
    const remove = run({ DATA_DIR: join(folder, 'data') }, 'tools/remove.ts', '--local', `${added?.id}`)
    expect(await resultOf(remove)).toEqual([
      0,
      expect.stringContaining('was listed, removed'),
      expect.stringContaining('1 joke removed.'),
    ])
    expect(await service.jokes()).toEqual([])
  })

  it('listens on this machine only, unless HOST says otherwise', async () => {
    const { service } = await start(temporaryFolder())
    const { port } = new URL(service.url)
    // All of 127.0.0.0/8 is this machine, but the service listens on 127.0.0.1 only.
    await expect(fetch(`http://127.0.0.2:${port}/joke`)).rejects.toThrow('fetch failed')

    const child = run({ DATA_DIR: join(temporaryFolder(), 'data'), HOST: '0.0.0.0' })
    const [, open] = /^Joke Service listens on http:\/\/localhost:(\d+) /.exec(await firstOutput(child)) ?? []
    expect((await fetch(`http://127.0.0.2:${open}/joke`)).status).toBe(200)
  })

  it('needs no AWS profile, and treats empty variables as absent', async () => {
    const empty = { HOST: '', AWS_ENDPOINT_URL_DYNAMODB: '', AWS_REGION: '', AWS_ACCESS_KEY_ID: '', JOKES_TABLE: '' }
    const child = run({ DATA_DIR: join(temporaryFolder(), 'data'), AWS_PROFILE: 'of-somebody-else', ...empty })
    expect(await firstOutput(child)).toMatch(/^Joke Service listens/)
  })

  it('compresses answers and supports ETags as CloudFront does', async () => {
    const { service } = await start(temporaryFolder())
    await service.add(joke, { ...joke, punchline: 'This one, because it is so long. '.repeat(30).trim() })
    const ask = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(service.url + path, { headers })
      return { answer, encoding: answer.headers.get('content-encoding'), vary: `${answer.headers.get('vary')}` }
    }
    const browsers = 'gzip, deflate, br, zstd'
    for (const [path, accepted, encoding] of [
      ['/docs/swagger-ui-bundle.js', browsers, 'br'],
      ['/joke', browsers, 'br'],
      ['/joke', 'gzip', 'gzip'],
      ['/joke', 'identity', null],
      ['/joke?numberofJokes=1&sortOrder=asc', browsers, null],
    ] as const)
      expect(await ask(path, { 'accept-encoding': accepted })).toMatchObject({
        encoding,
        ...(encoding && { vary: expect.stringContaining('Accept-Encoding') }),
      })

    const { answer: first } = await ask('/docs', {})
    const etag = `${first.headers.get('etag')}`
    expect(first.headers.get('cache-control')).toBe('no-cache')
    // Without this Cache-Control, fetch would send one that asks for the whole file.
    const { answer: again } = await ask('/docs', { 'if-none-match': etag, 'cache-control': 'max-age=0' })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const { answer: changed } = await ask('/docs', { 'if-none-match': 'W/"old"', 'cache-control': 'max-age=0' })
    expect([changed.status, await changed.text()]).toEqual([200, await first.text()])
  })

  it('explains that its port is in use', async () => {
    const { server, port } = await listen()
    const message = `Port ${port} is already in use. Stop what uses it, or set PORT to another port.\n`
    expect(await failure({ PORT: String(port) })).toBe(message)
    server.close()
  })

  it.each<[object, string | RegExp]>([
    [{ HOST: '192.0.2.1' }, 'HOST must be an address of this machine, not 192.0.2.1.\n'],
    [{ PORT: '', HOST: 'of-nobody.invalid' }, /^HOST must be/],
    ...['http', '65536', '-1'].map((PORT): [object, string] => [
      { PORT },
      `PORT must be a number from 0 to 65535, not ${PORT}.\n`,
    ]),
    [
      { DATA_DIR: '/of/nobody' },
      'Cannot create the folder /of/nobody: its parent folder does not exist. Create it, or set DATA_DIR to another folder.\n',
    ],
    [{ DATA_DIR: 'package.json' }, /^Cannot keep data in the folder .+\. Set DATA_DIR to another folder\.\n$/],
    [
      // Nothing listens there.
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
      'No database listens at http://127.0.0.1:1. Start it, or leave out AWS_ENDPOINT_URL_DYNAMODB to use the local one.\n',
    ],
  ])('explains what is wrong with %j', async (environment, message) => {
    expect(await failure({ DATA_DIR: join(temporaryFolder(), 'data'), ...environment })).toMatch(message)
  })

  it('explains that DATA_DIR is in use', async () => {
    const folder = temporaryFolder()
    await start(folder)
    const data = join(folder, 'data')
    expect(await failure({ DATA_DIR: data })).toBe(
      `The folder ${data} is already in use, perhaps by another npm start. Stop that, or set DATA_DIR to another folder.\n`,
    )
  })
})

/** The error message of an `npm start` that fails. */
async function failure(environment: Record<string, string>): Promise<string> {
  const [exitCode, , message] = await resultOf(run(environment))
  expect(exitCode).toBe(1)
  return message
}
