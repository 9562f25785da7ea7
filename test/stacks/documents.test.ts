/** The links and commands of the documents. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { sectionsOf } from '../support/markdown.ts'

const DOCUMENTS = [...globSync('*.md'), ...globSync('docs/*.md')]

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

it('commands in documents parse and exist', () => {
  const text = DOCUMENTS.map((file) => readFileSync(file, 'utf8')).join('\n')
  const blocks = Array.from(text.matchAll(/```sh\n(.*?)```/gs), ([, code]) => `${code}`.trim())
  execFileSync('bash', ['-n'], { input: blocks.join('\n') })
  const named = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, name]) => name)
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(named(/\bnpm run ([\w:]+)/g)))
  const help = execFileSync(resolve('bin/jokes'), { encoding: 'utf8' })
  const commands = Array.from(help.matchAll(/^ {2}([a-z]+) /gm), ([, name]) => name)
  expect(commands).toEqual(expect.arrayContaining(named(/\bbin\/jokes ([a-z]+)/g)))
})
