/** The documents and the shell functions of the runbooks: what they name exists, and the functions do what they say. */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { FUNCTION_NAMES } from '../../infra/routes.ts'
import { Settings, stackName } from '../../infra/settings.ts'
import manifest from '../../package.json' with { type: 'json' }
import { Joke } from '../../shared/joke.ts'
import { JOKES } from '../../shared/store/tables.ts'
import { settingsOf } from '../support/app.ts'
import { sectionsOf, tableAfter } from '../support/markdown.ts'
import { serviceTemplate } from '../support/templates.ts'

const RUNBOOKS = globSync('docs/runbooks/*.md')
const FUNCTIONS = 'docs/runbooks/outputs.sh'
const FILES = [...globSync('{*,docs/*}.md'), ...RUNBOOKS]
const text = Object.fromEntries(FILES.map((file) => [file, readFileSync(file, 'utf8')]))
const COMMANDS = /\b(npm run|npx cdk|bin\/jokes) (?:--silent )?([a-z:]+)([^`\n|;&#]*)/g
const scripts: Record<string, string> = manifest.scripts

/** The options of `cdk deploy`, and those of all commands of CDK. */
const cdk = ['node_modules/aws-cdk/bin/cdk', 'deploy', '--help']
const { stdout: cdkHelp } = await promisify(execFile)(process.execPath, cdk)

const { Outputs } = serviceTemplate().toJSON()

it.each(RUNBOOKS)('%s fits the screen of a laptop, has the parts of a runbook, and loads what it needs', (file) => {
  expect(text[file]).toMatch(/^# [A-Z][^\n]+\n\n\*\*Symptoms\*\*: .+\n\n\*\*Done when\*\* (?!.*\n\n)/s)
  expect(text[file]?.trimEnd().split('\n').length).toBeLessThanOrEqual(42)
  expect(text['docs/operations.md']).toContain(file.replace('docs/', ''))
  const outputs = [...(text[file]?.matchAll(/\$\{?([A-Z][A-Za-z]+[a-z][A-Za-z]*)\}?/g) ?? [])].map(([, name]) => name)
  expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(outputs))
  if (outputs.length > 0) expect(text[file]).toContain(`. ${FUNCTIONS}`)
})

it('commands exist, and take the options that they are called with', () => {
  for (const [file, content] of Object.entries(text))
    for (const [command, tool, name = '', rest = ''] of content.matchAll(COMMANDS)) {
      const [forNpm = '', ...forScript] = tool === 'npm run' ? rest.split(/ --(?= )/) : ['', rest]
      const script = tool === 'npm run' ? scripts[name] : `${tool} ${name}`
      const place = `${file}: ${command}`
      expect(script, place).toBeDefined()
      // npm takes options before -- for its own, and drops them.
      expect(flagsIn(forNpm), place).toEqual([])
      for (const flag of flagsIn(forScript.join()))
        expect(helpOf(script), place).toMatch(new RegExp(`(?<![\\w-])${flag}(?![\\w-])`))
    }
})

it('indexes that the documents name exist', () => {
  // CHANGELOG.md has those of earlier versions, CONTRIBUTING.md those to come.
  for (const [file, content] of Object.entries(text).filter(([file]) => file.startsWith('docs/')))
    for (const [name] of content.matchAll(/\bby[A-Z]\w+/g)) expect(Object.keys(JOKES.indexes), file).toContain(name)
})

describe('the functions of the runbooks', () => {
  const source = readFileSync(FUNCTIONS, 'utf8')
  const production = stackName(settingsOf({ stage: 'prod' }))

  it('are all used, and name all functions of the stack', () => {
    const names = Array.from(source.matchAll(/^(\w+)\(\) \{$/gm), ([, name = '']) => name)
    expect(names).toContain('insights')
    const all = [source, ...Object.values(text)].join('\n')
    for (const name of names) expect(all).toMatch(new RegExp(`\\b${name}(?!\\w|\\(\\))`))
    for (const name of FUNCTION_NAMES) expect(source).toContain(`${name}Function`)
  })

  it.each(['prod', 'dev', 'my-dev'])('know the stage %s by its stack, and protect only production', async (stage) => {
    const stack = stackName(settingsOf({ stage }))
    const reset = 'set -x; resetAll 2>&1 | grep -c "+ aws .*enable-termination"'
    const result = await bash(`. ${FUNCTIONS} ${stack} > /dev/null; echo $stack $stage; ${reset} || true`)
    expect(result).toEqual([`${stack} ${stage}`, stage === 'prod' ? '1' : '0'])
  })

  it('compare fields that a joke has', () => {
    const [, compared = ''] = /Item\.\[(.+)\]/.exec(source) ?? []
    expect(Object.keys(Joke.entries)).toEqual(expect.arrayContaining(compared.match(/\w+(?=\.)/g) ?? ['none']))
  })

  it.each([
    ['last', ['alone', 'afterForged']],
    ['before-last', ['throughCloudFront', 'afterForgedThroughCloudFront']],
  ])('find what an address has added, where it is the %s one', async (position, ids) => {
    const headers = {
      alone: '203.0.113.7',
      afterForged: '198.51.100.1, 203.0.113.7',
      throughCloudFront: '203.0.113.7, 64.252.70.1',
      afterForgedThroughCloudFront: '198.51.100.1, 203.0.113.7, 64.252.70.1',
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

  it('let through a burst of twice the rate, but at least one request', async () => {
    const settings = (rate: string, burst: number) =>
      `{"GET /joke": {"ThrottlingRateLimit": ${rate}, "ThrottlingBurstLimit": ${burst}, "DetailedMetricsEnabled": true}}`
    expect((await bash("throttle 'GET /joke' 0.1"))[0]).toContain(settings('0.1', 1))
    expect((await bash("throttle 'GET /joke' 50"))[0]).toContain(settings('50', 100))
  })

  it('run a saved query over as many hours as they are told', async () => {
    const [result = ''] = await bash("insights 'What failed' 24")
    const [, start, end] = /--start-time (\d+) --end-time (\d+)/.exec(result) ?? []
    expect(Number(end) - Number(start)).toBe(24 * 3600)
  })

  it('stop all functions that write', async () => {
    const result = await bash('set -x; stopWrites 2>&1')
    const stopped = result.flatMap(
      (line) => /^\++ aws .*put.*--function-name (\w+) .*executions 0$/.exec(line)?.[1] ?? [],
    )
    expect(stopped).toEqual(['create', 'thumbsUp'])
    expect(result.at(-1)).toBe('Nothing is written any more. To go on: resetFunctions')
  })

  it.each([
    ['missing', 255, 'Cannot wait for missing: ResourceNotFoundException'],
    ['interrupted', 130, ''],
    ['slow', 1, 'After twelve hours, slow is still CREATING.'],
    ['ready', 0, ''],
  ])('wait for a table that is %s, and end with %i', async (table, code, message) => {
    const lines = await bash(`{ waitForTable ${table}; echo "$?"; } 2>&1`)
    expect(lines).toEqual([message, `${code}`].filter(Boolean))
  })

  it('fail in a drill whose joke does not come back, and say how to take it back', async () => {
    const result = await bash(`. ${FUNCTIONS} JokeService-staging > /dev/null; { drill; echo "$?"; } 2>&1`)
    const takeBack = /bin\/jokes restore --from JokeService-staging-drill --missing --stack JokeService-staging$/
    expect(result[0]).toMatch(takeBack)
    expect(result.slice(-2)).toEqual([expect.stringMatching(/^The joke .* is not as it was: /), '1'])
  })

  it.each([
    ["insights 'What failed' abc", /^Usage: insights QUERY \[HOURS\]/],
    ['insights', /^Usage: insights/],
    ['insights Nothing', /^The stack JokeService has no saved query 'Nothing'\./],
    ["throttle 'GET /joke' abc", /^Usage: throttle ROUTE RATE, above 0/],
    ["throttle 'GET /joke' 0", /^Usage: throttle/],
    ["throttle 'GET /jokes' 5", /^There is no route GET \/jokes\./],
    ["throttle 'GET /expired' 5", /^Unable to locate credentials/],
    ['addedBy last 203.0.113.7', /^Usage: addedBy last\|before-last ADDRESS HOURS/],
    ['addedBy first 203.0.113.7 24', /^Usage: addedBy/],
    ['addedBy last 192.0.2.1 24', /^Nothing was added by 192\.0\.2\.1 \(last\) in the last 24 hours\./],
    ['drill', /^The drill deletes a joke: try it on another stage/],
    ['heedAlarms no', /^Usage: heedAlarms true\|false/],
    ['resetAll dev', /^Usage: resetAll\n/],
    [`. ${FUNCTIONS} JokeService-other`, /^Cannot read the stack JokeService-other: It does not exist\n/],
    [`. ${FUNCTIONS} JokeService-other; resetAll`, /\nRead a stack first: /],
    [`. ${FUNCTIONS} JokeService-failed`, /^The stack JokeService-failed has no output .+ see first-deploy-failed\.md/],
    [`unset JOKE_STACK; . ${FUNCTIONS}`, /^Name the stack: /],
  ])('%s is refused in a sentence, and does nothing', async (command, message) => {
    const result = await bash(`{ ${command}; } 2>&1 || echo "and fails with $?"`)
    expect(result.join('\n')).toMatch(message)
    expect([result.length, result.at(-1)]).toEqual([command.includes('; resetAll') ? 3 : 2, 'and fails with 1'])
  })

  /** Runs a command after loading the functions. `aws` answers with these events, or its arguments. */
  async function bash(command: string, events = ''): Promise<string[]> {
    const answers = `*-other*) echo It does not exist; return 254 ;; *-failed*) echo None ;; *describe-stacks*) printf '%b' "$OUTPUTS" ;;
      *filter-log-events*) printf '%s' "$EVENTS" ;; *jokes*) echo False ;; *expired*) echo Unable to locate credentials >&2; return 1 ;; *contains*) echo True ;;
      *Nothing*) echo None ;; *'--query status'*) echo Complete ;; *describe-table*missing*) echo ResourceNotFoundException; return 254 ;;
      *describe-table*interrupted*) return 130 ;; *describe-table*slow*) echo CREATING ;; *describe-table*) echo ACTIVE ;; *) echo "$*" ;;`
    const script = `sleep() { ((SECONDS += $1)); }; bin/jokes() { :; }; aws() { case "$*" in ${answers} esac }\n. ${FUNCTIONS} ${production} > /dev/null && ${command}`
    const env = {
      PATH: process.env.PATH,
      EVENTS: events,
      OUTPUTS: 'ApiId\\tid\\nCreateFunction\\tcreate\\nThumbsUpFunction\\tthumbsUp\\nJokesTable\\ttable',
    }
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
    return stdout.trim().split('\n')
  }
})

describe('settings', () => {
  it('are all in operations.md, with their defaults', () => {
    const rows = tableAfter(text['docs/operations.md'] ?? '', '## Settings')
    const documented: Record<string, unknown> = {}
    for (const [names = '', defaults = ''] of rows) {
      const values = defaults.replaceAll('`', '').split(/, (?!\w+ )/)
      for (const [index, [, name = '']] of [...names.matchAll(/`(\w+)`/g)].entries()) documented[name] = values[index]
    }
    const names = Object.keys(documented)
    expect(names.toSorted()).toEqual(Object.keys(Settings.entries).toSorted())
    expect(rows.flatMap(([cell = '']) => cell.match(/`\w+`/g) ?? [])).toHaveLength(names.length)
    for (const [name, value] of Object.entries(settingsOf({}))) expect(documented[name], name).toBe(String(value))
  })

  it('in the documents are accepted', () => {
    const [, context = ''] = /^ *"context": (\{.+?\})\n *```/ms.exec(text['docs/operations.md'] ?? '') ?? []
    const production = JSON.parse(context).stages.prod
    expect(Object.keys(production)).toEqual(['alarmEmail', 'repository', 'account', 'region'])
    const [, flood = ''] = /`("approval": .+?)` to `prod`/.exec(text['docs/runbooks/spam-flood.md'] ?? '') ?? []
    const stages = { prod: { ...production, ...JSON.parse(`{${flood}}`) } }
    expect(settingsOf({ stage: 'prod', stages })).toMatchObject({ approval: 'on' })
  })
})

it('links between documents and to sections work, and files that they name exist', () => {
  for (const [file, content] of Object.entries(text)) {
    for (const [, target = '', section] of content.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
      const path = target ? join(dirname(file), target) : file
      expect(existsSync(path), `${file}: ${target}`).toBe(true)
      if (section) expect(sectionsOf(readFileSync(path, 'utf8')), file).toContain(section)
    }
    for (const [, path = ''] of content.matchAll(/`((?:docs|functions|infra|shared|test|tools|web)\/[\w./-]+)`/g))
      expect(existsSync(path), `${file}: ${path}`).toBe(true)
  }
})

function flagsIn(options: string): string[] {
  return options.match(/(?<= )--?[a-z][a-z-]*/g) ?? []
}

/** The text that explains the options of a script. */
function helpOf(script = ''): string {
  const [program, file = ''] = script.split(' ')
  if (/^(npx )?cdk/.test(script)) return cdkHelp
  if (program === 'bin/jokes') return execFileSync(process.execPath, [program, file, '--help'], { encoding: 'utf8' })
  // A tool's usage is at the top of its file.
  return program === 'node' ? readFileSync(file, 'utf8') : ''
}
