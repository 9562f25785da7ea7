/** The CDK app: its stacks, and its messages about wrong settings. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, vi } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { currentCommit } from '../../infra/commit.ts'
import { temporaryFolder } from '../support/process.ts'

const outdir = temporaryFolder(afterAll)

/** Runs the app as the CDK's command line does, without bundles. Returns what it prints to stderr. */
async function runApp(context: object, variables: Record<string, string> = {}): Promise<string> {
  const CDK_CONTEXT_JSON = JSON.stringify({ ...cdk.context, 'aws:cdk:bundling-stacks': [], ...context })
  // No validation, because it takes long and other tests do it.
  const cdkEnv = { CDK_CONTEXT_JSON, CDK_OUTDIR: outdir, CDK_VALIDATION: 'false' }
  const env = { ...process.env, ...cdkEnv, JOKE_STACK: '', AWS_REGION: '', ...variables }
  const run = promisify(execFile)(process.execPath, ['infra/app.ts'], { env })
  return run.then(
    () => '',
    ({ stderr }) => stderr,
  )
}

it.concurrent.each([
  [undefined, 'JokeService-dev', 'JokeService'],
  ['prod', 'JokeService', 'JokeService-dev'],
])('the CDK app for stage %s refuses the shell of another stack', async (stage, stack, JOKE_STACK) => {
  const message = `This command is for ${stack}, but this shell works on ${JOKE_STACK}. Add -c stage=$stage, or open another shell.\n`
  expect(await runApp({ stage }, { JOKE_STACK })).toBe(message)
})

it.concurrent('the CDK app refuses the shell of another region', async () => {
  const message =
    'This command is for eu-west-1, but this shell works on JokeService-dev in eu-west-2. Open another shell.\n'
  const shell = { JOKE_STACK: 'JokeService-dev', AWS_REGION: 'eu-west-2' }
  expect(await runApp({ stage: 'dev', region: 'eu-west-1' }, shell)).toBe(message)
})

it.concurrent('the CDK app synthesizes one stack without credentials', async () => {
  const settings = { stage: 'dev', contact: 'jokes@example.com', account: '123456789012', region: 'eu-west-3' }
  const read = (file: string) => readFileSync(join(outdir, file), 'utf8')
  const nowhere = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: '', AWS_PROFILE: '' }
  expect(await runApp(settings, { JOKE_STACK: 'JokeService-dev', ...nowhere })).toBe('')
  const artifacts = Object.values<Record<string, string>>(JSON.parse(read('manifest.json')).artifacts)
  const stacks = artifacts.filter(({ type }) => type === 'aws:cloudformation:stack')
  const names = stacks.map(({ displayName, environment }) => `${displayName} in ${environment}`)
  expect(names).toEqual(['JokeService-dev in aws://123456789012/eu-west-3'])
})

describe.skipIf(spawnSync('git', ['--version']).error)('in a git repository', () => {
  const folder = temporaryFolder(afterAll)
  const repository = { GIT_DIR: join(folder, '.git'), GIT_WORK_TREE: folder }
  const git = (...args: string[]) => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    return execFileSync('git', [...author, ...args], { encoding: 'utf8', cwd: folder }).trim()
  }
  it('the current commit is marked as dirty if files differ from it', () => {
    for (const [name, value] of Object.entries(repository)) vi.stubEnv(name, value)
    git('init', '--quiet')
    writeFileSync(join(folder, 'one'), '')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'one')
    const commit = git('rev-parse', 'HEAD')
    expect(currentCommit()).toBe(commit)
    writeFileSync(join(folder, 'one'), 'changed')
    expect(currentCommit()).toBe(`${commit}-dirty`)
    vi.unstubAllEnvs()
  })
})
