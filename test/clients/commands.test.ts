/** Arguments, targets and signals of all commands. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { buffer, text } from 'node:stream/consumers'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { afterAll, afterEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { stateOf } from '../../shared/store/item.ts'
import { readItem } from '../../shared/store/reads.ts'
import { itemsOf } from '../support/access.ts'
import { listen } from '../support/listen.ts'
import { operate, operatingOn, resultOf, run, runHere } from '../support/process.ts'
import { createStore, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
afterEach(() => void vi.unstubAllEnvs())
afterAll(service.stop)

const storedState = async (id: string) => stateOf((await readItem(store, id)) ?? {})

/** Environment of a command in its own process, with --local. */
const environment = { AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint'), JOKES_TABLE: store.jokesTable }

describe('a command', () => {
  const names = 'import export find approve remove undo erase correct restore smoke'.split(' ')

  it('bin/jokes lists each command with a summary, and prints its version', async () => {
    const { stdout } = await runHere()
    for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name} +[A-Z].*`, 'm'))
    expect((await runHere('--version')).stdout).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).version}\n`)
  })

  it.each<[options: string, message: RegExp]>([
    ['remove --local', /^Name jokes by ids, links or --ids: see bin\/jokes remove --help\.$/],
    ['remove x --local', /^x is neither the id of a joke nor a link to jokes\. Nothing was changed\.$/],
    ['remove EMPTY --local', /^An argument is empty, perhaps because .* not set: see bin\/jokes remove --help\.$/],
    ['find', /^Say which service: --stack NAME \(production is JokeService\), or --local: see bin\/jokes find /],
    ['find --local --stack JokeService', /^Option '--local' cannot be used with option '--stack <name>': see /],
    ['find --local --search $$!', /^--search \$\$! holds no word: /],
    ['find --local --since 2026-02-31', /^2026-02-31 is not a time such as /],
    ['smoke --write http://localhost', /^Say which service: /],
  ])('refuses wrong arguments before it reads jokes: %s', async (options, message) => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '')
    vi.stubEnv('DATA_DIR', '/nowhere')
    const args = options.split(' ').map((option) => option.replace('EMPTY', ''))
    const { code, stdout, stderr } = await runHere(...args)
    expect([code, stdout, stderr.trimEnd()]).toEqual([1, '', expect.stringMatching(message)])
  })

  it.each(['absent', store.jokesTable])('refuses to restore from the table %s', async (from) => {
    expect(await operate(store, 'restore', '--from', from)).toMatchObject({ code: 1, stdout: '' })
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

  it('refuses a stack other than the one selected in the shell', async () => {
    vi.stubEnv('JOKE_STACK', 'JokeService-dev')
    const { code, stderr } = await onStack({}, 'find', '--stack', 'JokeService')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^This command is for JokeService, but .* JokeService-dev/),
    ])
  })
})

describe('the clock', () => {
  /** Starts a database whose clock is ahead of this machine's. */
  async function databaseAhead(milliseconds: number): Promise<string> {
    const { server, url } = await listen(async (request, response) => {
      const headers = { ...request.headers, 'content-length': undefined, host: undefined, connection: undefined }
      const body = await buffer(request)
      const answer = await fetch(inject('endpoint'), {
        method: 'POST',
        headers: Object(JSON.parse(JSON.stringify(headers))),
        body,
      })
      const date = new Date(Date.now() + milliseconds).toUTCString()
      response.writeHead(answer.status, { date, 'content-type': 'application/x-amz-json-1.0' }).end(await answer.text())
    })
    onTestFinished(() => void server.close())
    return url
  }

  it.each([
    [1_500, 0],
    [-60_000, -60_000],
    [240_000, 240_000],
  ])('of DynamoDB, %i ms ahead, gives the time of writes', async (ahead, corrected) => {
    const [id = ''] = await service.addTexts(`Joke at ${ahead}`)
    using _ = operatingOn(store, await databaseAhead(ahead))
    const before = Date.now()
    expect((await runHere('remove', id, '--local')).code).toBe(0)
    const changedAt = Date.parse(String((await readItem(store, id))?.changedAt))
    // The date has whole seconds.
    expect(changedAt).toBeGreaterThan(before + corrected - 2_000)
    expect(changedAt).toBeLessThan(Date.now() + corrected + 2_000)
  })

  it.each([-400_000, 400_000])('that differs by %i ms is refused', async (ahead) => {
    const [id = ''] = await service.addTexts(`Refused at ${ahead < 0 ? 'less' : 'more'}`)
    using _ = operatingOn(store, await databaseAhead(ahead))
    const stderr = expect.stringContaining("The clock of this machine differs from DynamoDB's by 7 minutes.")
    expect(await runHere('remove', id, '--local')).toMatchObject({ code: 1, stdout: '', stderr })
    expect(await storedState(id)).toBe('listed')
  })
})

it('smoke --write erases its joke even after Ctrl+C', async () => {
  const { server, url } = await listen(async (request, response) => {
    const { method = '', url = '' } = request
    const body = await text(request)
    if (body.includes('Is this service working?')) child.kill('SIGINT')
    const answer = await fetch(new URL(url, service.url), { method, ...(method === 'POST' && { body }) })
    response.writeHead(answer.status).end(await answer.text())
  })
  onTestFinished(() => void server.close())
  const child = run(environment, ['bin/jokes', 'smoke', url, '--write', '--local'])
  const [code, stdout] = await resultOf(child)
  expect([code, stdout]).toEqual([
    130,
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
  const command = ['bin/jokes', 'remove', '--local', '--ids', '-']
  const remove = (input: string) =>
    String(execFileSync(process.execPath, command, { env: environment, input, stdio: 'pipe' }))
  remove(input)
  expect(await Promise.all(ids.map(storedState))).toEqual(['removed', 'listed', 'removed'])
  expect(remove('')).toBe('')
})
