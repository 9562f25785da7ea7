import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

/** Used by what nobody imports. */
const USED_OTHERWISE: Record<string, string> = {
  esbuild: 'the CDK bundles the functions with it',
  node: 'every script runs on it',
}

const sources = [...globSync('{functions,shared,infra,test,tools,web}/**/*.{ts,tsx}'), ...globSync('*.{ts,json}')]
  .filter((file) => !file.startsWith('package'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies })

it.each(names)('%s is used', (name) => {
  expect(isImported(name) || isRun(name) || isTypesOfUsed(name) || name in USED_OTHERWISE).toBe(true)
})

it.each(Object.keys(USED_OTHERWISE))('%s is an exception that is needed', (name) => {
  expect(names).toContain(name)
})

function isImported(name: string): boolean {
  return sources.includes(`'${name}'`) || sources.includes(`'${name}/`) || sources.includes(`node_modules/${name}/`)
}

/** Whether a script of package.json runs one of its commands. */
function isRun(name: string): boolean {
  const { bin = {} } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'))
  const commands = typeof bin === 'string' ? [name] : Object.keys(bin)
  const words = Object.values(manifest.scripts).flatMap((script) => script.split(' '))
  return commands.some((command) => words.includes(command))
}

/** Whether it holds the types of something used, or is named in tsconfig.json. */
function isTypesOfUsed(name: string): boolean {
  const typed = /^@types\/(.+)$/.exec(name)?.[1]
  return typed !== undefined && (isImported(typed) || sources.includes(`"${typed}"`))
}
