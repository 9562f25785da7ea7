/** The output of `npm run synth`, and its functions, run as on Lambda. */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Template } from 'aws-cdk-lib/assertions'
import * as v from 'valibot'
import { type FunctionName, mapFunctions } from '../../infra/routes.ts'
import { readable, rightsIn } from './templates.ts'

/** A function of the template. Like `sam local`, it resolves each reference to the id of the resource. */
export interface SynthesizedFunction {
  bundle: string
  handler: string
  environment: Record<string, string>
  /** The permissions of its role on DynamoDB, as `<action> <table or index>`. */
  rights: string[]
}

/** Runs `cdk synth` into a folder, and reads the functions from there. Other tests validate the template. */
export async function synthesize(folder: string): Promise<Record<FunctionName, SynthesizedFunction>> {
  const cdk = fileURLToPath(new URL('../../node_modules/.bin/cdk', import.meta.url))
  const env = { ...process.env, JOKE_STACK: '' }
  await promisify(execFile)(process.execPath, [cdk, 'synth', '--quiet', '--no-validation', '--output', folder], { env })
  const template = Template.fromJSON(JSON.parse(readFileSync(join(folder, 'JokeService-dev.template.json'), 'utf8')))
  const { resources } = readable(template)
  return mapFunctions((name) => {
    const { Properties, Metadata } = resources[name]
    const rights = rightsIn(template)[name]?.filter((right) => /dynamodb:/.test(right)) ?? []
    return {
      bundle: join(folder, Metadata['aws:asset:path']),
      handler: Properties.Handler,
      environment: Properties.Environment.Variables,
      rights: rights.map((right) => right.replace(/\.Arn| if .*/g, '')),
    }
  })
}

const Answer = v.object({ statusCode: v.number(), headers: v.record(v.string(), v.string()), body: v.string() })
export type Answer = v.InferOutput<typeof Answer>

/** Starts a function under Lambda's runtime client, in a process with the environment of Lambda. */
export async function launch({ bundle, handler, environment }: SynthesizedFunction, endpoint: string) {
  const child = fork(join(import.meta.dirname, '../runtime/node_modules/aws-lambda-ric/index.mjs'), {
    execArgv: ['--import', new URL('lambdaRuntime.ts', import.meta.url).href],
    env: {
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_LAMBDA_FUNCTION_NAME: 'local',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
      AWS_LAMBDA_LOG_GROUP_NAME: 'local',
      AWS_LAMBDA_LOG_STREAM_NAME: 'local',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      // Events and answers are messages between the processes instead.
      AWS_LAMBDA_RUNTIME_API: 'unused:0',
      LAMBDA_TASK_ROOT: bundle,
      _HANDLER: handler,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const output: string[] = []
  child.stdout?.setEncoding('utf8').on('data', (chunk) => output.push(chunk))
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('The function has ended.')))
  // `invoke` reports it.
  failed.catch(() => {})
  return {
    invoke: async (event: object): Promise<Answer> => {
      child.send(event)
      const [answer] = await Promise.race([once(child, 'message'), failed])
      return v.parse(Answer, answer)
    },
    /** Ends the function, and returns its log. */
    stop: async (): Promise<unknown[]> => {
      child.kill()
      await once(child, 'close')
      const lines = output.join('').split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line))
    },
  }
}
