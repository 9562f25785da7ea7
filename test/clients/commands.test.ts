/** Arguments, stores, signals and failures of all commands. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { afterAll, afterEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { readItem } from '../../shared/store/reads.ts'
import { emptyTable, itemsOf, load } from '../support/access.ts'
import { startProxy } from '../support/faults.ts'
import { listen } from '../support/listen.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { environmentOf, operate, operatingOn, resultOf, run, runHere, temporaryFolder } from '../support/process.ts'
import { createStore, idsOf, startService } from '../support/service.ts'

const PROGRAM = 'tools/main.ts'
const service = await startService()
const { store } = service
afterEach(() => void vi.unstubAllEnvs())
afterAll(service.stop)

const storedState = async (id: string) => (await readItem(store, id))?.jokeState

describe('a command', () => {
  const names = 'import export find approve remove undo erase restore smoke'.split(' ')

  it('bin/jokes lists each command with a summary, and prints its version', async () => {
    const { stdout } = await runHere()
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z].*`, 'm'))
    expect((await runHere('--version')).stdout).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`)
  })

  it.each(names.slice(0, -1))('%s says in its help that it can be run again', async (name) => {
    expect((await runHere(name, '--help')).stdout).toContain('run it again')
  })

  it.each<[options: string, message: RegExp]>([
    ['remove', /^Name jokes by ids, links or --ids\.\nSee bin\/jokes remove --help\.$/],
    ['remove x', /^x is neither the id of a joke nor a link to jokes\. Nothing was changed\.$/],
    ['remove EMPTY', /^An argument is empty, perhaps because .* not set\.\nSee bin\/jokes remove --help\.$/],
    ['find', /^No local service keeps its jokes in \/nowhere\. Run npm start first\.$/],
    ['find --search ?!', /^--search \?! holds no word\.\n/],
    ['find --since 2026-02-31', /^2026-02-31 is not a time such as /],
    [
      'smoke --write https://jokes.example',
      /^To erase its joke, --write needs the --stack of a service that is not local\.\n/,
    ],
    ['smoke http://localhost:70000', /^http:\/\/localhost:70000 is not the address of a service, such as /],
    ['smoke ftp://x', /^ftp:\/\/x is not the address of a service/],
  ])('refuses wrong arguments before it reads jokes: %s', async (options, message) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
    vi.stubEnv('DATA_DIR', '/nowhere')
    const args = options.split(' ').map((option) => option.replace('EMPTY', ''))
    const { code, stdout, stderr } = await runHere(...args)
    expect([code, stdout, stderr.trimEnd()]).toEqual([1, '', expect.stringMatching(message)])
  })

  it.each(['absent', store.jokesTable])('refuses to restore from the table %s', async (from) => {
    const stderr = expect.stringContaining(from)
    expect(await operate(store, 'restore', '--from', from)).toMatchObject({ code: 1, stdout: '', stderr })
  })

  it('names npm start if nothing listens at the address of the local database', async () => {
    const { server, url } = await listen()
    server.close()
    using _ = operatingOn(store, url)
    const { code, stderr } = await runHere('find')
    expect([code, stderr.split('\n')[1]]).toEqual([
      1,
      expect.stringMatching(/^No database answers.* Run npm start first\.$/),
    ])
  })

  it('prints lines in the order of its ids', async () => {
    const proxy = await startProxy()
    onTestFinished(proxy.stop)
    let calls = 0
    // Every other call takes longer than the next one.
    proxy.plan = () => setTimeout(calls++ % 2 && 30, undefined)
    const ids = idsOf(numberedJokes(30)).filter((id) => !id.startsWith('-'))
    await load(store, numberedJokes(30))
    using _ = operatingOn(store, proxy.endpoint)
    const { stdout } = await runHere('remove', ...ids)
    expect(Array.from(stdout.matchAll(/^\S+/gm), String)).toEqual(ids)
  })
})

describe('--stack', () => {
  /** Runs a command where each stack has these outputs, except that `JokeService-none` does not exist. */
  async function onStack(outputs: Record<string, string>, ...command: string[]) {
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }))
    using _send = vi.spyOn(CloudFormationClient.prototype, 'send').mockImplementation(async ({ input }) => {
      if (Object(input).StackName === 'JokeService-none') throw new Error('No such stack.')
      return { Stacks: [{ Outputs }] }
    })
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('endpoint'))
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
    return await runHere(...command)
  }

  it('selects the table of a stack', async () => {
    const [id = ''] = await service.addTexts('On the stack')
    const outputs = { ApiId: 'x', JokesTable: store.jokesTable }
    const { code, stderr } = await onStack(outputs, 'remove', id, '--stack', 'JokeService-dev')
    expect([code, stderr]).toEqual([0, 'Working on the stack JokeService-dev.\n1 joke removed.\n'])
    expect(await storedState(id)).toBe('removed')
  })

  const OTHER = /^This shell works on the stack JokeService-dev\. Write --stack JokeService-dev, or /
  it.each([
    ['--stack JokeService-none', '', /^Cannot find the table of the stack JokeService-none: No such stack\. Set /],
    ['--stack JokeService', '', /^The stack JokeService is not a Joke Service: /],
    ['--stack JokeService', 'JokeService-dev', OTHER],
    ['', 'JokeService-dev', OTHER],
  ])('refuses %j in a shell that works on %j', async (options, read, message) => {
    vi.stubEnv('JOKE_STACK', read)
    const { code, stderr } = await onStack({}, 'find', ...options.split(' ').filter(Boolean))
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })
})

