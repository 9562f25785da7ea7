/** A browser for the tests: the Chromium that npm installs, or an installed Chrome. */
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium, type LaunchOptions } from 'playwright-core'
import type { TestProject } from 'vitest/node'

/**
 * Global setup: unpacks the first browser that runs here, so that each test file only launches it. If none does, warns.
 *
 * @throws {Error} instead of the warning if `CI` is set, because CI must not skip tests
 */
export default async function setUp(project: TestProject): Promise<void> {
  const reasons: string[] = []
  for (const find of [findBundled, findInstalled]) {
    try {
      const options = await find()
      await (await chromium.launch(options)).close()
      return project.provide('browser', options)
    } catch (error) {
      reasons.push(`${find.name}: ${String(error).split('\n', 1)[0]}`)
    }
  }
  const message = `No browser runs here. Install Chrome to run the tests in a browser.\n${reasons.join('\n')}`
  if (process.env.CI) throw new Error(message)
  console.warn(`SKIPPED: all tests in a browser. ${message}`)
}

/** With the package's libraries and fonts of Amazon Linux, because a minimal Linux has none. */
async function findBundled(): Promise<LaunchOptions> {
  const { default: bundled, inflate } = await import('@sparticuz/chromium')
  const main = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  await inflate(join(dirname(main), '../bin/al2023.tar.br'))
  const [LD_LIBRARY_PATH, FONTCONFIG_PATH] = [join(tmpdir(), 'al2023/lib'), join(tmpdir(), 'fonts')]
  const env = { ...process.env, LD_LIBRARY_PATH, FONTCONFIG_PATH }
  // This build for Lambda has no graphics and no sandbox.
  return { executablePath: await bundled.executablePath(), args: ['--no-sandbox', '--disable-gpu'], env }
}

async function findInstalled(): Promise<LaunchOptions> {
  return { channel: 'chrome' }
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The options to launch the browser, or `undefined` if this machine has none. */
    browser: LaunchOptions | undefined
  }
}
