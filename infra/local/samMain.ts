/**
 * `npm run sam`: the functions as on AWS, in containers of `sam local`, with the database of `npm start`. The arguments
 * are a command of `sam local`. Only SAM writes to stdout, because programs read there what `invoke` returns.
 */
import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { configOf, createTable, startDynalite, tableOfEnvironment } from './localDatabase.ts'
import { CannotStart, dataFolder, fail } from './startup.ts'

/** The name of this machine in containers. Docker Desktop defines it, but Docker on Linux does not. */
const DOCKER_HOST = 'host.docker.internal'
const [command = 'start-api', ...options] = process.argv.slice(2)

try {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop.abort())
  await run('sam', ['--version'], 2, stop.signal)
  const bridge = await addressOfBridge()
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

/** Returns the address of this machine in Docker's network on Linux. Docker Desktop passes connections on to 127.0.0.1. */
async function addressOfBridge(): Promise<string | undefined> {
  // Node.js does not list the bridge while no container runs.
  const { stdout } = await promisify(execFile)('ip', ['-4', 'address', 'show', 'docker0']).catch(() => ({ stdout: '' }))
  return /inet ([\d.]+)/.exec(stdout)?.[1]
}

/**
 * Runs a program until it ends, and returns its exit code. Its stdout is this file descriptor. In a session of its own, it
 * gets one signal to stop instead of another one from the terminal, so that it can remove its containers.
 *
 * @throws {CannotStart} if the program is missing
 */
async function run(program: string, args: string[], stdout: number, signal: AbortSignal): Promise<number> {
  const child = spawn(program, args, { stdio: ['inherit', stdout, 'inherit'], detached: true, signal })
  return await new Promise((resolve, reject) => {
    child.on('error', ({ message }) => {
      if (!signal.aborted) reject(new CannotStart(`Cannot run ${program}: ${message}. Is it installed?`))
    })
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
