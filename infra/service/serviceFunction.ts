/** The Lambda functions of the stack, and their logs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Duration, RemovalPolicy, Stack, Stage } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Site } from '../../shared/site/files.ts'
import { FUNCTION_LIMITS, type FunctionName, TABLE_CALLS } from '../routes.ts'
import type { Settings } from '../settings.ts'
import type { JokesTable } from './jokesTable.ts'

/** Modules that take long to load, and the files that replace them in the bundle. */
const ALIAS = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'replacements/credentials.ts'),
  'node:http': join(import.meta.dirname, 'replacements/http.ts'),
  'node:https': join(import.meta.dirname, 'replacements/https.ts'),
}

export class ServiceFunction extends NodejsFunction {
  /** @param site what the function of the page reads from `site.json` beside its bundle */
  constructor(scope: Construct, name: FunctionName, jokes: JokesTable, site: Site, settings: Settings) {
    const { approval, databaseEndpoint, domain, paused } = settings
    // Procedures name functions and logs, so they have names that people can type.
    const functionName = `${Stack.of(scope).stackName}-${name}`
    const logGroup = addLogGroup(scope, `${name}Log`, `/aws/lambda/${functionName}`)
    // The CDK's default role could write to every log group of the account.
    const role = new Role(scope, `${name}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)

    const siteFile = join(`${Stage.of(scope)?.outdir}`, 'site.json')
    if (name === 'Page') writeFileSync(siteFile, JSON.stringify(site))
    const { memoryMb, timeoutMs } = FUNCTION_LIMITS[name]
    const writes = TABLE_CALLS[name].some((call) => /Put|Update|Delete/.test(call))
    const isPaused = paused === 'everything' || (paused === 'writes' && writes)
    super(scope, name, {
      functionName,
      entry: `functions/${name.charAt(0).toLowerCase()}${name.slice(1)}.ts`,
      runtime: lambda.Runtime.NODEJS_24_X,
      // `sam local` runs containers on the machine that synthesizes the stack.
      architecture:
        databaseEndpoint && process.arch === 'x64' ? lambda.Architecture.X86_64 : lambda.Architecture.ARM_64,
      memorySize: memoryMb,
      timeout: Duration.millis(timeoutMs),
      ...(isPaused && { reservedConcurrentExecutions: 0 }),
      environment: {
        JOKES_TABLE: jokes.tableName,
        ...(name === 'Create' && { APPROVAL: approval ?? 'off' }),
        ...(name === 'Page' && domain && { DOMAIN_NAME: domain.name }),
        ...(databaseEndpoint !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint }),
      },
      role,
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      awsSdkConnectionReuse: false,
      bundling: {
        format: OutputFormat.ESM,
        mainFields: ['module', 'main'],
        bundleAwsSDK: true,
        esbuildArgs: Object.fromEntries(Object.entries(ALIAS).map(([name, file]) => [`--alias:${name}`, file])),
        commandHooks: {
          beforeBundling: () => [],
          beforeInstall: () => [],
          afterBundling: (_, folder) => (name === 'Page' ? [`cp "${siteFile}" "${folder}"`] : []),
        },
      },
    })
  }
}

/** Adds a log group. Its lines hold IP addresses, so it keeps them for a month only. */
export function addLogGroup(scope: Construct, id: string, logGroupName: string): LogGroup {
  // A log that outlived its stack would prevent the next stack of this name.
  const removalPolicy = RemovalPolicy.DESTROY
  return new LogGroup(scope, id, { logGroupName, retention: RetentionDays.ONE_MONTH, removalPolicy })
}
