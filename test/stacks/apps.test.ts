/** The CDK apps: what they say of wrong settings, and what they refuse to deploy. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { currentCommit, lastCommit } from '../../infra/commit.ts'
import { runApp } from '../../infra/runApp.ts'
import { temporaryFolder } from '../support/process.ts'
import { propertiesOf, serviceTemplate } from '../support/templates.ts'

const CDK_OUTDIR = temporaryFolder(afterAll)

it.each(['infra/app.ts', 'infra/pageApp.ts'])('%s says in a sentence which settings are wrong', (app) => {
  const env = { ...process.env, CDK_OUTDIR, CDK_CONTEXT_JSON: JSON.stringify({ stage: 'dev', addRate: 0 }) }
  const { status, stderr } = spawnSync(process.execPath, [app], { env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, 'addRate must be a whole number from 1 to 2500, not 0.\n'])
})

/** Runs an app of a stage in a shell with these variables. Returns the stage whose stacks it makes, or what it prints and its exit code. */
async function run(stage: string, variables: Record<string, string>) {
  const context = { ...(stage && { stage }) }
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify(context))
  for (const [name, value] of Object.entries({ CDK_OUTDIR, JOKE_STACK: '', ...variables })) vi.stubEnv(name, value)
  using error = vi.spyOn(console, 'error').mockReturnValue()
  using exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('exit')
  })
  // An app would write its templates when the process ends.
  using _ = vi.spyOn(process, 'once').mockReturnThis()
  const made: string[] = []
  await runApp((_, settings) => void made.push(settings.stage)).catch(({ message }) => expect(message).toBe('exit'))
  const result = [...made, ...error.mock.calls.flat(), ...exit.mock.calls.flat()].join()
  vi.unstubAllEnvs()
  return result
}

it('the apps refuse another stack than the one that the shell works on', async () => {
  const refused = (own: string, other: string) =>
    `This command is for ${own}, but this shell works on ${other}. Add -c stage=$stage (to npm run, after --), or open another shell.,1`
  expect(await run('', { JOKE_STACK: 'JokeService' })).toBe(refused('JokeService-dev', 'JokeService'))
  expect(await run('prod', { JOKE_STACK: 'JokeService-dev' })).toBe(refused('JokeService', 'JokeService-dev'))
  expect(await run('prod', { JOKE_STACK: 'JokeService' })).toBe('prod')
})

it('the apps refuse to work without the stage that npm has kept for itself', async () => {
  const refused = (setting: string) =>
    `npm has kept -c for itself. Write -- before it: npm run deploy -- -c ${setting},1`
  const script = { npm_lifecycle_event: 'deploy' }
  expect(await run('', { ...script, npm_config_call: 'stage=prod' })).toBe(refused('stage=prod'))
  expect(await run('', { ...script, npm_config_context: 'true' })).toBe(refused('stage=…'))
})

describe.skipIf(spawnSync('git', ['--version']).error)('with commits', () => {
  const [origin, folder] = [temporaryFolder(afterAll), temporaryFolder(afterAll)]
  const repository = { GIT_DIR: join(folder, '.git'), GIT_WORK_TREE: folder }
  const git = (cwd: string, ...args: string[]) => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    return execFileSync('git', [...author, ...args], { encoding: 'utf8', cwd }).trim()
  }
  let [first, second, third, unfetched] = ['', '', '', '']

  const commit = (cwd: string, name: string) => {
    writeFileSync(join(cwd, name), '')
    git(cwd, 'add', '--all')
    git(cwd, 'commit', '--quiet', '--message', name)
    return git(cwd, 'rev-parse', 'HEAD')
  }

  beforeAll(() => {
    git(origin, 'init', '--quiet')
    ;[first = '', second = '', third = ''] = ['one', 'two', 'three'].map((name) => commit(origin, name))
    git(origin, 'clone', '--quiet', '.', folder)
    unfetched = commit(origin, 'four')
    git(folder, 'checkout', '--quiet', second)
  })

  it('a commit is marked if files differ from it', () => {
    for (const [name, value] of Object.entries(repository)) vi.stubEnv(name, value)
    const found = () => [currentCommit(), lastCommit(['one']), lastCommit(['two'])]
    expect(found()).toEqual([second, first, second])
    writeFileSync(join(folder, 'one'), 'changed')
    expect(found()).toEqual([`${second}-dirty`, `${first}-dirty`, second])
    git(folder, 'checkout', '--quiet', 'one')
    vi.unstubAllEnvs()
  })

  it('a version is named after the last commit that changed it, such as one of a dependency', () => {
    for (const [name, value] of Object.entries(repository)) vi.stubEnv(name, value)
    onTestFinished(() => void git(folder, 'checkout', '--quiet', second))
    commit(folder, 'shared')
    const last = commit(folder, 'package-lock.json')
    commit(folder, 'web')
    const functions = propertiesOf(serviceTemplate(), 'AWS::Lambda::Function')
    expect(new Set(functions.map(({ Description }) => Description))).toEqual(new Set([`Commit ${last}`]))
    vi.unstubAllEnvs()
  })

  const script = { npm_lifecycle_event: 'deploy', CDK_DEFAULT_REGION: 'eu-west-9' }

  it.each([
    ['no stack yet', false, () => undefined],
    ['an older commit', false, () => first],
    ['the same commit, deployed by hand', false, () => `${second}-dirty`],
    ['a commit of another branch', false, () => 'f'.repeat(40)],
    ['an unknown commit', false, () => 'unknown'],
    ['a newer commit', true, () => third],
    ['a newer commit, deployed by hand', true, () => `${third}-dirty`],
    ['a newer commit of another clone', true, () => unfetched],
  ])('npm run deploy of the second one over %s is refused: %s', async (_, isRefused, commit) => {
    const deployed = commit()
    using _send = vi.spyOn(CloudFormationClient.prototype, 'send').mockImplementation(async ({ input }) => {
      expect(input).toEqual({ StackName: 'JokeService' })
      if (deployed === undefined) throw new Error('Stack with id JokeService does not exist')
      return { Stacks: [{ Outputs: [{ OutputKey: 'Commit', OutputValue: deployed }] }] }
    })
    const refusal = `JokeService has a newer commit already: ${deployed}. Check out that one or a later one. To take changes back, revert them.,1`
    expect(await run('prod', { ...repository, ...script })).toBe(isRefused ? refusal : 'prod')
  })

  it('npm run deploy is refused if the deployed commit cannot be read, and other commands do not ask', async () => {
    using _send = vi.spyOn(CloudFormationClient.prototype, 'send').mockRejectedValue(new Error('No credentials'))
    expect(await run('prod', script)).toBe('Cannot read which commit JokeService has: No credentials,1')
    expect(await run('prod', { npm_lifecycle_event: 'deploy:page' })).toMatch(/^Cannot read/)
    expect(await run('prod', { npm_lifecycle_event: 'diff' })).toBe('prod')
  })
})
