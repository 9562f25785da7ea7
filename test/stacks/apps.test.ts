/** The CDK app: its stacks, and its messages about wrong settings. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
  const env = { ...process.env, ...cdkEnv, JOKE_STACK: '', ...variables }
  const run = promisify(execFile)(process.execPath, ['infra/app.ts'], { env })
  return run.then(
    () => '',
    ({ stderr }) => stderr,
  )
}

it.concurrent('the CDK app names wrong settings in one sentence', async () => {
  const message = 'createRate must be a whole number from 1 to 2500, not 0.\n'
  expect(await runApp({ stage: 'dev', createRate: 0 })).toBe(message)
})

it.concurrent.each([
  [undefined, 'JokeService-dev', 'JokeService'],
  ['prod', 'JokeService', 'JokeService-dev'],
])('the CDK app for stage %s refuses the shell of another stack', async (stage, stack, JOKE_STACK) => {
  const message = `This command is for ${stack}, but this shell works on ${JOKE_STACK}. Add -c stage=$stage, or open another shell.\n`
  expect(await runApp({ stage }, { JOKE_STACK })).toBe(message)
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

it.concurrent('the CDK works beside what its commands write, and beside the lock file of pnpm', async () => {
  const copy = copyOfProject()
  writeFileSync(join(copy, 'pnpm-lock.yaml'), '')
  writeFileSync(
    join(copy, 'cdk.context.json'),
    JSON.stringify({ 'cli-telemetry': false, 'acknowledged-issue-numbers': [34892] }),
  )
  await expect(synthesize(copy)).resolves.toMatchObject({ stdout: '' })
  const [file = ''] = globSync('asset.*/site.json', { cwd: join(copy, 'out') })
  const { files } = JSON.parse(readFileSync(join(copy, 'out', file), 'utf8'))
  expect(files['/page.js'].compressed).toHaveLength(2)
})

it.concurrent('the CDK app names the line of a syntax error in the page', async () => {
  const copy = copyOfProject()
  appendFileSync(join(copy, 'web/page.tsx'), 'const = 1')
  await expect(synthesize(copy)).rejects.toThrow(/web\/page\.tsx:\d+:\d+: ERROR: Expected identifier/)
})

function copyOfProject(): string {
  const copy = temporaryFolder(afterAll)
  for (const part of ['functions', 'infra', 'probe', 'shared', 'web', 'cdk.json', 'package.json', 'package-lock.json'])
    cpSync(part, join(copy, part), { recursive: true })
  cpSync('openapi.json', join(copy, 'openapi.json'))
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}

async function synthesize(copy: string) {
  const cdk = [resolve('node_modules/aws-cdk/bin/cdk'), 'synth', '--quiet', '--no-validation', '--output', 'out']
  const env = { ...process.env, JOKE_STACK: '' }
  return promisify(execFile)(process.execPath, cdk, { cwd: copy, env })
}

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
