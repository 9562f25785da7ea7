/** The Lambda functions of the stack. */
import { join } from 'node:path'
import { Duration } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, type NodejsFunctionProps, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { FUNCTION_LIMITS, type FunctionName, ROUTES, USUAL_LIMITS } from '../routes.ts'
import { logOptions, type Settings } from '../settings.ts'
import type { JokesTable } from './jokesTable.ts'

/** Options with which esbuild bundles a function into one file. */
export const BUNDLING = {
  format: OutputFormat.ESM,
  target: 'node24',
  mainFields: ['module', 'main'],
}

/** Modules that take long to load, and the files that replace them in the bundle. */
export const ALIAS = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'replacements/credentials.ts'),
  'node:http': join(import.meta.dirname, 'replacements/http.ts'),
  'node:https': join(import.meta.dirname, 'replacements/https.ts'),
}

/** A function with the properties that all functions share. `entry` is the path of its file in the repository. */
export class ServiceFunction extends NodejsFunction {
  constructor(scope: Construct, name: string, entry: string, settings: Settings, props: NodejsFunctionProps) {
    const logGroup = new LogGroup(scope, `${name}Log`, logOptions(settings))
    // The CDK's default role could write to every log group of the account.
    const role = new Role(scope, `${name}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)

    super(scope, name, {
      entry: join(import.meta.dirname, '../..', entry),
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: architectureOf(settings),
      memorySize: USUAL_LIMITS.memoryMb,
      timeout: Duration.millis(USUAL_LIMITS.timeoutMs),
      role,
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      awsSdkConnectionReuse: false,
      bundling: {
        ...BUNDLING,
        bundleAwsSDK: true,
        esbuildArgs: Object.fromEntries(Object.entries(ALIAS).map(([name, file]) => [`--alias:${name}`, file])),
      },
      ...props,
    })
  }
}

/** The function of a route. */
export class RouteFunction extends ServiceFunction {
  constructor(scope: Construct, name: FunctionName, jokes: JokesTable, settings: Settings) {
    const { approval, databaseEndpoint, reservedConcurrency } = settings
    const environment = {
      JOKES_TABLE: jokes.tableName,
      ...(name === 'Create' && { APPROVAL: approval }),
      ...(databaseEndpoint !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint }),
    }
    const { memoryMb, timeoutMs } = FUNCTION_LIMITS[name]
    super(scope, name, ROUTES[name].entry, settings, {
      environment,
      memorySize: memoryMb,
      timeout: Duration.millis(timeoutMs),
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    })
  }
}

/** `sam local` runs containers on the machine that synthesizes the stack. */
function architectureOf({ databaseEndpoint }: Settings): lambda.Architecture {
  const { ARM_64, X86_64 } = lambda.Architecture
  return databaseEndpoint === undefined || process.arch === 'arm64' ? ARM_64 : X86_64
}
