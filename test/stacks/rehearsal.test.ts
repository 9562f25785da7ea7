/** The rehearsal: which stages it refuses, that it always destroys what it has made, and that the documents say what it quotes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { CLEAN_UP } from '../../infra/rehearsal/cleanUp.ts'
import { placeOf, rehearse, type Steps } from '../../infra/rehearsal/runner.ts'
import { Stage } from '../../infra/rehearsal/stage.ts'
import { STEPS } from '../../infra/rehearsal/steps.ts'
import { settingsOf } from '../support/app.ts'
import { resultOf, run, temporaryFolder } from '../support/process.ts'

const steps = Object.entries({ ...STEPS, ...CLEAN_UP })
const DOCUMENT = STEPS.service?.document ?? ['', '']

it('documents say what the steps quote, and have a line on each step', () => {
  for (const [, { document }] of steps) expect(placeOf(...document)).toMatch(/^\S+:\d+$/)
  const guide = readFileSync('docs/rehearsal.md', 'utf8')
  for (const [name] of steps)
    expect(guide).toMatch(new RegExp(`^\\| ([^|]+, )?${RegExp.escape(name)}(,[^|]+)? \\|`, 'm'))
  expect(() => placeOf('docs/rehearsal.md', 'Pigs fly')).toThrow('docs/rehearsal.md must say once: Pigs fly')
})

it('steps come after those that they need', () => {
  const names = steps.map(([name]) => name)
  for (const [name, { after = [] }] of steps)
    for (const earlier of after) expect(names.slice(0, names.indexOf(name))).toContain(earlier)
})

it.each([
  ['no stage', [], 'Name a new stage, after --'],
  ['production', ['-c', 'stage=prod'], 'A rehearsal destroys its stage'],
  ['what sounds like production', ['-c', 'stage=production'], 'would be a stage without protection'],
  ['production with other settings', ['-c', 'stage=prod', '-c', 'listRate=1'], '-c cannot change the settings of prod'],
  ['a setting that does not exist', ['-c', 'stage=new', '-c', 'pigs=fly'], 'pigs is not a setting'],
  ['a stage that exists', ['-c', 'stage=new'], 'JokeService-new exists'],
  ['to destroy a stage of others', ['-c', 'stage=new', '--destroy'], "JokeService-new is not a rehearsal's"],
])('refuses %s, and makes or destroys nothing', async (_, options, message) => {
  const { code, output, calls } = await rehearsal(options, { EXISTS: 'yes' })
  expect([code, output]).toEqual([1, expect.stringContaining(message)])
  expect(calls).not.toMatch(/^(npm|npx)|delete|destroy/m)
})

it('refuses a shell that works on another stack', async () => {
  const { code, output } = await rehearsal(['-c', 'stage=new'], { JOKE_STACK: 'JokeService' })
  expect([code, output]).toEqual([1, expect.stringContaining('This shell works on JokeService')])
})

it('a step that fails stops those that need it, but not what cleans up, and fails the rehearsal', async () => {
  const { ok, printed, ran } = await rehearsed({
    failing: { run: () => Promise.reject(new Error('It rained.')) },
    needing: { after: ['failing'] },
    unshown: { unshown: () => 'no umbrella' },
    other: { after: ['unshown'] },
    cleanUp: { isCleanUp: true },
  })
  expect([ok, ran]).toEqual([false, ['other', 'cleanUp']])
  expect(printed).toMatch(/^failing +OTHERWISE .*It rained/m)
  expect(printed).toMatch(/^needing +NOT REACHED .*needs "failing"$/m)
  expect(printed).toMatch(/^unshown +not shown .*no umbrella$/m)
})

it('after Ctrl+C, a deploy that has begun ends, and what it has made is destroyed', async () => {
  const { code, output, calls } = await rehearsal(['-c', 'stage=new'], { TAG: 'yes' })
  expect([code, output]).toEqual([1, expect.stringMatching(/^service +NOT REACHED(.|\n)+^destroy +as documented/m)])
  expect(calls.match(/^np.*/gm)).toEqual([
    expect.stringMatching(/^npm run --silent deploy -- -c stage=new --tags rehearsal=yes .*--require-approval never/),
    'npm has ended',
    'npx cdk destroy --force -c stage=new',
  ])
})

it('is as documented if all steps are, or cannot be shown here', async () => {
  expect((await rehearsed({ one: {}, unshown: { unshown: () => 'no umbrella' } })).ok).toBe(true)
})

/** Runs these steps, which do nothing else. Returns the names of those that ran to their end. */
async function rehearsed(given: Record<string, Partial<Steps[string]>>) {
  const [lines, ran]: [string[], string[]] = [[], []]
  const entries = Object.entries(given).map(([name, step]) => {
    const runs = async () => `${ran.push(name)}`
    return [name, { question: 'Does it?', document: DOCUMENT, run: runs, ...step }] as const
  })
  const stop = new AbortController().signal
  vi.stubEnv('AWS_REGION', 'eu-west-1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const stage = new Stage(settingsOf({ stage: 'new' }), [], stop)
  const ok = await rehearse(Object.fromEntries(entries), stage, stop, (line) => lines.push(line))
  return { ok, ran, printed: lines.join('\n') }
}

/**
 * Runs the command with an AWS CLI that knows the service's stack if `EXISTS`, or once it is deployed, and with an npm
 * whose deploy interrupts the rehearsal.
 */
async function rehearsal(options: string[], environment: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const script = `#!/bin/sh
cd ${folder}; echo "\${0##*/} $*" >> calls
case "\${0##*/} $*" in
  *Tags*) echo $TAG ;;
  *describe-stacks*) [ "$4" = JokeService-new ] && [ "$EXISTS" -o -e deployed ] || { echo it does not exist; exit 254; } ;;
  *destroy*) rm deployed ;;
  npm*) kill -INT $PPID; touch deployed; echo npm has ended >> calls ;;
esac
`
  for (const name of ['aws', 'npm', 'npx']) writeFileSync(join(folder, name), script, { mode: 0o755 })
  const PATH = `${folder}${delimiter}${process.env.PATH}`
  const command = run({ PATH, AWS_REGION: 'eu-west-1', ...environment }, ['infra/rehearsal/main.ts', ...options])
  const [code, stdout, stderr] = await resultOf(command)
  const calls = join(folder, 'calls')
  return { code, output: stdout + stderr, calls: existsSync(calls) ? readFileSync(calls, 'utf8') : '' }
}
