/**
 * Releases new versions. CodeDeploy calls a hook that probes them, then moves each alias to its new version. If the
 * probe fails, CodeDeploy and CloudFormation roll the deploy back.
 */
import { Duration, Stack } from 'aws-cdk-lib'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Grant, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { FUNCTION_NAMES, type FunctionName, routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { PROBE_TIMEOUT } from './probe.ts'
import { type RouteFunction, ServiceFunction } from './serviceFunction.ts'

const INVOKE = 'lambda:InvokeFunction'

/** The hook retries denied calls for a minute when it probes, and for a minute when it reports. */
const HOOK_TIMEOUT = PROBE_TIMEOUT.plus(Duration.minutes(2))

export class Release extends Construct {
  /** CodeDeploy calls the hook before it moves an alias. */
  readonly hook: ServiceFunction

  constructor(scope: Construct, id: string, functions: Record<FunctionName, RouteFunction>, settings: Settings) {
    super(scope, id)
    const application = new LambdaApplication(this, 'Application')
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    })
    const versions = FUNCTION_NAMES.map((name) => [routeKeyOf(name), functions[name].currentVersion.functionArn])
    this.hook = new ServiceFunction(this, 'BeforeTraffic', 'probe/beforeTraffic.ts', settings, {
      environment: { VERSIONS: Stack.of(this).toJsonString(Object.fromEntries(versions)) },
      timeout: HOOK_TIMEOUT,
    })
    // The right covers all versions. Otherwise each deploy would change it seconds before the hook uses it.
    const resourceArns = FUNCTION_NAMES.map((name) => `${functions[name].functionArn}:*`)
    Grant.addToPrincipal({ grantee: this.hook, actions: [INVOKE], resourceArns })
    const hookGrant = Grant.addToPrincipal({ grantee: role, actions: [INVOKE], resourceArns: [this.hook.functionArn] })
    for (const name of FUNCTION_NAMES) {
      const { alias } = functions[name]
      if (!alias) throw new Error(`${name} has no alias that could move.`)
      const group = new LambdaDeploymentGroup(this, name, {
        application,
        // Without this, the CDK would allow the role to call all versions of the hook.
        role: role.withoutPolicyUpdates(),
        alias,
        preHook: this.hook,
        deploymentConfig: LambdaDeploymentConfig.ALL_AT_ONCE,
      })
      const reportGrant = group.grantPutLifecycleEventHookExecutionStatus(this.hook)
      for (const grant of [hookGrant, reportGrant]) grant.applyBefore(alias)
    }
  }
}
