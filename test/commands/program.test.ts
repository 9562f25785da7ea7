/** Arguments, stores, signals and failures of all commands. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest'
import { readItem } from '../../shared/store/reads.ts'
import { emptyTable, itemsOf, putJokes } from '../support/access.ts'
import { startProxy } from '../support/faults.ts'
import { listen } from '../support/listen.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { environmentOf, operate, operatingOn, run, runHere } from '../support/process.ts'
import { idsOf, startService } from '../support/service.ts'

const PROGRAM = 'tools/main.ts'
const service = await startService()
const { store } = service
afterEach(() => void vi.unstubAllEnvs())
afterAll(service.stop)

const storedState = async (id: string) => (await readItem(store, id))?.jokeState

describe('a command', () => {
  it.each<[options: string, message: RegExp]>([
    ['undone', /^error: unknown command 'undone'\n.*Add --help to see how to use it\.$/s],
    ['remove', /^Name jokes by ids, by links or by --ids\. See bin\/jokes remove --help\.$/],
    ['remove x', /^x is neither the id of a joke nor a link to jokes\. Nothing was changed\.$/],
    ['remove EMPTY', /^An argument is empty, perhaps because .* not set\.$/],
    ['find --created-by=', /^An argument is empty, perhaps because .* not set\.$/],
    ['find', /^No local service keeps its jokes in \/nowhere\. Run npm start first, or add --stack NAME\.$/],
    ['find --waiting --removed', /cannot be used with option/],
    ['find --search ?!', /It has no word\./],
    ['find --since yesterday-5', /Write a date such as 2026-11-21, or a time such as /],
    ['export jokes.txt', /^The name jokes\.txt must end in \.json, \.jsonl or \.csv\.$/],
    ['smoke --write https://jokes.example', /^To erase its joke .*, --write needs --stack NAME beside the URL\.$/],
    ['smoke jokes.example', /did not answer GET \/: Invalid URL/],
  ])('refuses wrong arguments before it reads jokes: %s', async (options, message) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
    vi.stubEnv('DATA_DIR', '/nowhere')
    const args = options.split(' ').map((option) => option.replace('EMPTY', ''))
    const { code, stdout, stderr } = await runHere(...args)
    expect([code, stdout, stderr.trimEnd()]).toEqual([1, '', expect.stringMatching(message)])
  })

  it.each([
    ['absent', 'ResourceNotFoundException: '],
    [store.jokesTable, 'is the table of the service itself'],
  ])('refuses to restore from the table %s', async (from, message) => {
    const stderr = expect.stringContaining(message)
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

  it('takes an id that begins with a hyphen', async () => {
    const [joke] = numberedJokes(1_000).filter(({ id }) => id.startsWith('-'))
    await putJokes(store, joke ? [joke] : [])
    expect(await operate(store, 'remove', `${joke?.id}`)).toMatchObject({ code: 0 })
    expect(await storedState(`${joke?.id}`)).toBe('removed')
  })
})

describe('--stack', () => {
  /** Runs a command where each stack has these outputs, except that `JokeService-none` does not exist. */
  async function onStack(outputs: Record<string, string>, ...command: string[]) {
    const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }))
    using _send = vi.spyOn(CloudFormationClient.prototype, 'send').mockImplementation(async ({ input }) => {
      if (Object(input).StackName === 'JokeService-none') throw new Error('No such stack')
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
    expect([code, stderr]).toEqual([0, 'Working on the stack JokeService-dev.\n1 joke removed, 0 unchanged.\n'])
    expect(await storedState(id)).toBe('removed')
  })

  it.each([
    [
      'JokeService-none',
      /^Cannot read the stack JokeService-none \(No such stack\)\. Check its name, account and region\.$/m,
    ],
    ['JokeService', /^The stack JokeService has no output JokesTable, so it is not a Joke Service\.$/m],
  ])('refuses %j', async (stack, message) => {
    const { code, stderr } = await onStack({}, 'find', '--stack', stack)
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })
})

// The date of responses has whole seconds.
it.each([-10_000, -900, 900, 10_000])(
  "a command refuses a clock that differs from DynamoDB's too much: %i ms",
  async (ahead) => {
    const [id = ''] = await service.addTexts(`A joke ${ahead < 0 ? 'before' : 'after'} ${Math.abs(ahead)}`)
    const { now } = Date
    using _ = vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead)
    const { code, stderr } = await operate(store, 'remove', id)
    if (Math.abs(ahead) < 1_000) return expect(code).toBe(0)
    expect([code, await storedState(id)]).toEqual([1, 'listed'])
    expect(stderr).toContain("This machine's clock differs from DynamoDB's by more than a second.")
  },
)

describe('a command behind a proxy', async () => {
  const proxy = await startProxy()
  afterAll(proxy.stop)

  const jokes = numberedJokes(40)
  const ids = idsOf(jokes)
  it.each<[command: string, write: number, args: string[], prepare: () => unknown, counts: Record<string, number>]>([
    ['import', 30, ['test/sample-jokes.json'], () => {}, { listed: 62 }],
    ['remove', 20, ids, () => putJokes(store, jokes), { removed: 40 }],
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
