/** Tests `bin/jokes`, which starts the commands. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

/** Starts a program with the Node.js of this process in its path. */
function start(program: string, args: string[], cwd = '/') {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, NODE_COMPILE_CACHE: '' }
  const child = spawn(program, args, { cwd, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function resultOf(child: ReturnType<typeof start>) {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

/** Creates a project. Its Node.js has another version, and is a shell script. */
function projectWith(version: string, script: string): string {
  const folder = temporaryFolder()
  const node = join(folder, 'node_modules/node')
  for (const name of ['bin', 'tools', 'node_modules/node/bin']) mkdirSync(join(folder, name), { recursive: true })
  copyFileSync('bin/jokes', join(folder, 'bin/jokes'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(join(node, 'package.json'), JSON.stringify({ version, bin: { node: 'bin/node' } }))
  writeFileSync(join(node, 'bin/node'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(node, 'bin/node'), 0o755)
  return folder
}

it('bin/jokes works from any folder', async () => {
  const folder = temporaryFolder()
  symlinkSync(resolve('bin/jokes'), join(folder, 'link'))
  for (const program of [resolve('bin/jokes'), './link']) {
    const { code, stdout } = await resultOf(start(program, ['import', '--help'], folder))
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: bin\/jokes import /)])
  }
})

it('a command finishes its work if nobody reads its output any more', async () => {
  const work = `import('${resolve('tools/main.ts')}').then(async ({ main }) => {
    await main(['--version'])
    for (let line = 0; line < 5; line++) {
      await new Promise((next) => setTimeout(next, 50))
      console.log(line)
      console.error(line)
    }
    process.exitCode = 7
  })`
  const child = start(process.execPath, ['--eval', work])
  child.stdout.destroy()
  child.stderr.destroy()
  expect(await once(child, 'close')).toEqual([7, null])
})

describe('a project with another Node.js', () => {
  it('bin/jokes passes arguments, input and exit code through another Node.js', async () => {
    const folder = projectWith('99.1.0', 'read line; echo "$# $2 $3 $line"; echo trouble >&2; exit 7')
    const child = start(join(folder, 'bin/jokes'), ['a b', ''])
    child.stdin.end('typed\n')
    expect(await resultOf(child)).toEqual({ code: 7, stdout: '3 a b  typed\n', stderr: 'trouble\n' })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('bin/jokes passes %s on to the other Node.js', async (signal) => {
    const stop = `process.on('${signal}', () => setTimeout(() => { console.log('stopped'); process.exit(1) }, 100))`
    const script = `exec ${process.execPath} -e "${stop}; setInterval(() => {}, 1e6); console.log('ready')"`
    const child = start(join(projectWith('99.1.0', script), 'bin/jokes'), [])
    child.stdout.once('data', () => child.kill(signal))
    expect(await resultOf(child)).toEqual({ code: 1, stdout: 'ready\nstopped\n', stderr: '' })
  })
})

it("bin/jokes uses the Node.js that runs it without the project's", async () => {
  const folder = projectWith('99.1.0', '')
  writeFileSync(join(folder, 'tools/main.ts'), 'export const main = (args: string[]) => console.log("ran", ...args)')
  rmSync(join(folder, 'node_modules/node/bin/node'))
  const result = await resultOf(start(process.execPath, [join(folder, 'bin/jokes'), '--help']))
  expect(result).toEqual({ code: 0, stdout: 'ran --help\n', stderr: '' })
})
