/** The documents: their npm and CDK commands, their links and the outputs that they name exist. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { STORE_USAGE } from '../../tools/chooseStore.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import { sectionsOf } from '../support/markdown.ts'
import { serviceTemplate } from '../support/templates.ts'

const RUNBOOKS = globSync('docs/runbooks/*.md')
const FILES = [...globSync('{*,docs/*}.md'), ...RUNBOOKS]
const text = Object.fromEntries(FILES.map((file) => [file, readFileSync(file, 'utf8')]))
const scripts: Record<string, string> = manifest.scripts

const service = serviceTemplate({ stages: { prod: { alarmEmail: 'oncall@example.com' } } })

/** Lines on the screen of a laptop. */
const LINES_OF_A_SCREEN = 40

describe('a runbook', () => {
  it.each(RUNBOOKS)('%s fits a screen, starts with its symptoms and ends with "Done when"', (file) => {
    const [title, empty, ...lines] = text[file]?.trimEnd().split('\n') ?? []
    expect(title).toMatch(/^# [A-Z]/)
    expect([empty, lines[0]]).toEqual(['', expect.stringMatching(/^\*\*Symptoms\*\*: /)])
    const end = lines.lastIndexOf('')
    expect(lines[end + 1]).toMatch(/^\*\*Done when\*\* /)
    expect(lines.length).toBeLessThanOrEqual(LINES_OF_A_SCREEN)
    expect(text['docs/operations.md']).toContain(file.replace('docs/', ''))
  })

  it.each(RUNBOOKS)('%s uses only outputs that exist, and loads them', (file) => {
    const names = [...(text[file]?.matchAll(/\$\{?([A-Z][A-Za-z]+[a-z][A-Za-z]*)\}?/g) ?? [])].map(([, name]) => name)
    const { Outputs } = service.toJSON()
    expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(names))
    if (names.length > 0) expect(text[file]).toContain('. docs/runbooks/outputs.sh')
  })
})

describe('a command', () => {
  const commands: { name: string; command: string; lost: string[]; flags: string[]; script: string | undefined }[] = []
  for (const [file, content] of Object.entries(text))
    for (const [, tool, name = '', rest = ''] of content.matchAll(
      /\b(npm run|npx cdk) (?:--silent )?([a-z:]+)([^`\n|;&#]*)/g,
    )) {
      const [forNpm = '', ...forScript] = tool === 'npm run' ? rest.split(/ --(?= )/) : ['', rest]
      commands.push({
        name,
        command: `${tool} ${name}${rest.trimEnd()} (${file})`,
        lost: flagsIn(forNpm),
        flags: flagsIn(forScript.join()),
        script: tool === 'npm run' ? scripts[name] : `cdk ${name}`,
      })
    }

  function flagsIn(options: string): string[] {
    return options.match(/(?<= )--?[a-z][a-z-]*/g) ?? []
  }

  it.each(commands.map((command): [string, typeof command] => [command.command, command]))(
    'exists: %s',
    async (_, { name, script, lost, flags }) => {
      expect(script, name).toBeDefined()
      // npm takes options before -- for its own, and drops them.
      expect(lost).toEqual([])
      if (flags.length === 0) return
      const help = await helpOf(script ?? '')
      for (const flag of flags) expect(help).toMatch(new RegExp(`(?<![\\w-])${flag}(?![\\w-])`))
    },
  )
})

it('README.md asks for a first joke in its own language, though the samples have several', () => {
  const [, category] = /Accept: text\/plain' '.*&category=(\w+)'/.exec(text['README.md'] ?? '') ?? []
  const jokes = samples.filter((sample) => sample.category === category)
  expect(jokes).not.toEqual([])
  for (const { joke, punchline } of jokes)
    expect(`${joke} ${punchline}`).toMatch(/\b(the|is|has|have|does|did|it|for|too)\b/i)
})

it('links between documents and to sections work', () => {
  for (const [file, content] of Object.entries(text))
    for (const [, target = '', section] of content.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#([^)]+))?\)/g)) {
      const path = join(dirname(file), target)
      expect(existsSync(path), `${file}: ${target}`).toBe(true)
      if (section) expect(sectionsOf(readFileSync(path, 'utf8'))).toContain(section)
    }
  for (const [file, content] of Object.entries(text))
    for (const [, section] of content.matchAll(/\]\(#([^)]+)\)/g)) expect(sectionsOf(content), file).toContain(section)
})

it('files that the documents name exist', () => {
  for (const [file, content] of Object.entries(text))
    for (const [, path = ''] of content.matchAll(/`((?:docs|functions|infra|shared|test|tools|web)\/[\w./-]+)`/g))
      expect(existsSync(path), `${file}: ${path}`).toBe(true)
})

it('the test files named beside the promises exist', () => {
  const names = [...(text['docs/promises.md']?.matchAll(/\| (\w+\/\w+) \|$/gm) ?? [])].map(([, name]) => name)
  expect(names).toContain('dynoxide/faults')
  for (const name of names) expect(existsSync(`test/${name}.test.ts`), name).toBe(true)
})

/** The text that explains the options of a script. */
async function helpOf(script: string): Promise<string> {
  const [program, file = ''] = script.split(' ')
  if (program === 'cdk') return helpOfCdk()
  if (program !== 'node') return ''
  // A tool's usage is at the top of its file.
  const source = readFileSync(file, 'utf8')
  return source.includes('STORE_USAGE') ? `${source} ${STORE_USAGE}` : source
}

let cdkHelp: Promise<string> | undefined

/** Asks once, which takes a second: for the options of `cdk deploy`, and those of all commands of CDK. */
function helpOfCdk(): Promise<string> {
  const cdk = ['node_modules/aws-cdk/bin/cdk', 'deploy', '--help']
  cdkHelp ??= promisify(execFile)(process.execPath, cdk).then(({ stdout }) => stdout)
  return cdkHelp
}
