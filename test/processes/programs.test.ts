/** `bin/jokes`, which starts the commands, and `npm run sam` without SAM. Only CI runs it with SAM and Docker. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { resultOf, run, temporaryFolder } from '../support/process.ts'

/** Starts a program where no Node.js is in the path. */
function start(program: string, args: string[]) {
  return resultOf(spawn(program, args, { cwd: dirname(program), env: { PATH: '/usr/bin:/bin' } }))
}

it('bin/jokes works from any folder, and where Node.js has another version', async () => {
  const folder = temporaryFolder()
  symlinkSync(resolve('bin/jokes'), join(folder, 'a link'))
  const usage = expect.stringMatching(/^Usage: bin\/jokes import /)
  for (const program of [resolve('bin/jokes'), join(folder, 'a link')])
    expect(await start(program, ['import', '--help'])).toEqual([0, usage, ''])
})

it('bin/jokes says in one sentence if its Node.js is missing', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'bin'))
  copyFileSync('bin/jokes', join(folder, 'bin/jokes'))
  const message = `Node.js 24 is missing: run npm ci in ${folder}, `
  expect(await start(join(folder, 'bin/jokes'), ['find'])).toEqual([1, '', expect.stringContaining(message)])
})

it('a command finishes its work if nobody reads its output any more', async () => {
  const work = `import('${resolve('tools/program.ts')}').then(async ({ main }) => {
    await main(['--help'])
    for (let line = 0; line < 5; line++) {
      await new Promise((next) => setTimeout(next, 50))
      console.log(line)
      console.error(line)
    }
    process.exitCode = 7
  })`
  const child = run({}, ['--eval', work])
  child.stdout.destroy()
  child.stderr.destroy()
  expect(await once(child, 'close')).toEqual([7, null])
})

it('npm run sam says that SAM is missing before it starts anything', async () => {
  const data = join(temporaryFolder(), 'data')
  const result = await resultOf(run({ DATA_DIR: data }, ['infra/local/samMain.ts'], 'PATH='))
  expect(result).toEqual([1, '', 'Cannot run sam: spawn sam ENOENT. Is it installed?\n'])
  expect(existsSync(data)).toBe(false)
})
