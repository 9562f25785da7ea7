/** A new version first answers a tenth of the requests, and goes back by itself where its route's alarm rings meanwhile. */
import { Validations } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { FUNCTION_NAMES, type FunctionName } from '../routes.ts'
import type { ServiceFunction } from './serviceFunction.ts'

export class Canary extends Construct {
  constructor(
    scope: Construct,
    id: string,
    functions: Record<FunctionName, ServiceFunction>,
    failing: Record<FunctionName, Alarm>,
  ) {
    super(scope, id)
    const application = new LambdaApplication(this, 'Application')
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') })
    Validations.of(role).acknowledge({
      id: 'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: "AWS's own policy for this very role, which follows what CodeDeploy needs.",
    })
    for (const name of FUNCTION_NAMES) {
      const { alias } = functions[name]
      if (!alias) throw new Error(`${name} has no alias whose versions could be exchanged.`)
      new LambdaDeploymentGroup(this, name, {
        application,
        role,
        alias,
        // Five minutes would be over before an alarm of two minutes and its metric's delay.
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: [failing[name]],
      })
    }
  }
}
