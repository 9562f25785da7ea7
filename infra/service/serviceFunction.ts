/** A function of the service with the house defaults. */
import { fileURLToPath } from 'node:url'
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type FunctionName, ROUTES } from '../routes.ts'
import type { Settings } from '../settings.ts'
import type { DataTable } from './dataTable.ts'

const LAMBDA_CREDENTIALS = fileURLToPath(new URL('lambdaCredentials.ts', import.meta.url))

/** The tables that the functions share. */
export interface Tables {
  jokes: DataTable
  words: DataTable
}

export class ServiceFunction extends NodejsFunction {
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
      architecture: Architecture.ARM_64,
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
      bundling: {
        format: OutputFormat.ESM,
        minify: true,
        target: 'node24',
        bundleAwsSDK: true,
        mainFields: ['module', 'main'],
        esbuildArgs: { '--alias:@aws-sdk/credential-provider-node': LAMBDA_CREDENTIALS },
      },
    })
    Validations.of(this).acknowledge({
      id: 'Serverless::Serverless-LambdaDLQ',
      reason: 'API Gateway calls and waits for the answer; only calls that nobody waits for go to a dead letter queue.',
    })
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray knows no resources, so its two actions for sending traces can only be allowed on all.',
    })
  }
}
