/** The stage that a rehearsal makes, and the commands that work on it: the same that an operator runs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { CannotContinue } from '../../tools/commandLine.ts'
import { PAGE_REGION } from '../page/jokePage.ts'
import { type Settings, stackName } from '../settings.ts'

/** The stacks of a rehearsal have this tag, so it can destroy no others. */
const TAG = 'rehearsal'

const WAIT_MS = 5_000

const ROOT = join(import.meta.dirname, '../..')

/** Something that a stack has made, or that was made beside it. */
interface Thing {
  type: string
  name: string
  region: string
}

export class Stage {
  readonly settings: Settings
  readonly stack: string
  readonly page: string
  /** The table that a drill which ended early has left. */
  readonly drillTable: string
  readonly region: string
  /** An emulation takes requests in the place of AWS. */
  readonly isEmulated = process.env.AWS_ENDPOINT_URL !== undefined
  /** What the destroyed stacks had made, by name. */
  readonly things = new Map<string, Thing>()
  readonly #options: string[]
  readonly #stop: AbortSignal

  /** @param stop ends commands, apart from deploys and what cleans up */
  constructor(settings: Settings, context: string[], stop: AbortSignal) {
    const { JOKE_STACK: read } = process.env
    if (read) throw new CannotContinue(`This shell works on ${read}. Open another one for a rehearsal.`)
    const region = settings.region ?? process.env.AWS_REGION
    if (region === undefined) throw new CannotContinue('Name the region: export AWS_REGION=eu-west-1, for example.')
    // For the commands, and for the store.
    process.env.AWS_REGION = region
    this.settings = settings
    this.stack = stackName(settings)
    this.page = `Page-${this.stack}`
    this.drillTable = `${this.stack}-drill`
    this.region = region
    this.#options = context.flatMap((setting) => ['-c', setting])
    this.#stop = stop
  }

  /** @throws {CannotContinue} if one of the stacks exists */
  async expectNew(): Promise<void> {
    for (const stack of [this.stack, this.page])
      if (await this.has(stack)) throw new CannotContinue(`${stack} exists. A rehearsal needs a stage of its own.`)
  }

  async describeAccount(): Promise<string> {
    const account = await this.aws('sts get-caller-identity --query Account')
    return `the account ${account}, ${this.region}${this.isEmulated ? ', of an emulation' : ''}`
  }

  /** Deploys one of the stacks. Goes on after a signal, as CloudFormation would. */
  async deploy(script: 'deploy' | 'deploy:page'): Promise<void> {
    await this.#cdk(['npm', 'run', '--silent', script, '--'])
  }

  /** Deploys the service's stack with a version of a function; if it `fails`, after the version is made. */
  async deployVersion({ fails }: { fails: boolean }): Promise<void> {
    const command = ['npx', 'cdk', 'deploy', '--app', 'node infra/rehearsal/versionApp.ts']
    await this.#cdk(command, fails ? { REHEARSED_FAILURE: 'yes' } : {})
  }

