/** Arguments, stores, signals and failures of all commands. */
import { execFileSync } from 'node:child_process'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { afterAll, afterEach, describe, expect, inject, it, vi } from 'vitest'
import { readItem } from '../../shared/store/reads.ts'
import { listen } from '../support/listen.ts'
import { environmentOf, operate, runHere } from '../support/process.ts'
import { startService } from '../support/service.ts'

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
    ['backup jokes.csv', /^The name jokes\.csv must end in \.jsonl\.$/],
    ['export jokes.txt', /^The name jokes\.txt must end in \.json, \.jsonl or \.csv\.$/],
    ['smoke --write https://jokes.example', /^To erase its joke .*, --write needs --stack NAME beside the URL\.$/],
    ['smoke localhost:3999', /did not answer GET \/: unknown scheme$/],
  ])('refuses wrong arguments before it reads jokes: %s', async (options, message) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
    vi.stubEnv('DATA_DIR', '/nowhere')
    const args = options.split(' ').map((option) => option.replace('EMPTY', ''))
    const { code, stdout, stderr } = await runHere(...args)
    expect([code, stdout, stderr.trimEnd()]).toEqual([1, '', expect.stringMatching(message)])
  })

  it.each([
    ['absent', 'ResourceNotFoundException: '],
    [store.jokesTable, "It can't be the service's own."],
  ])('refuses to restore from the table %s', async (from, message) => {
    const stderr = expect.stringContaining(message)
    expect(await operate(store, 'restore', '--from', from)).toMatchObject({ code: 1, stdout: '', stderr })
  })

  it('names npm start if nothing listens, before it tells of a file', async () => {
    const { server, url } = await listen()
    server.close()
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', url)
    const { stderr } = await runHere('import', 'test/sample-jokes.json')
    expect(stderr).toMatch(/^Working on .+\nNo database answers.* Run npm start first\.\n$/)
  })
})

it.each<[stack: string, outputs: Record<string, string>, message: string]>([
  ['JokeService-dev', { ApiId: 'x', JokesTable: store.jokesTable }, 'Working on the stack JokeService-dev.\n1 joke'],
  ['JokeService-none', {}, 'Cannot read the stack JokeService-none (No such stack). Check its name, account and'],
  ['JokeService', {}, 'The stack JokeService has no output JokesTable, so it is not a Joke Service.'],
])('a command works on the table of the stack %s if there is one', async (stack, outputs, message) => {
  const [id = ''] = await service.addTexts(`On the stack ${stack}`)
  const Outputs = Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }))
  using _send = vi.spyOn(CloudFormationClient.prototype, 'send').mockImplementation(async ({ input }) => {
    if (Object(input).StackName === 'JokeService-none') throw new Error('No such stack')
    return { Stacks: [{ Outputs }] }
  })
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('endpoint'))
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
  const { stderr } = await runHere('remove', id, '--stack', stack)
  expect([stderr.startsWith(message), await storedState(id)]).toEqual([true, outputs.ApiId ? 'removed' : 'listed'])
})

// The date of responses has whole seconds.
it.each([-10_000, -900, 900, 10_000])("a command refuses a clock far from DynamoDB's: %i ms", async (ahead) => {
  const [id = ''] = await service.addTexts(`A joke ${ahead < 0 ? 'before' : 'after'} ${Math.abs(ahead)}`)
  const { now } = Date
  using _ = vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead)
  const { code, stderr } = await operate(store, 'remove', id)
  if (Math.abs(ahead) < 1_000) return expect(code).toBe(0)
  expect([code, await storedState(id)]).toEqual([1, 'listed'])
  expect(stderr).toContain("This machine's clock differs from DynamoDB's by more than a second.")
})

it('--ids - reads an id or link from each line of standard input', async () => {
  const ids = await service.addTexts('One', 'Two', 'Three')
  const input = `${ids[0]}  2026-01-01  ${ids[1]}\n\n  https://jokes.example/?lang=en&id=${ids[2]}\n`
  const options = { env: environmentOf(store), encoding: 'utf8', stdio: 'pipe', timeout: 60_000 } as const
  const remove = (input: string) =>
    execFileSync(process.execPath, [PROGRAM, 'remove', '--ids', '-'], { ...options, input })
  remove(input)
  expect(await Promise.all(ids.map(storedState))).toEqual(['removed', 'listed', 'removed'])
  expect(remove('')).toBe('')
  // A pattern that looks behind itself would take an hour.
  expect(remove(' '.repeat(2_000_000))).toBe('')
})
