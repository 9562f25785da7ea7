/** A DynamoDB table of the service: billed by request, and protected in production. */
import { RemovalPolicy } from 'aws-cdk-lib'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import type { KeyAttribute, Table as TableData } from '../../shared/store/tables.ts'
import { isProduction, type Settings } from '../settings.ts'

export class DataTable extends Table {
  private readonly indexNames: string[]

  constructor(scope: Construct, id: string, { partitionKey, sortKey, indexes }: TableData, settings: Settings) {
    super(scope, id, {
      partitionKey: attribute(partitionKey),
      ...(sortKey && { sortKey: attribute(sortKey) }),
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: isProduction(settings),
      removalPolicy: isProduction(settings) ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    })
    this.indexNames = Object.keys(indexes)
    for (const [indexName, index] of Object.entries(indexes)) {
      this.addGlobalSecondaryIndex({
        indexName,
        partitionKey: attribute(index.partitionKey),
        sortKey: attribute(index.sortKey),
        ...(index.attributes
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...index.attributes] }
          : { projectionType: ProjectionType.ALL }),
      })
    }
  }

  /** Returns a metric of the table, and the same metric of each index. */
  metrics(metricName: string): Metric[] {
    const metric = (label: string, dimensions: Record<string, string> = {}) =>
      this.metric(metricName, {
        label,
        statistic: Stats.SUM,
        dimensionsMap: { TableName: this.tableName, ...dimensions },
      })
    const indexMetrics = this.indexNames.map((name) => metric(name, { GlobalSecondaryIndexName: name }))
    return [metric(this.node.id), ...indexMetrics]
  }

  /** Allows actions, such as `GetItem`, on the table without its indexes, on an index, or on a partition of it. */
  allow(grantee: IGrantable, actions: string[], index?: string, partition?: string): void {
    Grant.addToPrincipal({
      grantee,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: [index === undefined ? this.tableArn : `${this.tableArn}/index/${index}`],
      ...(partition !== undefined && { conditions: onlyPartition(partition) }),
    })
  }
}

/**
 * `LeadingKeys` are the partition keys of a call. `ForAllValues` alone would be true for a call without any.
 *
 * @see https://matt.martz.codes/lock-down-dynamodb-with-iam-policy-conditions for a test that this works on an index
 */
function onlyPartition(value: string) {
  const key = 'dynamodb:LeadingKeys'
  return { 'ForAllValues:StringEquals': { [key]: [value] }, Null: { [key]: 'false' } }
}

function attribute({ name, type }: KeyAttribute) {
  return { name, type: { S: AttributeType.STRING, N: AttributeType.NUMBER }[type] }
}
