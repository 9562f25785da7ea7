/** The table of the jokes: billed by request, and protected in production. */
import { RemovalPolicy } from 'aws-cdk-lib'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { type Feed, JOKES, type KeyAttribute } from '../../shared/store/tables.ts'
import { isProduction, type Settings } from '../settings.ts'

const INDEX = 'byChange' satisfies keyof typeof JOKES.indexes

export class JokesTable extends Table {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      partitionKey: attribute(JOKES.partitionKey),
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: isProduction(settings),
      removalPolicy: isProduction(settings) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    for (const [indexName, { partitionKey, sortKey }] of Object.entries(JOKES.indexes)) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: attribute(partitionKey),
        sortKey: attribute(sortKey),
        projectionType: ProjectionType.ALL,
      })
    }
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

  /**
   * Allows to query some feeds of the index, and no others. `LeadingKeys` are the partition keys of a call. A call without
   * any satisfies `ForAllValues`, so `Null` excludes it.
   *
   * @see https://matt.martz.codes/lock-down-dynamodb-with-iam-policy-conditions for a test that this works on an index
   */
  allowFeeds(grantee: IGrantable, ...feeds: Feed[]): void {
    const key = 'dynamodb:LeadingKeys'
    Grant.addToPrincipal({
      grantee,
      actions: ['dynamodb:Query'],
      resourceArns: [`${this.tableArn}/index/${INDEX}`],
      conditions: { 'ForAllValues:StringEquals': { [key]: feeds }, Null: { [key]: 'false' } },
    })
  }
}

function attribute({ name, type }: KeyAttribute) {
  return { name, type: { S: AttributeType.STRING, N: AttributeType.NUMBER }[type] }
}
