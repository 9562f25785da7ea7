/** `npm start` as a process of its own. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { Service } from './service.ts'

export type Child = ChildProcessByStdio<null, Readable, Readable>

/** A folder for one test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'jokes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Runs it until the test is finished, or it ends. */
export function run(environment: Record<string, string>, ...options: string[]): Child {
  const child = spawn(process.execPath, [...options, 'infra/local/serviceMain.ts'], {
    env: { PATH: process.env.PATH, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** Runs a command of the operators on the tables of the service that was started last. */
export async function operate(command: 'remove' | 'reindex' | 'restore', ...options: string[]) {
  const child = spawn(process.execPath, [`tools/${command}.ts`, '--local', ...options], {
    env: process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, stdout, stderr }
}

/** Runs it, and waits until it listens. */
export async function start(folder: string) {
  const child = run({ DATA_DIR: join(folder, 'data') })
  const lines: string[] = []
  child.stdout.on('data', (chunk) => lines.push(String(chunk)))
  await once(child.stdout, 'data')
  const url = /http:\S+/.exec(lines.join(''))?.[0]
  return { child, lines, service: new Service(`${url}`, async () => {}) }
}
