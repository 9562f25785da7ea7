/** The Lambda functions of the stack. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Duration, Stage } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import { NodejsFunction, type NodejsFunctionProps, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Site } from '../../shared/page/files.ts'
import { ENTRIES, FUNCTION_LIMITS, type FunctionName, USUAL_LIMITS } from '../routes.ts'
import { logOptions, type Settings } from '../settings.ts'
import type { JokesTable } from './jokesTable.ts'

/** Modules that take long to load, and the files that replace them in the bundle. */
const ALIAS = {
  '@aws-sdk/credential-provider-node': join(import.meta.dirname, 'replacements/credentials.ts'),
  'node:http': join(import.meta.dirname, 'replacements/http.ts'),
  'node:https': join(import.meta.dirname, 'replacements/https.ts'),
}

/** A function with the properties that all functions share. */
class ServiceFunction extends NodejsFunction {
  /** @param site what the function reads from `site.json` beside its bundle, if it does */
  constructor(scope: Construct, name: string, settings: Settings, props: NodejsFunctionProps, site?: Site) {
    const logGroup = new LogGroup(scope, `${name}Log`, logOptions(settings))
    // The CDK's default role could write to every log group of the account.
    const role = new Role(scope, `${name}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    logGroup.grantWrite(role)

    const siteFile = join(`${Stage.of(scope)?.outdir}`, 'site.json')
    if (site) writeFileSync(siteFile, JSON.stringify(site))
    super(scope, name, {
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: architectureOf(settings),
      memorySize: USUAL_LIMITS.memoryMb,
      timeout: Duration.millis(USUAL_LIMITS.timeoutMs),
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
          afterBundling: (_, folder) => (site ? [`cp "${siteFile}" "${folder}"`] : []),
        },
      },
      ...props,
    })
  }
}

/** The function of an operation, or of the page. */
export class RouteFunction extends ServiceFunction {
  constructor(scope: Construct, name: FunctionName, jokes: JokesTable, site: Site, settings: Settings) {
    const { approval, databaseEndpoint, domain, reservedConcurrency } = settings
    const environment = {
      JOKES_TABLE: jokes.tableName,
      ...(name === 'Create' && { APPROVAL: approval }),
      ...(name === 'Page' && domain && { DOMAIN_NAME: domain.name }),
      ...(databaseEndpoint !== undefined && { AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint }),
    }
    const { memoryMb, timeoutMs } = FUNCTION_LIMITS[name]
    const props = {
      entry: ENTRIES[name],
      environment,
      memorySize: memoryMb,
      timeout: Duration.millis(timeoutMs),
      ...(reservedConcurrency !== undefined && { reservedConcurrentExecutions: reservedConcurrency }),
    }
    super(scope, name, settings, props, name === 'Page' ? site : undefined)
  }
}

/** `sam local` runs containers on the machine that synthesizes the stack. */
function architectureOf({ databaseEndpoint }: Settings): lambda.Architecture {
  const { ARM_64, X86_64 } = lambda.Architecture
  return databaseEndpoint === undefined || process.arch === 'arm64' ? ARM_64 : X86_64
}
