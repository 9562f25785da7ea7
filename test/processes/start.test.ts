import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { listen } from '../support/listen.ts'
import { resultOf, run, start, temporaryFolder } from '../support/process.ts'

const joke = { joke: 'What stays?', punchline: 'This.', category: 'Classic' }

it('npm start answers requests in progress when it stops', async () => {
  const folder = temporaryFolder()
  const first = await start(folder)
  // An unused connection must not keep the service from stopping.
  const unused = connect(Number(new URL(first.service.url).port), '127.0.0.1').on('error', () => {})
  await once(unused, 'connect')
  // A request in progress is answered after new connections are refused, even if Ctrl+C arrives twice.
  const url = new URL('/joke', first.service.url)
  const post = async () => {
    const sent = request(url, { method: 'POST', headers: { expect: '100-continue' } }).on('error', () => {})
    sent.flushHeaders()
    await once(sent, 'continue')
    return sent
  }
  const slow = await post()
  // A client that never sends the rest of its request must not keep the service from stopping, either.
  await post()
  const exit = once(first.child, 'close')
  const answered = once(slow, 'response')
  first.child.kill('SIGTERM')
  while (await fetch(url).catch(() => undefined)) first.child.kill('SIGINT')
  slow.end('{ "joke": "Begun", "category": "School" }')
  const [response] = await answered
  expect([response.statusCode, await exit]).toEqual([201, [0, null]])
  unused.destroy()
  const { service } = await start(folder)
  expect(await service.jokes()).toMatchObject([{ joke: 'Begun' }])
})

it('npm start ignores AWS profiles and empty variables', async () => {
  const empty = { HOST: '', AWS_ENDPOINT_URL_DYNAMODB: '', AWS_REGION: '', AWS_ACCESS_KEY_ID: '', JOKES_TABLE: '' }
  const { service } = await start(temporaryFolder(), { AWS_PROFILE: 'of-somebody-else', ...empty })
  expect(await service.jokes()).toEqual([])
})

it('npm start obeys HOST and APPROVAL', async () => {
  // All of 127.0.0.0/8 is this machine, but the service listens on 127.0.0.1 only.
  const elsewhere = ({ url }: { url: string }) => fetch(`http://127.0.0.2:${new URL(url).port}/joke`)
  const { service } = await start(temporaryFolder())
  await expect(elsewhere(service)).rejects.toThrow('fetch failed')

  const { service: open } = await start(temporaryFolder(), { HOST: '0.0.0.0', APPROVAL: 'on' })
  await open.add(joke)
  expect(await (await elsewhere(open)).json()).toEqual([])
})

it('npm start shares its folder with bin/jokes remove', async () => {
  const folder = temporaryFolder()
  const { service } = await start(folder)
  const [added] = await service.add(joke)
  const removed = run({ DATA_DIR: join(folder, 'data') }, ['tools/main.ts', 'remove', `${added?.id}`])
  const [code, , stderr] = await resultOf(removed)
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 joke removed, 0 unchanged.')])
  expect(await service.jokes()).toEqual([])
})

const used = await listen()
afterAll(() => void used.server.close())

const isUsed = `Cannot listen on port ${used.port} of 127.0.0.1: another program uses it. Set PORT or HOST.`

it.each([
  ['PORT', `${used.port}`, isUsed],
  ['PORT', 'http', 'PORT must be a number from 0 to 65535, not http.'],
  ['APPROVAL', 'yes', 'APPROVAL must be on or off, not yes.'],
  ['DATA_DIR', 'package.json', 'Cannot keep data in the folder package.json: ENOTDIR: not a directory'],
])('npm start with %s=%s explains: %s', async (name, value, message) => {
  const environment = { DATA_DIR: join(temporaryFolder(), 'data'), [name]: value }
  expect(await resultOf(run(environment))).toEqual([1, '', expect.stringContaining(message)])
})
