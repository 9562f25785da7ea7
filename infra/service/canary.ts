/** A new version first gets a tenth of the requests, and is rolled back if its route's alarm rings in the meantime. */
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
      reason: 'AWS maintains this policy for exactly this role.',
    })
    for (const name of FUNCTION_NAMES) {
      const { alias } = functions[name]
      if (!alias) throw new Error(`${name} has no alias to shift traffic with.`)
      new LambdaDeploymentGroup(this, name, {
        application,
        role,
        alias,
        // CANARY_10PERCENT_5MINUTES could end before the alarm rings: it needs two minutes of data, which arrive late.
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
        alarms: [failing[name]],
      })
    }
  }
}
