/** A function of the service with the house defaults. */
import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  type Alias,
  Architecture,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type FunctionName, ROUTES } from '../routes.ts'
import { keepsData, type Settings } from '../settings.ts'
import type { DataTable } from './dataTable.ts'

const LAMBDA_CREDENTIALS = fileURLToPath(new URL('lambdaCredentials.ts', import.meta.url))

/** The tables that the functions share. */
export interface Tables {
  jokes: DataTable
  words: DataTable
}

/** How a function becomes one file. */
export const BUNDLING = {
  format: OutputFormat.ESM,
  minify: true,
  target: 'node24',
  mainFields: ['module', 'main'],
}

/** What takes the place of which package in the file. */
export const ALIAS = { '@aws-sdk/credential-provider-node': LAMBDA_CREDENTIALS }

export class ServiceFunction extends NodejsFunction {
  /** In production: what points at the version that answers, so that versions can be exchanged part by part. */
  readonly alias: Alias | undefined
  /** What requests are sent to. */
  readonly live: IFunction

  constructor(scope: Construct, name: FunctionName, { jokes, words }: Tables, settings: Settings) {
    const logGroup = new LogGroup(scope, `${name}Log`, {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    // A role of our own: the one that CDK makes lets a function write to every log group of the account.
    const role = new Role(scope, `${name}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)

    super(scope, name, {
      entry: fileURLToPath(new URL(`../../${ROUTES[name].entry}`, import.meta.url)),
      runtime: Runtime.NODEJS_24_X,
      architecture: architectureOf(settings),
      // Lambda gives CPU in proportion to memory, and a cold start spends its time loading code.
      memorySize: 1_024,
      timeout: Duration.seconds(10),
      environment: {
        JOKES_TABLE: jokes.tableName,
        WORDS_TABLE: words.tableName,
        ...(settings.databaseEndpoint !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: settings.databaseEndpoint }),
      },
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      awsSdkConnectionReuse: false,
      // CloudFormation would delete the version before, and with it the way back.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      bundling: {
        ...BUNDLING,
        bundleAwsSDK: true,
        esbuildArgs: Object.fromEntries(Object.entries(ALIAS).map(([name, file]) => [`--alias:${name}`, file])),
      },
    })
    this.alias = keepsData(settings) ? this.addAlias('live') : undefined
    // Seen from outside: Alias doesn't fit IFunction under `exactOptionalPropertyTypes`.
    this.live = this.alias
      ? LambdaFunction.fromFunctionAttributes(this, 'Live', {
          functionArn: this.alias.functionArn,
          sameEnvironment: true,
        })
      : this
    Validations.of(this).acknowledge(
      {
        id: 'Serverless::Serverless-LambdaDLQ',
        reason:
          'API Gateway calls and waits for the answer; only calls that nobody waits for go to a dead letter queue.',
      },
      {
        id: 'Serverless::Serverless-LambdaTracing',
        reason:
          'The SDK is not instrumented, so a trace would show one box, and cost more than the service at low traffic.',
      },
    )
  }
}

/** Containers of `sam local` run on the machine that synthesizes for them. */
function architectureOf({ databaseEndpoint }: Settings): Architecture {
  return databaseEndpoint === undefined || process.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64
}
