/** GitHub's workflows: what is deployed, where first, and in which order. */
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

const read = (name: string) => readFileSync(`.github/workflows/${name}.yml`, 'utf8')

it('deploys to staging first, with a smoke test that writes, and then to production', () => {
  const [, staging = '', production = ''] = read('deploy').split(/^ {2}(?:staging|production):$/m)
  expect(staging).toMatch(/environment: staging\n\s+stack: JokeService-staging\n\s+options: -c stage=staging/)
  expect(staging).toContain('smoke: --write --stack JokeService-staging')
  expect(production).toMatch(/^\s+needs: staging$/m)
  expect(production).toMatch(/environment: production\n\s+stack: JokeService$/m)
})

it('deploys only what has passed CI on main, one commit at a time', () => {
  const workflow = read('deploy')
  expect(workflow).toMatch(/workflow_run:\n\s+workflows: \[CI\]\n\s+types: \[completed\]\n\s+branches: \[main\]/)
  expect(workflow).toContain("workflow_run.conclusion == 'success' && github.event.workflow_run.event == 'push'")
  expect(workflow).toMatch(/^concurrency:\n {2}group: deploy$/m)
  expect(read('deploy-stage')).toMatch(/ref: \S+ github\.event\.workflow_run\.head_sha }}/)
})

describe.skipIf(spawnSync('git', ['--version']).error)('a deploy', () => {
  const [, script = ''] = /Refuse to go back.*\n {8}run: \|\n((?: {10}.*\n)+)/.exec(read('deploy-stage')) ?? []

  /** Runs the step in a repository with three commits, of which the second is checked out. */
  function refuses(deployed: (commits: string[]) => string): boolean {
    const folder = temporaryFolder()
    const run = (file: string, ...args: string[]) =>
      spawnSync(file, args, {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: `${folder}${delimiter}${process.env.PATH}`, HOME: folder, STACK: 'JokeService' },
      })
    const git = (...args: string[]) => run('git', '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args)
    git('init', '--quiet')
    const commits = ['one', 'two', 'three'].map((message) => {
      git('commit', '--quiet', '--allow-empty', '-m', message)
      return git('rev-parse', 'HEAD').stdout.trim()
    })
    git('checkout', '--quiet', `${commits[1]}`)
    writeFileSync(join(folder, 'aws'), `#!/bin/sh\necho ${deployed(commits)}\n`)
    chmodSync(join(folder, 'aws'), 0o755)
    const { status, stdout } = run('bash', '-e', '-c', script)
    expect([0, 1]).toContain(status)
    expect(stdout.includes('::error::JokeService has a newer commit')).toBe(status === 1)
    return status === 1
  }

  it.each<[string, boolean, (commits: string[]) => string]>([
    ['no stack yet', false, () => ''],
    ['an older commit', false, ([one]) => `${one}`],
    ['the same commit, deployed by hand', false, ([, two]) => `${two}-dirty`],
    ['a commit of another branch', false, () => 'f'.repeat(40)],
    ['a newer commit', true, ([, , three]) => `${three}`],
    ['a newer commit, deployed by hand', true, ([, , three]) => `${three}-dirty`],
  ])('over %s is refused: %s', (_, expected, deployed) => {
    expect(refuses(deployed)).toBe(expected)
  })
})
