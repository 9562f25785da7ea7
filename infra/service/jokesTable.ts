/** The table of the jokes: billed by request, and protected in production. */
import { RemovalPolicy } from 'aws-cdk-lib'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { JOKES } from '../../shared/store/item.ts'
import { isProduction, type Settings } from '../settings.ts'

const INDEX = JOKES.index.name

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
      indexName: INDEX,
      partitionKey: text(JOKES.index.partitionKey),
      sortKey: text(JOKES.index.sortKey),
      projectionType: ProjectionType.ALL,
    })
  }

  /** Returns a metric of the table, and the same metric of its index. */
  metrics(metricName: string): Metric[] {
    const metric = (label: string, dimensions: Record<string, string> = {}) =>
      this.metric(metricName, {
        label,
        statistic: Stats.SUM,
        dimensionsMap: { TableName: this.tableName, ...dimensions },
      })
    return [metric(this.node.id), metric(INDEX, { GlobalSecondaryIndexName: INDEX })]
  }

  /** Allows actions, such as `GetItem`, on the table without its index. */
  allow(grantee: IGrantable, ...actions: string[]): void {
    Grant.addToPrincipal({
      grantee,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: [this.tableArn],
    })
  }

  /** Allows to read the changes of jokes from the index. */
  allowChanges(grantee: IGrantable): void {
    Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:Query'],
      resourceArns: [`${this.tableArn}/index/${INDEX}`],
    })
  }
}

function text(name: string) {
  return { name, type: AttributeType.STRING }
}
