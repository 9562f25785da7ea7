/** What CI runs, and GitHub's workflows: what is deployed, where first, and in which order. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, matchesGlob, resolve } from 'node:path'
import * as v from 'valibot'
import { expect, it, onTestFinished, vi } from 'vitest'
import { stackName } from '../../infra/settings.ts'
import manifest from '../../package.json' with { type: 'json' }
import config from '../../vitest.config.ts'
import { settingsOf } from '../support/app.ts'
import { temporaryFolder } from '../support/process.ts'

const read = (name: string) => readFileSync(`.github/workflows/${name}.yml`, 'utf8')
/** The rest of the lines that begin with a key, such as `run:`. */
const valuesOf = (name: string, key: string) =>
  Array.from(read(name).matchAll(new RegExp(`^[ -]*${key}: (.*)`, 'gm')), ([, value = '']) => value)
const WORKFLOWS = ['ci', 'deploy-stage', 'rehearsal']
const variable = (name: string) => `\${{ ${name} }}`
const Project = v.object({ test: v.object({ include: v.array(v.string()) }) })
const Projects = v.object({ test: v.object({ projects: v.array(Project) }) })

it('CI runs all tests for main and each pull request, checks the workflows and templates, and asks for no right but to read', () => {
  const head = /^on:\n {2}push:\n {4}branches: \[main\]\n {2}pull_request:\npermissions:\n {2}contents: read\njobs:/m
  expect(read('ci')).toMatch(head)
  expect(valuesOf('ci', 'run')).toEqual([
    '.ci/run',
    'npx cdk synth --quiet -c stage=prod --app "node infra/pageApp.ts" --output cdk.out.page',
    expect.stringMatching(
      /^pipx run cfn-lint==[\d.]+ --ignore-checks W3005 --regions \$REGIONS --template cdk.out\/\*\S+ cdk.out.page\/\*\S+$/,
    ),
    'npm audit',
    expect.stringMatching(/^go run \S+\/actionlint@v[\d.]+$/),
    expect.stringMatching(/^pipx run zizmor==[\d.]+ --min-severity medium \.github$/),
    'npm ci',
    'npx vitest run --project processes',
    'git show HEAD^1:openapi.json > main.json',
    expect.stringMatching(/^go run \S+oasdiff@v[\d.]+ breaking --fail-on WARN main\.json openapi\.json$/),
  ])
  expect([valuesOf('ci', 'node'), valuesOf('ci', 'node-version')]).toEqual([['[20, 22]'], [variable('matrix.node')]])
  for (const name of WORKFLOWS) expect(valuesOf(name, 'node-version-file')).toEqual(['.nvmrc'])
  for (const step of ['init', 'analyze']) expect(read('ci')).toContain(`uses: github/codeql-action/${step}@`)
  expect([valuesOf('ci', 'security-events'), valuesOf('ci', 'fetch-depth')]).toEqual([['write'], ['2']])
})