// Smaller differences may come from the date of responses, which has whole seconds.
it.each([
  [1_500, -1_500],
  [-60_000, 0],
  [240_000, 0],
  [-400_000, undefined],
  [400_000, undefined],
])("the time of writes is DynamoDB's, %i ms ahead, unless that is too far", async (ahead, error) => {
  const [id = ''] = await service.addTexts(`Joke at ${ahead < 0 ? 'less than' : ''} ${ahead}`)
  const { now } = Date
  const before = now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - ahead)
  const { code, stderr } = await operate(store, 'remove', id).finally(() => clock.mockRestore())
  if (error === undefined) {
    expect([code, await storedState(id)]).toEqual([1, 'listed'])
    expect(stderr).toContain("The clock of this machine differs from DynamoDB's by 7 minutes.")
    return
  }
  expect(code).toBe(0)
  const changedAt = Date.parse(String((await readItem(store, id))?.changedAt))
  expect(changedAt).toBeGreaterThan(before + error - 1_100)
  expect(changedAt).toBeLessThan(now() + error + 100)
})

describe('a command behind a proxy', async () => {
  const proxy = await startProxy()
  afterAll(proxy.stop)

  it.each(['SIGINT', 'SIGTERM'] as const)('ends at once after %s', async (signal) => {
    const { id } = (await service.add({ joke: `Stopped by ${signal}`, category: 'School' }))[0] ?? {}
    proxy.plan = (operation) => {
      if (!/Update|Put/.test(operation)) return undefined
      child.kill(signal)
      return 'hang'
    }
    const child = run(environmentOf(store, proxy.endpoint), [PROGRAM, 'remove', `${id}`])
    expect(await once(child, 'exit')).toEqual([null, signal])
  })

  it('begins throttled writes again, until they are made', async () => {
    const [id = ''] = await service.addTexts('Throttled')
    const file = join(temporaryFolder(), 'one.json')
    writeFileSync(file, '["One joke"]')
    using _ = operatingOn(store, proxy.endpoint)
    for (const args of [
      ['import', file, '--category', 'School'],
      ['remove', id],
    ]) {
      let writes = 0
      const first = new Set(['GetItem'])
      // Seven are more than the attempts of two calls. The first call reads the clock.
      proxy.plan = (operation) =>
        first.delete(operation) || (/Update|Put/.test(operation) && ++writes <= 7) ? 'throttle' : undefined
      expect([(await runHere(...args)).code, writes]).toEqual([0, 8])
    }
  })

  const jokes = numberedJokes(40)
  const ids = idsOf(jokes)
  it.each<[command: string, write: number, args: string[], prepare: () => unknown, counts: Record<string, number>]>([
    ['import', 30, ['test/sample-jokes.json'], () => {}, { listed: 62 }],
    ['remove', 20, ids, () => load(store, jokes), { removed: 40 }],
    // The first write reserves the text.
  ])('%s completes its work when it is run again after kill -9', async (command, write, args, prepare, counts) => {
    await emptyTable(store)
    await prepare()
    let writes = 0
    proxy.plan = (operation) => {
      if (/Update|Put/.test(operation) && ++writes === write) child.kill('SIGKILL')
      return undefined
    }
    const child = run(environmentOf(store, proxy.endpoint), [PROGRAM, command, ...args])
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    expect(await operate(store, command, ...args)).toMatchObject({ code: 0 })
    const states = Object.groupBy(await itemsOf(store), ({ jokeState }) => `${jokeState}`)
    expect(Object.fromEntries(Object.entries(states).map(([state, items]) => [state, items?.length]))).toEqual(counts)
  })
})

it('smoke waits until the name of a new host is known', async () => {
  const unknown = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) })
  const { fetch } = globalThis
  using asked = vi.spyOn(globalThis, 'fetch').mockImplementation(fetch).mockRejectedValueOnce(unknown)
  expect(await runHere('smoke', service.url)).toMatchObject({ code: 0 })
  expect(asked.mock.calls.slice(0, 2)).toEqual([[service.url], [service.url]])
})

it.each(['SIGINT', 'SIGTERM'] as const)('smoke --write erases its joke even after %s', async (signal) => {
  const { server, url } = await listen(async (request, response) => {
    const { method = '', url = '' } = request
    const body = await text(request)
    if (body.includes('Is this service working?') && !child.killed) child.kill(signal)
    const answer = await fetch(new URL(url, service.url), { method, ...(method === 'POST' && { body }) })
    response.writeHead(answer.status).end(await answer.text())
  })
  onTestFinished(() => void server.close())
  const child = run(environmentOf(store), [PROGRAM, 'smoke', url, '--write'])
  const [code, stdout] = await resultOf(child)
  expect([code, stdout]).toEqual([
    signal === 'SIGINT' ? 130 : 143,
    expect.stringMatching(/^The service adds a joke\.$.*^The joke is erased again\.$/ms),
  ])
  expect(JSON.stringify(await itemsOf(store))).not.toContain('Is this service working?')
})

it('smoke --write refuses the store of another service', async () => {
  const other = await createStore()
  const { code, stderr } = await operate(other, 'smoke', service.url, '--write')
  expect([code, stderr]).toEqual([1, expect.stringContaining('The joke is not in the store that was named.')])
})

it('--ids - reads an id or link from each line of standard input', async () => {
  const ids = await service.addTexts('One', 'Two', 'Three')
  const input = `${ids[0]}  2026-01-01  ${ids[1]}\n\n  https://jokes.example/?lang=en&id=${ids[2]}\n`
  const env = environmentOf(store)
  const remove = (input: string) =>
    String(execFileSync(process.execPath, [PROGRAM, 'remove', '--ids', '-'], { env, input, stdio: 'pipe' }))
  remove(input)
  expect(await Promise.all(ids.map(storedState))).toEqual(['removed', 'listed', 'removed'])
  expect(remove('')).toBe('')
})
