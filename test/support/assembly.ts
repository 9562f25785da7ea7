/** The output of `npm run synth`, and its functions, run as on Lambda. */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Match, Template } from 'aws-cdk-lib/assertions'
import * as v from 'valibot'
import { FUNCTION_LIMITS, type FunctionName } from '../../infra/routes.ts'

/** A function of the template. Like `sam local`, it resolves each reference to the id of the resource. */
export interface SynthesizedFunction {
  bundle: string
  runtime: string
  handler: string
  environment: Record<string, string>
  /** The permissions of its role, as `<action> <resource>`. */
  rights: Set<string>
}

/** Runs `cdk synth` into a folder, and reads the functions from there. Other tests validate the template. */
export async function synthesize(folder: string): Promise<Record<FunctionName, SynthesizedFunction>> {
  const cdk = fileURLToPath(new URL('../../node_modules/.bin/cdk', import.meta.url))
  await promisify(execFile)(process.execPath, [cdk, 'synth', '--quiet', '--no-validation', '--output', folder])
  const template = Template.fromJSON(JSON.parse(readFileSync(join(folder, 'JokeService.template.json'), 'utf8')))
  // sam local needs this metadata.
  const bundled = { Metadata: { 'aws:asset:property': 'Code', 'aws:asset:is-bundled': true } }
  const functions = Object.values(template.findResources('AWS::Lambda::Function', bundled))
  const functionAt = (name: FunctionName): SynthesizedFunction => {
    const { Properties, Metadata } =
      functions.find(({ Metadata }) => Metadata?.['aws:cdk:path'].endsWith(`/${name}/Resource`)) ?? {}
    const environment: Record<string, string> = {}
    for (const [key, value] of Object.entries<string | { Ref: string }>(Properties.Environment.Variables))
      environment[key] = typeof value === 'string' ? value : value.Ref
    return {
      bundle: join(folder, Metadata['aws:asset:path']),
      runtime: Properties.Runtime,
      handler: Properties.Handler,
      environment,
      rights: rightsOf(template, Properties.Role['Fn::GetAtt'][0]),
    }
  }
  return { Create: functionAt('Create'), List: functionAt('List'), ThumbsUp: functionAt('ThumbsUp') }
}

function rightsOf(template: Template, role: string): Set<string> {
  const policies = template.findResources('AWS::IAM::Policy', {
    Properties: { Roles: Match.arrayWith([{ Ref: role }]) },
  })
  const rights = new Set<string>()
  for (const { Properties } of Object.values(policies))
    for (const { Effect, Action, Resource } of Properties.PolicyDocument.Statement) {
      if (Effect !== 'Allow') throw new Error(`A policy has the effect ${Effect}.`)
      for (const action of [Action].flat())
        for (const resource of [Resource].flat()) rights.add(`${action} ${nameOf(resource)}`)
    }
  return rights
}

type Attribute = { 'Fn::GetAtt': [id: string, attribute: 'Arn'] }

function nameOf(arn: '*' | Attribute | { 'Fn::Join': ['', [Attribute, suffix: string]] }): string {
  if (arn === '*') return arn
  if ('Fn::GetAtt' in arn) return arn['Fn::GetAtt'][0]
  const [resource, suffix] = arn['Fn::Join'][1]
  return resource['Fn::GetAtt'][0] + suffix
}

const Answer = v.object({ statusCode: v.number(), headers: v.record(v.string(), v.string()), body: v.string() })
export type Answer = v.InferOutput<typeof Answer>

/** A line of a function's log, in Lambda's JSON format. */
const LogLine = v.object({ level: v.string(), requestId: v.string(), message: v.unknown() })
export type LogLine = v.InferOutput<typeof LogLine>

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
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(FUNCTION_LIMITS.memoryMb),
      AWS_LAMBDA_LOG_GROUP_NAME: 'local',
      AWS_LAMBDA_LOG_STREAM_NAME: 'local',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      // Events and answers are messages between the processes instead.
      AWS_LAMBDA_RUNTIME_API: 'unused:0',
      LAMBDA_TASK_ROOT: bundle,
      _HANDLER: handler,
      ...environment,
    },
    silent: true,
  })
  const output: string[] = []
  child.stdout?.setEncoding('utf8').on('data', (chunk) => output.push(chunk))
  const errors: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (chunk) => errors.push(chunk))
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`The function has ended. ${errors.join('')}`)))
  // `invoke` reports it.
  failed.catch(() => {})
  return {
    invoke: async (event: object): Promise<Answer> => {
      child.send(event)
      const [answer] = await Promise.race([once(child, 'message'), failed])
      return v.parse(Answer, answer)
    },
    /** Ends the function, and returns its log. */
    stop: async (): Promise<LogLine[]> => {
      child.kill()
      await once(child, 'close')
      const lines = output.join('').split('\n').filter(Boolean)
      return lines.map((line) => v.parse(LogLine, JSON.parse(line)))
    },
  }
}
