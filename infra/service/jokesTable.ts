/** The table of the jokes: billed by request, and protected in production. */
import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { JOKES } from '../../shared/store/item.ts'
import { isProduction, type Settings } from '../settings.ts'

export class JokesTable extends Table {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      partitionKey: text(JOKES.partitionKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: isProduction(settings),
      removalPolicy: isProduction(settings) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    this.addGlobalSecondaryIndex({
      indexName: JOKES.index.name,
      partitionKey: text(JOKES.index.partitionKey),
      sortKey: text(JOKES.index.sortKey),
      projectionType: ProjectionType.ALL,
    })
  }

  /** Allows calls, such as `GetItem`. Only `Query` is on the index, to read the changes of jokes. */
  allow(grantee: IGrantable, ...calls: string[]): void {
    for (const call of calls) {
      const resource = call === 'Query' ? `${this.tableArn}/index/${JOKES.index.name}` : this.tableArn
      Grant.addToPrincipal({ grantee, actions: [`dynamodb:${call}`], resourceArns: [resource] })
    }
  }
}

function text(name: string) {
  return { name, type: AttributeType.STRING }
}
