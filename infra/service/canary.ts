/**
 * How a new version reaches clients: first it answers the probe, then a tenth of the requests, then all. If the probe fails
 * or the alarm of its route rings in the meantime, it is rolled back.
 */
import { Stack } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Grant, ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { FUNCTION_NAMES, type FunctionName, routeKeyOf } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { PROBE_TIMEOUT } from './probe.ts'
import { type RouteFunction, ServiceFunction } from './serviceFunction.ts'

const INVOKE = 'lambda:InvokeFunction'

export class Canary extends Construct {
  /** CodeDeploy calls it before it moves an alias. */
  readonly hook: ServiceFunction

  constructor(
    scope: Construct,
    id: string,
    functions: Record<FunctionName, RouteFunction>,
    failing: Record<FunctionName, Alarm>,
    settings: Settings,
  ) {
    super(scope, id)
    const application = new LambdaApplication(this, 'Application')
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited')],
    })
    const versions = FUNCTION_NAMES.map((name) => [routeKeyOf(name), functions[name].currentVersion.functionArn])
    this.hook = new ServiceFunction(this, 'BeforeTraffic', 'probe/beforeTraffic.ts', settings, {
      environment: { VERSIONS: Stack.of(this).toJsonString(Object.fromEntries(versions)) },
      timeout: PROBE_TIMEOUT,
    })
    const resourceArns = versions.map(([, arn = '']) => arn)
    Grant.addToPrincipal({ grantee: this.hook, actions: [INVOKE], resourceArns })
    const mayAsk = Grant.addToPrincipal({ grantee: role, actions: [INVOKE], resourceArns: [this.hook.functionArn] })
    for (const name of FUNCTION_NAMES) {
      const { alias } = functions[name]
      if (!alias) throw new Error(`${name} has no alias to shift traffic with.`)
      const group = new LambdaDeploymentGroup(this, name, {
        application,
        // Otherwise the CDK would let it call all versions of the hook.
        role: role.withoutPolicyUpdates(),
        alias,
        preHook: this.hook,
        // CANARY_10PERCENT_5MINUTES could end before the alarm rings: it needs two minutes of data, which arrive late.
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: [failing[name]],
      })
      for (const grant of [mayAsk, group.grantPutLifecycleEventHookExecutionStatus(this.hook)]) grant.applyBefore(alias)
    }
  }
}
