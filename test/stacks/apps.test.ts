/** The CDK app: its stacks, and the shells that it refuses. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it, vi } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { currentCommit } from '../../infra/commit.ts'
import { temporaryFolder } from '../support/process.ts'

const folder = temporaryFolder(afterAll)

/** Runs the app as the CDK's command line does, without bundles. Returns its stacks and their places, or its error. */
async function runApp(stage: string | undefined, variables: Record<string, string>): Promise<string> {
  const outdir = mkdtempSync(join(folder, 'app-'))
  const CDK_CONTEXT_JSON = JSON.stringify({ ...cdk.context, 'aws:cdk:bundling-stacks': [], stage })
  // No validation, because it takes long and other tests do it.
  const cdkEnv = { CDK_CONTEXT_JSON, CDK_OUTDIR: outdir, CDK_VALIDATION: 'false' }
  const nowhere = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ACCESS_KEY_ID: '', AWS_PROFILE: '' }
  const env = { ...process.env, ...cdkEnv, ...nowhere, ...variables }
  const failure = await promisify(execFile)(process.execPath, ['infra/app.ts'], { env }).catch((error) => error)
  if (failure instanceof Error) return `${Object(failure).stderr}`
  const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8'))
  return Object.values<Record<string, string>>(artifacts)
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ displayName, environment }) => `${displayName} in ${environment}`)
    .join('\n')
}

const IN_EU = { JOKE_STACK: 'JokeService', JOKE_REGION: 'eu-west-2', CDK_DEFAULT_REGION: 'eu-west-1' }
const MINE = { JOKE_STACK: 'JokeService-dev', JOKE_ACCOUNT: '123456789012' }
const SAM = { SAM_DATABASE_ENDPOINT: 'http://a', JOKE_STACK: 'JokeService' }
const refused = (chosen: string, read: string, advice = 'Add -c stage=$stage, or open another shell.') =>
  `This command is for ${chosen}, but this shell works on ${read}. ${advice}\n`
const anotherShell = (chosen: string, read: string) => refused(chosen, read, 'Open another shell.')

it.concurrent.each<[stage: string | undefined, shell: Record<string, string>, result: string]>([
  ['dev', MINE, 'JokeService-dev in aws://unknown-account/unknown-region'],
  // `npm run sam` passes its database, and works in every shell. Nobody has this account.
  ['dev', SAM, 'JokeService-sam in aws://000000000000/unknown-region'],
  [undefined, { JOKE_STACK: 'JokeService' }, refused('JokeService-dev', 'JokeService')],
  ['prod', MINE, refused('JokeService', 'JokeService-dev')],
  [
    'dev',
    { ...MINE, CDK_DEFAULT_ACCOUNT: '210987654321' },
    anotherShell('account 210987654321', 'JokeService-dev in account 123456789012'),
  ],
  ['prod', IN_EU, anotherShell('eu-west-1', 'JokeService in eu-west-2')],
])('the CDK app for stage %s in the shell %j prints %s', async (stage, shell, result) => {
  expect(await runApp(stage, shell)).toBe(result)
})

const hasGit = !spawnSync('git', ['--version']).error
it.runIf(hasGit)('the current commit is marked as dirty if files differ from it', () => {
  vi.stubEnv('GIT_DIR', join(folder, '.git')).stubEnv('GIT_WORK_TREE', folder)
  const git = (...args: string[]) => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    return execFileSync('git', [...author, ...args], { encoding: 'utf8', cwd: folder }).trim()
  }
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
