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
  for (const [index, [, { after = [] }]] of steps.entries())
    expect(names.slice(0, index)).toEqual(expect.arrayContaining(after))
})

it.each([
  ['no stage', [], 'Name a new stage, after --'],
  ['production', ['-c', 'stage=prod'], 'A rehearsal destroys its stage'],
  ['production with other settings', ['-c', 'stage=prod', '-c', 'listRate=1'], '-c cannot change the settings of prod'],
  ['a setting that does not exist', ['-c', 'stage=new', '-c', 'pigs=fly'], 'pigs is not a setting'],
  ['a stage that exists', ['-c', 'stage=new'], 'JokeService-new exists'],
  ['a stage whose page exists', ['-c', 'stage=new'], 'Page-JokeService-new exists', { EXISTS: 'Page-JokeService-new' }],
  [
    'a shell that has read a stack',
    ['-c', 'stage=new'],
    'This shell works on JokeService',
    { JOKE_STACK: 'JokeService' },
  ],
  ['to destroy a stage of others', ['-c', 'stage=new', '--destroy'], "JokeService-new is not a rehearsal's"],
])(
  'refuses %s, and makes or destroys nothing',
  async (_, options, message, environment = { EXISTS: 'JokeService-new' }) => {
    const { code, output, calls } = await rehearsal(options, environment)
    expect([code, output]).toEqual([1, expect.stringContaining(message)])
    expect(calls).not.toMatch(/^(npm|npx)|delete|destroy/m)
  },
)

it('a step that fails, but not one that cannot be shown, stops those that need it, and fails the rehearsal; cleaning up goes on', async () => {
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
  expect((await rehearsed({ one: {}, unshown: { unshown: () => 'no umbrella' } })).ok).toBe(true)
})

it('after Ctrl+C, a deploy that has begun ends, what it has made is destroyed, and what that leaves is told and deleted', async () => {
  const { code, output, calls } = await rehearsal(['-c', 'stage=new'], { TAG: 'yes' })
  const summary =
    /^service +NOT REACHED(.|\n)+^destroy +as documented.+\n^leftovers +OTHERWISE .+Left by their stacks:$/m
  expect([code, output]).toEqual([1, expect.stringMatching(summary)])
  expect(calls.match(/^np.*|.*delete.*/gm)).toEqual([
    expect.stringMatching(/^npm run --silent deploy -- -c stage=new --tags rehearsal=yes .*--require-approval never/),
    'npm has ended',
    // First the page, which refers to the service.
    'npx cdk destroy --force -c stage=new --app node infra/pageApp.ts',
    'npx cdk destroy --force -c stage=new',
    ...['left', 'JokeService-new-drill'].map((name) =>
      expect.stringContaining(`aws dynamodb delete-table --table-name ${name} --region eu-west-1`),
    ),
  ])
  const left = 'AWS::DynamoDB::Table left: deleted now'
  const drill = 'AWS::DynamoDB::Table JokeService-new-drill: deleted now'
  expect(output.replaceAll(/\n +/g, '\n')).toContain(
    `Left by their stacks:\n${left}\nMade beside the stacks: 1.\n${drill}\n`,
  )
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
 * Runs the command with an AWS CLI that knows the stack `EXISTS`, and both stacks once they are deployed; with an npm whose
 * deploy interrupts the rehearsal; and with a cdk that leaves a table of the service.
 */
async function rehearsal(options: string[], environment: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const script = `#!/bin/sh
cd ${folder}; echo "\${0##*/} $*" >> calls
case "\${0##*/} $*" in
  *Tags*) echo $TAG ;;
  *describe-stacks*) [ "$4" = "$EXISTS" -o -e "$4" ] || { echo it does not exist; exit 254; } ;;
  *list-stack-resources*"name JokeService"*) printf 'AWS::DynamoDB::Table\\tleft' ;;
  *list-tables*) echo left JokeService-new-drill ;;
  *destroy*pageApp*) rm Page-JokeService-new ;;
  *destroy*) rm JokeService-new ;;
  npm*) kill -INT $PPID; touch JokeService-new Page-JokeService-new; echo npm has ended >> calls ;;
esac
`
  for (const name of ['aws', 'npm', 'npx']) writeFileSync(join(folder, name), script, { mode: 0o755 })
  const PATH = `${folder}${delimiter}${process.env.PATH}`
  const command = run({ PATH, AWS_REGION: 'eu-west-1', ...environment }, ['infra/rehearsal/main.ts', ...options])
  const [code, stdout, stderr] = await resultOf(command)
  const calls = join(folder, 'calls')
  return { code, output: stdout + stderr, calls: existsSync(calls) ? readFileSync(calls, 'utf8') : '' }
}
