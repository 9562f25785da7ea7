/** The output of `npm run synth`, and its functions, run as on Lambda. */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { FUNCTION_LIMITS, type FunctionName } from '../../infra/routes.ts'

const Reference = v.object({ Ref: v.string() })

const LambdaFunction = v.object({
  Type: v.literal('AWS::Lambda::Function'),
  Properties: v.object({
    Runtime: v.string(),
    Handler: v.string(),
    Role: v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.literal('Arn')]) }),
    Environment: v.object({ Variables: v.record(v.string(), v.union([v.string(), Reference])) }),
  }),
  Metadata: v.object({
    'aws:cdk:path': v.string(),
    'aws:asset:path': v.string(),
    'aws:asset:property': v.literal('Code'),
    'aws:asset:is-bundled': v.literal(true),
  }),
})

const Arn = v.union([
  v.literal('*'),
  v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.literal('Arn')]) }),
  v.object({
    'Fn::Join': v.tuple([
      v.literal(''),
      v.tuple([v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.literal('Arn')]) }), v.string()]),
    ]),
  }),
])

const Policy = v.object({
  Type: v.literal('AWS::IAM::Policy'),
  Properties: v.object({
    Roles: v.array(Reference),
    PolicyDocument: v.object({
      Statement: v.array(
        v.object({
          Effect: v.literal('Allow'),
          Action: v.union([v.string(), v.array(v.string())]),
          Resource: v.union([Arn, v.array(Arn)]),
        }),
      ),
    }),
  }),
})

const Template = v.object({ Resources: v.record(v.string(), v.looseObject({ Type: v.string() })) })

/** A function of the template. Like `sam local`, it resolves each reference to the id of the resource. */
export interface SynthesizedFunction {
  bundle: string
  runtime: string
  handler: string
  environment: Record<string, string>
  /** The permissions of its role, as `<action> <resource>`. */
  rights: Set<string>
}

/** Runs `cdk synth` into a folder, and reads the functions from there. */
export async function synthesize(folder: string): Promise<Record<FunctionName, SynthesizedFunction>> {
  const cdk = fileURLToPath(new URL('../../node_modules/.bin/cdk', import.meta.url))
  await promisify(execFile)(process.execPath, [cdk, 'synth', '--quiet', '--output', folder])
  const template = v.parse(Template, JSON.parse(readFileSync(join(folder, 'JokeService.template.json'), 'utf8')))
  const policies = Object.values(template.Resources).filter((resource) => v.is(Policy, resource))
  const functionAt = (name: FunctionName): SynthesizedFunction => {
    const { Properties, Metadata } = v.parse(
      LambdaFunction,
      Object.values(template.Resources).find(
        (resource) => v.is(LambdaFunction, resource) && resource.Metadata['aws:cdk:path'].endsWith(`/${name}/Resource`),
      ),
    )
    const [role] = Properties.Role['Fn::GetAtt']
    const statements = policies
      .filter((policy) => policy.Properties.Roles.some(({ Ref }) => Ref === role))
      .flatMap((policy) => policy.Properties.PolicyDocument.Statement)
    return {
      bundle: join(folder, Metadata['aws:asset:path']),
      runtime: Properties.Runtime,
      handler: Properties.Handler,
      environment: Object.fromEntries(
        Object.entries(Properties.Environment.Variables).map(([key, value]) => [
          key,
          typeof value === 'string' ? value : value.Ref,
        ]),
      ),
      rights: new Set(
        statements.flatMap(({ Action, Resource }) =>
          [Action].flat().flatMap((action) => [Resource].flat().map((resource) => `${action} ${nameOf(resource)}`)),
        ),
      ),
    }
  }
  return { Create: functionAt('Create'), List: functionAt('List'), ThumbsUp: functionAt('ThumbsUp') }
}

function nameOf(arn: v.InferOutput<typeof Arn>): string {
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
  const child = fork(fileURLToPath(import.meta.resolve('aws-lambda-ric')), {
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
  const output: Buffer[] = []
  child.stdout?.on('data', (chunk) => output.push(chunk))
  const errors: Buffer[] = []
  child.stderr?.on('data', (chunk) => errors.push(chunk))
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
      return v.parse(
        v.array(LogLine),
        Buffer.concat(output)
          .toString()
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      )
    },
  }
}
