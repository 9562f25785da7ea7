/** The links and commands of the documents, and the shell functions of the runbooks. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES } from '../../infra/routes.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { sectionsOf } from '../support/markdown.ts'
import { runHere } from '../support/process.ts'

const FUNCTIONS = 'bin/stack.sh'
const ARN = 'arn:aws:cloudformation:eu-west-1:123456789012:stack/JokeService/id'
const DOCUMENTS = ['', 'docs/', 'docs/runbooks/'].flatMap((folder) => globSync(`${folder}*.md`))

it('links in documents lead to existing sections', () => {
  for (const file of DOCUMENTS) {
    const content = readFileSync(file, 'utf8')
    for (const [, target = '', section] of content.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const path = target ? join(dirname(file), target) : file
      expect(existsSync(path), `${file}: ${target}`).toBe(true)
      if (section) expect(sectionsOf(readFileSync(path, 'utf8')), file).toContain(section)
    }
    for (const [, path = ''] of content.matchAll(/`((?:docs|functions|infra|shared|test|tools|web)\/[\w./-]+)`/g))
      expect(existsSync(path), `${file}: ${path}`).toBe(true)
  }
})

it('commands in documents parse and exist', async () => {
  const text = DOCUMENTS.map((file) => readFileSync(file, 'utf8')).join('\n')
  const blocks = Array.from(text.matchAll(/```sh\n(.*?)```/gs), ([, code]) => `${code}`.trim())
  execFileSync('bash', ['-n'], { input: blocks.join('\n') })
  const named = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name)
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(named(/\bnpm run ([\w:]+)/g)))
  const commands = Array.from((await runHere()).stdout.matchAll(/^ {2}([a-z]+) /gm), ([, name]) => name)
  expect(commands).toEqual(expect.arrayContaining(named(/\bbin\/jokes ([a-z]+)/g)))
})

describe('the functions of the runbooks', () => {
  const [OTHER, FAILED] = [`. ${FUNCTIONS} JokeService-other`, `. ${FUNCTIONS} JokeService-failed > /dev/null`]
  const OLD_CLI = `aws() { echo aws-cli/1.44.9; }; . ${FUNCTIONS} JokeService`
  const ELSEWHERE = 'JokeService is in eu-west-1, account 123456789012, so it is not deleted.'
  const limits = (rate: string, burst: number) =>
    `{"ThrottlingRateLimit": ${rate}, "ThrottlingBurstLimit": ${burst}, "DetailedMetricsEnabled": false}`

  it.each<[command: string, lines: (string | RegExp)[]]>([
    [`. ${FUNCTIONS}`, [/^Stack: JokeService in eu-west-1, account 123456789012, stage prod\. UPDATE_COMPLETE\. /]],
    [`. ${FUNCTIONS} JokeService-my-dev > /dev/null; echo $stack $stage`, ['JokeService-my-dev my-dev']],
    [OTHER, ['Cannot read the stack JokeService-other: It does not exist', 'fails with 1']],
    // The runbooks repair stacks that cannot be read.
    [
      `${OTHER} 2> /dev/null; echo $stack $stage $JOKE_STACK $JokesTable`,
      ['JokeService-other other JokeService-other'],
    ],
    [OLD_CLI, [/^The command aws of AWS CLI 2 is missing: install /, 'fails with 1']],
    [FAILED, [/^It has no output JokesTable, .+: deploy\.md/, 'fails with 1']],
    [
      'addedBy last 192.0.2.1 24',
      [/^Nothing was added by 192\.0\.2\.1 \(last\) in the last 24 hours\./, 'fails with 1'],
    ],
    [
      'deleteTable JokeService-Jokes-used',
      ['A stack uses JokeService-Jokes-used, so it is not deleted.', 'fails with 1'],
    ],
    ['deleteTable other-jokes', ['other-jokes is no table of this service.', 'fails with 1']],
    ['deleteStack us-east-1 123456789012', [ELSEWHERE, 'fails with 1']],
    ['deleteStack eu-west-1 000000000000', [ELSEWHERE, 'fails with 1']],
    [
      'running=None; deleteStack eu-west-1 123456789012',
      [/accepts new jokes, so it is not deleted\.$/, 'fails with 1'],
    ],
    ['resetFunctions', FUNCTION_NAMES.map((name) => `${name}Function: reserved concurrency None`)],
    ['waitForTable missing', ['Cannot wait for missing: ResourceNotFoundException', 'fails with 1']],
    ['waitForTable interrupted', ['fails with 130']],
    ['waitForTable slow && echo done', ['done']],
    ["insights 'What is slow'", [/^logs get-query-results /]],
    ...[
      "insights 'What is slow'",
      'addedBy last ::1 1',
      "throttle 'GET /joke' 5",
      'stopAll',
      'deleteStack',
      'resetThrottles',
    ].map((command): [string, RegExp[]] => [
      `${OTHER} 2> /dev/null; aws() { echo called; }; ${command}`,
      [/^Read a stack first: /, /^fails with 1$/],
    ]),
  ])('the command "%s" prints %j', async (command, lines) => {
    const result = await bash(`{ ${command}; } 2>&1 || echo "fails with $?"`)
    expect(result).toEqual(lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))))
  })

  const stop = (name: string) => `--function-name ${name} --reserved-concurrent-executions 0`
  const STOPPED = '{"GET /": {"ThrottlingRateLimit": 0.1, "ThrottlingBurstLimit": 1}}'
  it.each([
    ["throttle 'POST /joke' 0.1", 'JokeService', [`{"POST /joke": ${limits('0.1', 1)}}`]],
    ["throttle 'GET /' 50", 'JokeService', [`{"GET /": ${limits('50', 100)}, "HEAD /": ${limits('50', 100)}}`]],
    ['resetTable', 'JokeService', ['PointInTimeRecoveryEnabled=true', '--deletion-protection-enabled']],
    ['resetTable', 'JokeService-dev', ['PointInTimeRecoveryEnabled=true']],
    ['stopWrites', 'JokeService', [stop('create'), stop('thumbsUp')]],
    ['stopAll', 'JokeService', [...['create', 'list', 'thumbsUp', 'page'].map(stop), STOPPED]],
    ['deleteTable restored-jokes', 'JokeService', ['--no-deletion', 'delete-table --table-name restored-jokes']],
    ['deleteTable JokeService-Jokes-old', 'JokeService', ['--no-deletion', '--table-name JokeService-Jokes-old']],
    ['deleteStack eu-west-1 123456789012', 'JokeService', ['--no-enable', `delete-stack --stack-name ${ARN}`]],
  ])('the command "%s" changes the stack %s by %j', async (command, stack, changes) => {
    const result = await bash(`. ${FUNCTIONS} ${stack} > /dev/null; set -x; ${command} 2>&1`)
    const calls = result.filter((line) => /^\++ aws \w+ (put|update|delete)-/.test(line))
    expect(calls).toEqual(changes.map((change) => expect.stringContaining(change)))
  })

  it.each([
    ['last', ['alone', 'afterForged']],
    ['before-last', ['throughCdn', 'afterForgedThroughCdn']],
  ])('addedBy finds jokes whose sender has the %s address', async (position, ids) => {
    const userAgent = 'forged, 203.0.113.7, 203.0.113.7'
    const headers = {
      alone: '203.0.113.7',
      afterForged: '198.51.100.1, 203.0.113.7',
      throughCdn: '203.0.113.7, 64.252.70.1',
      afterForgedThroughCdn: '198.51.100.1, 203.0.113.7, 64.252.70.1',
      otherwiseWritten: '203.0.11307',
      forgedFirst: '203.0.113.7, 198.51.100.1, 64.252.70.1',
      forgedField: 'x","forwardedFor":"203.0.113.7',
      forgedEnd: '203.0.113.7, x", 198.51.100.1, 64.252.70.1',
    }
    const events = Object.entries(headers).map(([added, forwardedFor]) =>
      JSON.stringify({ level: 'INFO', message: { added, apiRequestId: 'request', forwardedFor, userAgent } }),
    )
    expect(await bash(`addedBy ${position} 203.0.113.7 24`, events.join('\n'))).toEqual(ids)
  })

  /** Runs a command after loading the functions. A stub of `aws` prints these events, or its arguments. */
  async function bash(command: string, events = ''): Promise<string[]> {
    const answers = `*-other*) echo It does not exist; return 254 ;; *-failed*) printf '%b' "\${OUTPUTS%ApiId*}" ;;
      --version) echo aws-cli/2.31.0 ;; *"=='JokesTable'"*) echo JokeService-Jokes-used ;; *describe-stacks*) printf '%b' "$OUTPUTS" ;; *filter-log-events*) printf '%s' "$EVENTS" ;;
      *'--query status'*) echo Complete ;; *get-function-concurrency*) echo "\${running-0}" ;;
      *'--query RouteSettings --output'*) echo '{"GET /": {"ThrottlingRateLimit": 50.0, "ThrottlingBurstLimit": 100}}' ;;
      *ReservedConcurrentExecutions*) echo None ;; *describe-table*missing*) echo ResourceNotFoundException; return 254 ;;
      *describe-table*interrupted*) return 130 ;; *describe-table*slow*) ((SECONDS > 60)) && echo ACTIVE || echo CREATING ;;
      *describe-table*) echo ACTIVE ;; *) echo "$*" ;;`
    const script = `sleep() { ((SECONDS += $1)); }; aws() { case "$*" in ${answers} esac }
      . ${FUNCTIONS} JokeService > /dev/null && ${command}`
    const env = {
      PATH: process.env.PATH,
      EVENTS: events,
      OUTPUTS: `StackArn\\t${ARN}\\nStackState\\tUPDATE_COMPLETE\\nApiId\\tid\\nCreateFunction\\tcreate\\nListFunction\\tlist\\nThumbsUpFunction\\tthumbsUp\\nPageFunction\\tpage\\nJokesTable\\tjokes`,
    }
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
    return stdout.trim().split('\n')
  }
})
