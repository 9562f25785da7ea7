/** The links of the documents, and the shell functions of the runbooks. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES } from '../../infra/routes.ts'
import { stackName } from '../../infra/settings.ts'
import { sectionsOf } from '../support/markdown.ts'

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

describe('the functions of the runbooks', () => {
  const production = stackName('prod')

  it.each(['prod', 'dev', 'my-dev'])('stack.sh derives the stage %s from the name of its stack', async (stage) => {
    const stack = stackName(stage)
    expect(await bash(`. ${FUNCTIONS} ${stack} > /dev/null; echo $stack $stage`)).toEqual([`${stack} ${stage}`])
  })

  it.each([
    ['prod', 1],
    ['dev', 0],
  ])('resetTable of the stage %s protects %i tables against deletion', async (stage, count) => {
    const stack = stackName(stage)
    const result = await bash(`. ${FUNCTIONS} ${stack} > /dev/null; set -x; resetTable 2>&1`)
    const counted = (words: string) => result.filter((line) => line.startsWith('+ aws') && line.includes(words)).length
    expect([counted('PointInTimeRecoveryEnabled=true'), counted('--deletion-protection-enabled')]).toEqual([1, count])
  })

  it.each([
    ['last', ['alone', 'afterForged']],
    ['before-last', ['throughCdn', 'afterForgedThroughCdn']],
  ])('addedBy finds jokes whose sender has the %s address', async (position, ids) => {
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
      JSON.stringify({ level: 'INFO', message: { added, apiRequestId: 'request', forwardedFor } }),
    )
    expect(await bash(`addedBy ${position} 203.0.113.7 24`, events.join('\n'))).toEqual(ids)
  })

  it.each([
    ['POST /joke', '0.1', 1, ['POST /joke']],
    ['GET /joke', '50', 100, ['GET /joke', 'HEAD /joke']],
    ['GET /{file+}', '4', 8, ['GET /{file+}', 'HEAD /{file+}']],
  ])("throttle '%s' %s allows a burst of %i, and sets %j", async (route, rate, burst, routes) => {
    const limits = `{"ThrottlingRateLimit": ${rate}, "ThrottlingBurstLimit": ${burst}, "DetailedMetricsEnabled": false}`
    const settings = routes.map((name) => `"${name}": ${limits}`).join(', ')
    expect((await bash(`throttle '${route}' ${rate}`))[0]).toContain(`\`{${settings}}\``)
  })

  it.each([
    ['stopWrites', ['create', 'thumbsUp'], 0],
    ['stopAll', ['create', 'list', 'thumbsUp', 'page'], 1],
  ])('%s stops the functions %j, and throttles %i route', async (command, functions, routes) => {
    const calls = (await bash(`set -x; ${command} 2>&1`)).filter((line) => /^\++ aws /.test(line))
    const stopped = calls.flatMap((line) => /put.*--function-name (\w+) .*executions 0$/.exec(line)?.[1] ?? [])
    const throttle = '{"GET /": {"ThrottlingRateLimit": 0.1, "ThrottlingBurstLimit": 1}}'
    expect(stopped).toEqual(functions)
    expect(calls.filter((line) => line.includes(throttle))).toHaveLength(routes)
  })

  it.each([
    ['deleteTable restored-jokes', 'dynamodb delete-table --table-name restored-jokes'],
    ['deleteTable JokeService-Jokes-old', 'dynamodb delete-table --table-name JokeService-Jokes-old'],
    ['deleteStack eu-west-1 123456789012', `cloudformation delete-stack --stack-name ${ARN}`],
  ])('the command "%s" runs "aws %s"', async (command, call) => {
    expect((await bash(command))[0]).toContain(call)
  })

  it.each([
    ['missing', 1, 'Cannot wait for missing: ResourceNotFoundException'],
    ['interrupted', 130, ''],
    ['slow', 0, ''],
  ])('waitForTable of a table that is %s exits with %i', async (table, code, message) => {
    const lines = await bash(`{ waitForTable ${table}; echo "$?"; } 2>&1`)
    expect(lines).toEqual([message, `${code}`].filter(Boolean))
  })

  it('resetFunctions starts all functions', async () => {
    const result = await bash('resetFunctions')
    expect(result).toEqual(FUNCTION_NAMES.map((name) => `${name}Function: reserved concurrency None`))
  })

  it.each([
    ['deleteTable JokeService-Jokes-used', /^A stack uses JokeService-Jokes-used, so it is not deleted\./],
    ['deleteTable other-jokes', /^other-jokes is no table of this service\./],
    [
      'deleteStack us-east-1 123456789012',
      /^JokeService is in eu-west-1, account 123456789012, so it is not deleted\./,
    ],
    [
      'deleteStack eu-west-1 000000000000',
      /^JokeService is in eu-west-1, account 123456789012, so it is not deleted\./,
    ],
    ['running=None; deleteStack eu-west-1 123456789012', /^JokeService in eu-west-1 accepts new jokes, so it is not /],
    ['addedBy last 192.0.2.1 24', /^Nothing was added by 192\.0\.2\.1 \(last\) in the last 24 hours\./],
    [`. ${FUNCTIONS} JokeService-other`, /^Cannot read the stack JokeService-other: It does not exist\n/],
    [
      `aws() { echo aws-cli/1.44.9; }; . ${FUNCTIONS} JokeService`,
      /^The command aws of AWS CLI 2 is missing: install /,
    ],
    [`. ${FUNCTIONS} JokeService-failed > /dev/null`, /^It has no output JokesTable, .+: deploy\.md/],
  ])('the command "%s" is refused in one sentence', async (command, message) => {
    const result = await bash(`{ ${command}; } 2>&1 || echo "and fails with $?"`)
    expect(result.join('\n')).toMatch(message)
    expect([result.length, result.at(-1)]).toEqual([2, 'and fails with 1'])
  })

  it('stack.sh shows the place and the state of the stack', async () => {
    const line =
      'Stack: JokeService in eu-west-1, account 123456789012, stage prod. UPDATE_COMPLETE. Deployed commit: none.'
    expect(await bash(`. ${FUNCTIONS}`)).toEqual([line])
  })

  it('stack.sh selects a stack that it cannot read, for the runbooks that repair it', async () => {
    const command = `. ${FUNCTIONS} JokeService-other 2> /dev/null; echo $stack $stage $JOKE_STACK $JokesTable`
    expect(await bash(command)).toEqual(['JokeService-other other JokeService-other'])
  })

  it.each([
    "insights 'What is slow'",
    'addedBy last ::1 1',
    "throttle 'GET /joke' 5",
    'stopAll',
    'deleteStack',
    'resetThrottles',
  ])('the command "%s" does nothing without a stack', async (command) => {
    const other = `. ${FUNCTIONS} JokeService-other 2> /dev/null`
    const result = await bash(`${other}; aws() { echo called; }; { ${command}; } 2>&1 || echo "fails with $?"`)
    expect(result).toEqual([expect.stringMatching(/^Read a stack first: /), 'fails with 1'])
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
      . ${FUNCTIONS} ${production} > /dev/null && ${command}`
    const env = {
      PATH: process.env.PATH,
      EVENTS: events,
      OUTPUTS: `StackArn\\t${ARN}\\nStackState\\tUPDATE_COMPLETE\\nApiId\\tid\\nCreateFunction\\tcreate\\nListFunction\\tlist\\nThumbsUpFunction\\tthumbsUp\\nPageFunction\\tpage\\nJokesTable\\tjokes`,
    }
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
    return stdout.trim().split('\n')
  }
})