it.each(WORKFLOWS)('%s ignores no failure, keeps no credentials, and uses actions by their commits', (name) => {
  expect(read(name)).not.toMatch(/continue-on-error|always\(\)|set \+e/)
  for (const action of valuesOf(name, 'uses')) expect(action).toMatch(/@[0-9a-f]{40} # v|^\.\/\.github\//)
  const checkouts = valuesOf(name, 'uses').filter((action) => action.startsWith('actions/checkout@'))
  expect(valuesOf(name, 'persist-credentials')).toEqual(checkouts.map(() => 'false'))
})

it('what has passed on main is deployed to staging, with a smoke test that writes, and then to production', () => {
  const [, staging = '', production = ''] = read('ci').split(/^ {2}(?:staging|production):$/m)
  const [stack, ofProduction] = ['staging', 'prod'].map((stage) => stackName(settingsOf({ stage })))
  // Not for the audit: a new advisory must not hold up a change that takes a fault back.
  expect(staging).toMatch(/^\s+needs: \[test, install, codeql, workflows\]$/m)
  expect(valuesOf('ci', 'if')).toEqual([
    "github.event_name == 'pull_request'",
    "github.event_name == 'push' && vars.DEPLOY_REGION != ''",
  ])
  expect(staging).toMatch(new RegExp(`environment: staging\\n\\s+stage: staging\\n\\s+stack: ${stack}\\n`))
  expect(staging).toContain(`smoke: --write --stack ${stack}\n`)
  expect(production).toMatch(/^\s+needs: staging$/m)
  expect(production).toMatch(new RegExp(`environment: production\\n\\s+stage: prod\\n\\s+stack: ${ofProduction}\\n$`))
  expect(valuesOf('ci', 'uses').slice(-2)).toEqual(Array(2).fill('./.github/workflows/deploy-stage.yml'))
  // Of the two jobs that deploy, not of the workflow.
  expect(read('ci').match(/^ {6}id-token: write$/gm)).toHaveLength(2)
})

it('a stage is deployed by the role of its environment, one commit at a time, where no package runs scripts of its own', () => {
  expect(valuesOf('deploy-stage', 'run')).toEqual([
    'npm ci --ignore-scripts',
    'npm run deploy -- $OPTIONS --outputs-file cdk.out/outputs.json',
    'bin/jokes smoke "$(jq -r ".[\\"$STACK\\"].ApiUrl" cdk.out/outputs.json)" $SMOKE',
    'npm run deploy:page -- $OPTIONS',
    expect.stringMatching(/^echo "::error::/),
  ])
  const inStage = (key: string) => [...new Set(valuesOf('deploy-stage', key))].join()
  const given = ['inputs.environment', 'inputs.stack', 'inputs.smoke', 'vars.DEPLOY_REGION', 'vars.DEPLOY_ROLE']
  const keys = ['environment', 'STACK', 'SMOKE', 'aws-region', 'role-to-assume']
  expect(keys.map(inStage)).toEqual(given.map(variable))
  expect(['if', 'permissions', 'fetch-depth'].map(inStage)).toEqual(["vars.DEPLOY_PAGE == 'true',failure()", '{}', '0'])
  expect(Number(inStage('timeout-minutes'))).toBeGreaterThan(30)
  expect(read('deploy-stage')).toContain(`    concurrency:\n      group: deploy ${variable('inputs.stage')}\n`)
  expect(inStage('OPTIONS')).toBe(`-c stage=${variable('inputs.stage')} --require-approval never`)
})

it('the rehearsal is off until its region is set, runs no scripts of packages, and first destroys what a run has left', () => {
  const command = 'npm run rehearse -- -c stage=rehearsal'
  expect(valuesOf('rehearsal', 'run')).toEqual(['npm ci --ignore-scripts', `${command} --destroy`, command])
  expect(valuesOf('rehearsal', 'if')).toEqual(["vars.REHEARSAL_REGION != ''"])
})

it('.ci/run installs and tests everything, makes the stacks of both stages, and fails with the first command that fails', () => {
  /** Runs it with an npm and an npx that only print what they are called with. The one with this number fails. */
  const run = (failing: number) => {
    const folder = temporaryFolder()
    const log = join(folder, 'log')
    const script = `#!/bin/sh\necho "$PWD $CI \${0##*/} $*" >> ${log}\n[ $(wc -l < ${log}) -ne ${failing} ]\n`
    for (const name of ['npm', 'npx']) writeFileSync(join(folder, name), script, { mode: 0o755 })
    const env = { PATH: `${folder}${delimiter}${process.env.PATH}` }
    const { status } = spawnSync(resolve('.ci/run'), { cwd: folder, env })
    return { status, calls: readFileSync(log, 'utf8').trim().split('\n') }
  }
  const steps = ['npm --prefix test/client ci', 'npm cit', 'npm run synth', 'npm run synth -- -c stage=prod']
  const calls = steps.map((step) => `${process.cwd()} true ${step}`)
  expect(run(0)).toEqual({ status: 0, calls })
  for (let number = calls.length; number > 0; number--)
    expect(run(number)).toEqual({ status: 1, calls: calls.slice(0, number) })
})

it('npm test checks everything, runs each test project once, and fails with the first that fails', () => {
  const { test, 'test:fast': testFast } = manifest.scripts
  const steps = test.replace('npm run test:fast --', testFast).split(' && ')
  const [fast = '', others = ''] = steps.filter((step) => step.startsWith('vitest run '))
  expect(steps).toEqual([
    'biome ci --error-on-warnings',
    'tsc',
    'tsc -p web',
    'tsc -p infra/page/edge',
    fast,
    'knip',
    others,
  ])
  expect(fast).toMatch(/^vitest run( --project \w+)+ --coverage$/)
  // The second run leaves out what the first one has run.
  expect(`${others.replaceAll(/"!(\w+)"/g, '$1')} --coverage`).toBe(fast)
})

it('Vitest fails instead of leaving out tests: in CI, without the engine closer to DynamoDB; or of an unknown project', async () => {
  vi.stubEnv('CI', 'true').doMock('../support/dynoxide.ts', () => ({ isDynoxideInstalled: false }))
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  vi.spyOn(process, 'arch', 'get').mockReturnValue('x64')
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'vitest', '--project', 'nightly'])
  onTestFinished(() => void vi.unstubAllEnvs().restoreAllMocks().doUnmock('../support/dynoxide.ts'))
  const load = (query: string) => import(/* @vite-ignore */ `${resolve('vitest.config.ts')}?${query}`)
  await expect(load('ci')).rejects.toThrow('dynoxide is not installed: run npm ci')
  vi.stubEnv('CI', '')
  await expect(load('project')).rejects.toThrow('There is no project nightly')
})

it('each test file belongs to a project', () => {
  const patterns = v.parse(Projects, config).test.projects.flatMap(({ test }) => test.include)
  const files = globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] })
  expect(files.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern)))).toEqual([])
})

it('scripts run what their names say', () => {
  expect(manifest.scripts).toMatchObject({
    start: 'node infra/local/serviceMain.ts',
    dev: 'node --watch infra/local/serviceMain.ts',
    database: 'node infra/local/databaseMain.ts',
    'test:loop': 'node test/loop.ts',
    mutate: 'npm --prefix test/mutate start',
    fix: 'biome check --write',
    screenshot: 'node bench/pictures.ts',
    bench: 'node bench/main.ts',
    openapi: 'node infra/openapi.ts',
    synth: 'cdk synth --quiet',
    diff: 'cdk diff',
    deploy: 'cdk deploy',
    destroy: 'cdk destroy',
    'deploy:page': 'cdk deploy --app "node infra/pageApp.ts" --output cdk.out.page',
  })
})
