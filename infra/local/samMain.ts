/**
 * `npm run sam`: the functions as on AWS, in containers of `sam local`, with the database of `npm start`. The arguments
 * are a command of `sam local`. Only SAM writes to stdout, because programs read there what `invoke` returns.
 */
import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { promisify } from 'node:util'
import { codeOf } from './causes.ts'
import { configOf, createTable, startDynalite, tableOfEnvironment } from './localDatabase.ts'
import { CannotStart, dataFolder, fail } from './startup.ts'

/** The name of this machine in containers. Docker Desktop defines it, but Docker on Linux does not. */
const DOCKER_HOST = 'host.docker.internal'
const [command = 'start-api', ...options] = process.argv.slice(2)

try {
  await outputOf('sam', '--version')
  const bridge = await addressOfBridge()
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop.abort())
  const database = await startDynalite(dataFolder(), bridge)
  const table = tableOfEnvironment()
  await createTable(table, configOf(database.endpoint))

  process.env.SAM_DATABASE_ENDPOINT = `http://${DOCKER_HOST}:${new URL(database.endpoint).port}`
  const synth = ['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet']
  process.exitCode = await run(process.execPath, synth, 2, stop.signal)
  if (process.exitCode === 0) {
    writeFileSync('cdk.out/environment.json', JSON.stringify({ Parameters: { JOKES_TABLE: table } }))
    const local = ['local', command, '--template', 'cdk.out/JokeService-sam.template.json']
    local.push('--env-vars', 'cdk.out/environment.json')
    if (bridge !== undefined) local.push('--add-host', `${DOCKER_HOST}:host-gateway`)
    if (command === 'start-api') local.push('--warm-containers', 'LAZY')
    process.exitCode = await run('sam', [...local, ...options], 1, stop.signal)
  }
  database.stop()
  process.exit()
} catch (error) {
  fail(error)
}

/**
 * Returns the address of this machine in Docker's network, if Docker runs on this machine. If it runs in a virtual
 * machine, as Docker Desktop does, it passes connections on to 127.0.0.1.
 */
async function addressOfBridge(): Promise<string | undefined> {
  const format = '{{index .Options "com.docker.network.bridge.name"}}'
  const bridge = await outputOf('docker', 'network', 'inspect', 'bridge', '--format', format)
  // Node.js does not list the bridge while no container runs, and some versions of Docker do not tell its address.
  const shown = await outputOf('ip', '-4', 'address', 'show', bridge.trim()).catch(() => '')
  return /inet ([\d.]+)/.exec(shown)?.[1]
}

/** Returns what a program prints. @throws {CannotStart} if it is missing or fails */
async function outputOf(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args).catch((error) => {
    const reason = codeOf(error) === 'ENOENT' ? 'it is missing. Install it.' : error.stderr.trim()
    throw new CannotStart(`npm run sam needs ${program}: ${reason}`)
  })
  return stdout
}

/**
 * Runs a program until it ends. Its stdout is this file descriptor. In a session of its own, it gets one signal to stop
 * instead of another one from the terminal, so that it can remove its containers. Returns its exit code.
 */
async function run(program: string, args: string[], stdout: number, signal: AbortSignal): Promise<number> {
  const child = spawn(program, args, { stdio: ['inherit', stdout, 'inherit'], detached: true, signal })
  return await new Promise((resolve, reject) => {
    child.on('error', (error) => signal.aborted || reject(error))
    child.on('exit', (code, name) => resolve(code ?? 128 + constants.signals[name ?? 'SIGTERM']))
  })
}
