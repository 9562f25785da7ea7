/** Runs `npm start` and the operators' commands. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { format } from 'node:util'
import { inject, onTestFinished, vi } from 'vitest'
import type { Store } from '../../shared/store/store.ts'
import { main } from '../../tools/program.ts'
import { Service } from './service.ts'

/** Creates a folder that is deleted after the test, or with `afterAll`, after the tests of the file. */
export function temporaryFolder(after: (deleteFolder: () => void) => void = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'jokes-')))
  after(() => rmSync(folder, { recursive: true }))
  return folder
}

/**
 * Runs a script with its arguments, by default `npm start`. The process is killed after the test, before its folder is
 * deleted.
 *
 * @param limit a shell command that limits the process
 */
export function run(environment: Record<string, string>, script = ['infra/local/serviceMain.ts'], limit = 'true') {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn('sh', ['-c', `${limit} && exec "$0" "$@"`, process.execPath, ...script], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) await end(child, 'SIGKILL')
  })
  return child
}

/** Ends a process with a signal, within half a minute. Returns its exit code once all its output has arrived. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const closed = once(child, 'close', { signal: AbortSignal.timeout(30_000) })
  child.kill(signal)
  const [code] = await closed
  return code
}

/** Waits until a process ends. */
export async function resultOf(
  child: ChildProcess & { stdout: Readable; stderr: Readable },
): Promise<[exitCode: number | null, stdout: string, stderr: string]> {
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return [exitCode, stdout, stderr]
}

/** Runs `npm start`, and waits until it listens. If it ends before, throws an error with its standard error. */
export async function start(folder: string, environment: Record<string, string> = {}) {
  const child = run({ DATA_DIR: join(folder, 'data'), ...environment })
  const failure = text(child.stderr).then((message) => Promise.reject(new Error(`npm start has ended. ${message}`)))
  const [output] = await Promise.race([once(child.stdout, 'data'), failure])
  const url = /http:\S+/.exec(String(output))?.[0]
  return { child, service: new Service(`${url}`) }
}

/** The environment of a process that uses this store. */
export function environmentOf({ jokesTable }: Store) {
  return { AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint'), JOKES_TABLE: jokesTable }
}

/** Runs an operators' command on a local store. */
export async function operate(store: Store, command: string, ...options: string[]) {
  for (const [name, value] of Object.entries(environmentOf(store))) vi.stubEnv(name, value)
  return await runHere(command, ...options).finally(() => vi.unstubAllEnvs())
}

/** Runs a command in this process, ten times as fast as in its own. */
export async function runHere(...args: string[]) {
  using log = vi.spyOn(console, 'log').mockImplementation(() => {})
  using error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { exitCode } = process
  process.exitCode = 0
  try {
    await main(args)
    return { code: Number(process.exitCode), stdout: linesOf(log.mock.calls), stderr: linesOf(error.mock.calls) }
  } finally {
    process.exitCode = exitCode
  }
}

function linesOf(calls: unknown[][]): string {
  return calls.map((values) => `${format(...values)}\n`).join('')
}
