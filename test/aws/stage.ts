/** `npm run test:aws`: deploys a new stage with its page before the tests, and destroys both after them. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

const { STAGE: stage = '', AWS_REGION: region = '' } = process.env
export const stack = `JokeService-${stage}`
export const page = `Page-${stack}`

/** CloudFront accepts firewalls from this region only. */
const PAGE_REGION = 'us-east-1'

/** Whether the commands go to an emulation instead of AWS. */
export const isEmulated = process.env.AWS_ENDPOINT_URL !== undefined

/** Settings of every deploy of the stage, so that a repeated deploy changes nothing. */
const SETTINGS = ['-c', `stage=${stage}`]

let isStopped = false

/** Vitest calls this before the tests, and the function that it returns after them. */
export default async function setUp({ vitest }: TestProject): Promise<() => Promise<void>> {
  if (!/^[a-z]/.test(stage) || stage === 'prod')
    throw new Error('Name a new stage, which will be destroyed: STAGE=trial npm run test:aws')
  if (region === '') throw new Error('Name the region: export AWS_REGION=eu-west-1')
  for (const name of [stack, page])
    if (await exists(name))
      throw new Error(`${name} exists. Name a new stage, or destroy that one: ${DESTROY.join('; ')}`)
  const stop = () => {
    isStopped = true
    process.exitCode = 130
    console.log('Stopping. A deploy that has begun ends, then everything is destroyed.')
    // The promise rejects with the error of the setup, which Vitest reports anyway.
    vitest.cancelCurrentRun('keyboard-input').catch(() => {})
  }
  // Vitest's own listener would exit at once, and leave the stacks behind.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal).on(signal, stop)
  try {
    await deploy(stack)
    await deploy(`Page/${stack}`, '--parameters', `ApiHost=${await output('ApiHost')}`)
  } catch (error) {
    await tearDown()
    throw error
  }
  return tearDown
}

const DESTROY = [`Page/${stack}`, stack].map((name) => `npx cdk destroy ${name} -c stage=${stage}`)

/** Deploys one of the stacks, even if the terminal interrupts it. */
export async function deploy(name: string, ...options: string[]): Promise<void> {
  // Some emulations, such as moto, know only this method.
  const method = isEmulated ? ['--method=direct', '--no-previous-parameters'] : []
  await run('npx', ['cdk', 'deploy', name, ...SETTINGS, '--require-approval', 'never', ...method, ...options])
  if (isStopped) throw new Error('Stopped.')
}

/** Destroys the page first, because it refers to the service. */
async function tearDown(): Promise<void> {
  for (const command of DESTROY) {
    const [program = '', ...args] = `${command} --force`.split(' ')
    await run(program, args).catch((error) => console.error(`${error}`))
  }
  const left = (await Promise.all([leftIn(region), leftIn(PAGE_REGION)])).flat()
  console.log(left.length > 0 ? ['Left:', ...new Set(left)].join('\n  ') : 'Nothing is left.')
  const stacks = left.filter((line) => line.startsWith('stack '))
  if (stacks.length > 0) throw new Error(`To destroy what is left: ${DESTROY.join('; ')}`)
}

/** Lists resources with the name of one of the stacks. The CDK's own functions always leave their logs. */
async function leftIn(region: string): Promise<string[]> {
  const kinds = {
    stack: ['cloudformation describe-stacks', `Stacks[?StackName=='${stack}'||StackName=='${page}'].StackName`],
    table: ['dynamodb list-tables', `TableNames[?contains(@,'${stack}-')]`],
    'log group': ['logs describe-log-groups', `logGroups[?contains(logGroupName,'${stack}-')].logGroupName`],
    bucket: ['s3api list-buckets', `Buckets[?contains(Name,'${stack.toLowerCase()}-')].Name`],
  }
  const found = Object.entries(kinds).map(async ([kind, [command = '', query = '']]) => {
    const names = await aws(command, query, region)
    return names
      .split(/\s+/)
      .flatMap((name) => (name ? [`${kind} ${name}${kind === 'bucket' ? '' : ` in ${region}`}`] : []))
  })
  return (await Promise.all(found)).flat()
}

async function exists(name: string): Promise<boolean> {
  try {
    await describe(name, 'StackStatus')
    return true
  } catch (error) {
    if (`${error}`.includes('does not exist')) return false
    throw error
  }
}

/** An output of one of the stacks. */
export function output(key: string, name = stack): Promise<string> {
  return describe(name, `Outputs[?OutputKey=='${key}'].OutputValue`)
}

function describe(name: string, query: string): Promise<string> {
  const command = `cloudformation describe-stacks --stack-name ${name}`
  return aws(command, `Stacks[0].${query}`, name === page ? PAGE_REGION : region)
}

/** Runs a command of the AWS CLI, written without quotes. Returns the query's result as text. */
export async function aws(command: string, query: string, inRegion = region): Promise<string> {
  const args = [...command.split(' '), '--query', query, '--region', inRegion, '--output', 'text']
  return (await promisify(execFile)('aws', args)).stdout.trim()
}

/** Runs commands of the runbooks in a shell that has read the stack's outputs. Returns their standard output. */
export async function runbook(commands: string): Promise<string> {
  const script = `. docs/runbooks/outputs.sh ${stack} > /dev/null && ${commands}`
  return (await promisify(execFile)('bash', ['-c', script])).stdout.trim()
}

async function run(program: string, args: string[]): Promise<void> {
  console.log(['$', program, ...args].join(' '))
  // Ctrl+C does not reach a process group of its own.
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}.`)
}
