/** A browser for the tests: the Chromium that npm installs, or an installed Chrome. */
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

/** Global set-up: one browser for all test files. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startBrowser()
  project.provide('browser', server?.wsEndpoint() ?? '')
  return async () => server?.close()
}

/** The browser of the global set-up; undefined if this machine has none. */
export async function connectBrowser(): Promise<Browser | undefined> {
  const endpoint = inject('browser')
  return endpoint === '' ? undefined : chromium.connect(endpoint)
}

/**
 * Starts the first browser that runs on this machine. If none does, warns and returns undefined.
 *
 * @throws {Error} instead of the warning if `CI` is set, because CI must not skip tests
 */
export async function startBrowser(): Promise<BrowserServer | undefined> {
  const reasons: string[] = []
  for (const start of [startBundled, startBundledWithLibraries, startInstalled]) {
    try {
      return await start()
    } catch (error) {
      reasons.push(`${start.name}: ${String(error).split('\n', 1)[0]}`)
    }
  }
  const message = `No browser runs here. Install Chrome to run the tests in a browser.\n${reasons.join('\n')}`
  if (process.env.CI) throw new Error(message)
  console.warn(`SKIPPED: all tests in a browser. ${message}`)
  return undefined
}

async function startBundled(env = process.env): Promise<BrowserServer> {
  const { default: bundled } = await import('@sparticuz/chromium')
  // This build for Lambda has no graphics and no sandbox.
  const args = ['--no-sandbox', '--disable-gpu']
  return chromium.launchServer({ ...LOCAL, executablePath: await bundled.executablePath(), args, env })
}

/** A minimal Linux lacks libraries such as libnss3, and fonts. The package has those of Amazon Linux. */
async function startBundledWithLibraries(): Promise<BrowserServer> {
  const { inflate } = await import('@sparticuz/chromium')
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  await inflate(join(dirname(main), '../bin/al2023.tar.br'))
  const [LD_LIBRARY_PATH, FONTCONFIG_PATH] = [join(tmpdir(), 'al2023/lib'), join(tmpdir(), 'fonts')]
  return startBundled({ ...process.env, LD_LIBRARY_PATH, FONTCONFIG_PATH })
}

function startInstalled(): Promise<BrowserServer> {
  return chromium.launchServer({ ...LOCAL, channel: 'chrome' })
}

/** A minimal Linux may not know the name localhost. */
const LOCAL = { host: '127.0.0.1' }

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the browser; empty if this machine has none. */
    browser: string
  }
}
