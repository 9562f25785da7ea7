/** A browser: the Chromium that npm brings where it runs, otherwise a Chrome that is installed. */
import { arch, platform } from 'node:os'
import { type Browser, chromium as playwright } from 'playwright-core'

/** Keeps Chromium from talking to anybody but the service. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
  '--metrics-recording-only',
]

/** Starts a browser; says so and returns nothing where this machine has none that runs. */
export async function startBrowser(): Promise<Browser | undefined> {
  const ways = platform() === 'linux' && arch() === 'x64' ? [startBundled, startInstalled] : [startInstalled]
  const reasons: string[] = []
  for (const start of ways) {
    try {
      return await start()
    } catch (error) {
      reasons.push(String(error).split('\n', 1)[0] ?? '')
    }
  }
  console.warn(
    'SKIPPED: all tests in a browser, for there is none that runs here. Install Chrome to run them.',
    reasons,
  )
  return undefined
}

async function startBundled(): Promise<Browser> {
  const { default: chromium } = await import('@sparticuz/chromium')
  // It is built for Lambda, where graphics and a sandbox of its own are not to be had.
  const args = [...QUIET, '--no-sandbox', '--disable-gpu']
  return playwright.launch({ executablePath: await chromium.executablePath(), args })
}

function startInstalled(): Promise<Browser> {
  return playwright.launch({ channel: 'chrome', args: QUIET })
}