  /** Destroys one of the stacks, if it exists. @throws {CannotContinue} if it is not a rehearsal's */
  async destroy(stack: string): Promise<void> {
    if (!(await this.has(stack))) return
    const tag = await this.describe(stack, `Tags[?Key=='${TAG}'].Value`)
    if (tag === '') throw new CannotContinue(`${stack} is not a rehearsal's: it lacks the tag ${TAG}.`)
    await this.#note(stack)
    const app = stack === this.page ? ['--app', 'node infra/pageApp.ts'] : []
    await run(['npx', 'cdk', 'destroy', '--force', ...this.#options, ...app], { isShown: true })
  }

  /** Runs a command of AWS, written in one line, or in several arguments if one has spaces. Returns its text. */
  async aws(command: string, ...more: string[]): Promise<string> {
    return run(['aws', ...command.split(' '), ...more, '--output', 'text'])
  }

  /** Part of a stack's description, as text. */
  async describe(stack: string, query: string): Promise<string> {
    const command = `cloudformation describe-stacks --stack-name ${stack} --region ${this.regionOf(stack)} --query`
    return this.aws(command, `Stacks[0].${query}`)
  }

  async has(stack: string): Promise<boolean> {
    try {
      await this.describe(stack, 'StackName')
      return true
    } catch (error) {
      if (error instanceof CommandFailed && error.output.includes('does not exist')) return false
      throw error
    }
  }

  /** The value of a stack's output. */
  async output(name: string, stack = this.stack): Promise<string> {
    const value = await this.describe(stack, `Outputs[?OutputKey=='${name}'].OutputValue`)
    if (value === '') throw new CannotContinue(`${stack} has no output ${name}.`)
    return value
  }

  /** Runs functions of the runbooks, in a shell that has read the stack. */
  async runbook(script: string): Promise<string> {
    const command = `. docs/runbooks/outputs.sh ${this.stack} > /dev/null && ${script}`
    return run(['bash', '-c', command], { stop: this.#stop, isShown: true })
  }

  async npm(script: string, ...args: string[]): Promise<string> {
    return run(['npm', 'run', '--silent', script, '--', ...args], { stop: this.#stop, isShown: true })
  }

  /** Asks every few seconds until there is an answer. @throws {CannotContinue} if there is none in time */
  async until<Answer>(minutes: number, what: string, ask: () => Promise<Answer | undefined>): Promise<Answer> {
    for (const end = Date.now() + 60_000 * minutes; Date.now() < end; ) {
      const answer = await ask()
      if (answer !== undefined) return answer
      await setTimeout(WAIT_MS, undefined, { signal: this.#stop })
    }
    throw new CannotContinue(`After ${minutes} minutes: ${what}.`)
  }

  regionOf(stack: string): string {
    return stack === this.page ? PAGE_REGION : this.region
  }

  async #cdk(command: string[], environment: NodeJS.ProcessEnv = {}): Promise<void> {
    this.#stop.throwIfAborted()
    // moto, for one, knows only this method.
    const method = this.isEmulated ? ['--method=direct', '--no-previous-parameters'] : []
    const options = [...this.#options, '--tags', `${TAG}=yes`, '--require-approval', 'never', ...method]
    await run([...command, ...options], { isShown: true, environment })
    this.#stop.throwIfAborted()
  }

  async #note(stack: string): Promise<void> {
    const region = this.regionOf(stack)
    const query = 'StackResourceSummaries[?PhysicalResourceId].[ResourceType,PhysicalResourceId]'
    const command = `cloudformation list-stack-resources --stack-name ${stack} --region ${region} --query`
    for (const line of (await this.aws(command, query)).split('\n')) {
      const [type = '', name = ''] = line.split('\t')
      this.things.set(name, { type, name, region })
      // Lambda makes it for the CDK's own functions.
      const log = `/aws/lambda/${name}`
      if (type === 'AWS::Lambda::Function') this.things.set(log, { type: 'AWS::Logs::LogGroup', name: log, region })
    }
  }
}

interface Running {
  /** Ends the command. */
  stop?: AbortSignal
  /** Prints what the command prints, meanwhile. */
  isShown?: boolean
  environment?: NodeJS.ProcessEnv
}

/** A command has failed, or was ended. */
class CommandFailed extends CannotContinue {
  /** All that it has printed. */
  readonly output: string

  constructor(command: string, code: number | null, output: string) {
    super(`${command} ended with ${code}: ${output.trim().split('\n').slice(-3).join('\n')}`)
    this.output = output
  }
}

/** Returns what the command has printed on standard output. */
async function run(line: string[], { stop, isShown = false, environment }: Running = {}): Promise<string> {
  stop?.throwIfAborted()
  const [command = '', ...args] = line
  // A group of its own: Ctrl+C would otherwise reach deploys and what cleans up.
  const options = { cwd: ROOT, detached: true, env: { ...process.env, ...environment } }
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const end = () => child.pid && process.kill(-child.pid)
  stop?.addEventListener('abort', end)
  const [printed, output]: [string[], string[]] = [[], []]
  child.stdout.on('data', (chunk) => printed.push(String(chunk)))
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output.push(String(chunk))
      if (isShown) process.stderr.write(chunk)
    })
  try {
    const [code] = await once(child, 'close')
    if (code !== 0) throw new CommandFailed(line.slice(0, 3).join(' '), code, output.join(''))
    return printed.join('').trim()
  } finally {
    stop?.removeEventListener('abort', end)
  }
}
