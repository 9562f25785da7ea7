/** `.ci/check-deploy` refuses some deploys. Here, the AWS CLI is a script that prints the deployed commit. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, CfnTable, Table } from 'aws-cdk-lib/aws-dynamodb'
import { CfnVersion } from 'aws-cdk-lib/aws-lambda'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

/** Runs `.ci/check-deploy` with scripts instead of real programs. Returns its exit code and output. */
function check(options: string[], programs: Record<string, string>, environment: Record<string, string> = {}) {
  const folder = temporaryFolder()
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const env = { ...process.env, ...environment, PATH: `${folder}${delimiter}${process.env.PATH}` }
  const { status, stdout, stderr } = spawnSync(resolve('.ci/check-deploy'), options, { env, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

describe('tables', () => {
  interface Tables {
    key?: string
    kept?: boolean
    policy?: RemovalPolicy
  }

  /** Writes the template of a stack with a table and a version of a function. */
  const synthesize = ({ key = 'id', kept = true, policy = RemovalPolicy.RETAIN }: Tables, version: string) => {
    const app = new App({ outdir: temporaryFolder() })
    const stack = new Stack(app, 'Service')
    const partitionKey = { name: key, type: AttributeType.STRING }
    if (kept) new Table(stack, 'Jokes', { partitionKey, removalPolicy: policy })
    new CfnVersion(stack, `Version${version}`, { functionName: 'list' }).applyRemovalPolicy(RemovalPolicy.RETAIN)
    app.synth()
    return app.outdir
  }

  const change = (before: Tables, after: Tables) => {
    const template = join(synthesize(before, '1'), 'Service.template.json')
    return check(['Service', '--app', synthesize(after, '2'), '--template', template], { aws: 'echo unknown' })
  }

  it.each<[string, Tables, Tables]>([
    ['replaces', {}, { key: 'other' }],
    ['deletes', { policy: RemovalPolicy.DESTROY }, { kept: false }],
    ['orphans', {}, { kept: false }],
  ])('check-deploy refuses a change that %s a table', (_, before, after) => {
    expect(change(before, after)).toEqual({
      status: 1,
      output: expect.stringMatching(/^Refused: this would lose a table: \[.\] AWS::DynamoDB::Table Jokes/m),
    })
  })

  it('check-deploy accepts a change that only orphans a version of a function', () => {
    const { status, output } = change({}, { policy: RemovalPolicy.DESTROY })
    expect([status, output]).toEqual([0, expect.stringMatching(/^\[-\] AWS::Lambda::Version \w+ orphan$/m)])
  })

  it('check-deploy refuses a change that may replace a table', () => {
    const line = `[~] ${CfnTable.CFN_RESOURCE_TYPE_NAME} Jokes Jokes1 may be replaced`
    expect(check(['Service'], { aws: 'echo unknown', npx: `echo "${line}"` }).status).toBe(1)
  })
})

it.each([
  ['the deployed commit cannot be read', { aws: 'echo No credentials >&2; exit 255', npx: '' }, 'No credentials'],
  ['cdk diff fails', { aws: 'echo unknown', npx: 'echo No such stack; exit 1' }, 'cdk diff failed: No such stack'],
])('check-deploy refuses a deploy if %s', (_, programs, message) => {
  expect(check(['Service'], programs)).toEqual({ status: 1, output: expect.stringContaining(message) })
})

it('check-deploy refuses to run without the name of a stack', () => {
  expect(check([], {})).toEqual({ status: 1, output: expect.stringContaining('Refused: name the stack') })
})

describe.skipIf(spawnSync('git', ['--version']).error)('commits', () => {
  const [origin, clone] = [temporaryFolder(afterAll), temporaryFolder(afterAll)]
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { encoding: 'utf8', cwd }).trim()
  const commit = (cwd: string, message: string) => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
    git(cwd, ...author, 'commit', '--quiet', '--allow-empty', '--message', message)
    return git(cwd, 'rev-parse', 'HEAD')
  }
  git(origin, 'init', '--quiet')
  const [first = '', second = '', third = ''] = ['one', 'two', 'three'].map((message) => commit(origin, message))
  git(origin, 'clone', '--quiet', '.', clone)
  git(clone, 'checkout', '--quiet', first)
  const branched = commit(clone, 'a branch')
  git(clone, 'checkout', '--quiet', second)
  const unfetched = commit(origin, 'four')

  it.each([
    ['an older commit', 0, first],
    ['the same commit, deployed by hand', 0, `${second}-dirty`],
    ['a commit of another branch', 0, branched],
    ['an unknown commit', 0, 'f'.repeat(40)],
    ['no commit', 0, 'None'],
    ['a newer commit', 1, third],
    ['a newer commit, deployed by hand', 1, `${third}-dirty`],
    ['a newer commit that was pushed since', 1, unfetched],
  ])('check-deploy over %s exits with %i', (_, expected, deployed) => {
    const repository = { GIT_DIR: join(clone, '.git'), GIT_WORK_TREE: clone }
    const { status, output } = check(['Service'], { aws: `echo ${deployed}`, npx: 'echo No changes' }, repository)
    expect(output).toContain(expected === 0 ? 'No changes' : 'Refused: Service has a newer commit already')
    expect(status).toBe(expected)
  })

  it('check-deploy accepts a first deploy', () => {
    const aws = 'echo Stack with id Service does not exist >&2; exit 254'
    expect(check(['Service'], { aws, npx: 'echo No changes' })).toEqual({ status: 0, output: 'No changes\n' })
  })
})
