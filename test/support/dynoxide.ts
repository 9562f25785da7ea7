/** Global setup of the tests on dynoxide, in memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { listen } from './listen.ts'

const BINARY = fileURLToPath(new URL('../../node_modules/@dynoxide/linux-x64/dynoxide', import.meta.url))

/** The binary exists for some platforms only. */
export const isDynoxideInstalled = existsSync(BINARY)

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startDynoxide()
  project.provide('endpoint', endpoint)
  return stop
}

/**
 * Starts dynoxide.
 *
 * @param port the port, by default any free one
 * @param source a folder with exported tables and their `schema.json` to import, by default no tables
 */
export async function startDynoxide(port?: number, source?: string) {
  const { server, port: freePort } = await listen()
  server.close()
  port ??= freePort
  const endpoint = `http://127.0.0.1:${port}`
  const command = source ? ['import', '--serve', '--source', source, '--schema', `${source}/schema.json`] : ['serve']
  const child = spawn(BINARY, [...command, '--port', String(port)], { stdio: 'ignore' })
  const isListening = () => fetch(endpoint).then(Boolean, () => false)
  while (child.exitCode === null && !(await isListening())) await setTimeout(20)
  if (child.exitCode !== null) throw new Error(`dynoxide has ended with ${child.exitCode}.`)
  return {
    port,
    endpoint,
    stop: async () => {
      const exit = once(child, 'exit')
      child.kill()
      await exit
    },
  }
}
