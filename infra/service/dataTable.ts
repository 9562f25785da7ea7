/** A DynamoDB table with what both tables have in common: paid by request, and protected in production. */
import { RemovalPolicy } from 'aws-cdk-lib'
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import type { KeyAttribute, Table as TableData } from '../../shared/store/tables.ts'
import { isProduction, type Settings } from '../settings.ts'

export class DataTable extends Table {
  readonly indexNames: string[]
  /** The actions that at least one function may call. */
  readonly allowedActions = new Set<string>()

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
        ...(index.attributes && { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...index.attributes] }),
      })
    }
  }

  /** The indexes that requests of clients read. */
  get clientIndexes(): string[] {
    return this.indexNames.filter((name) => name !== 'waiting')
  }

  get clientIndexArns(): string[] {
    return this.clientIndexes.map((name) => `${this.tableArn}/index/${name}`)
  }

  /** Allows actions, such as `GetItem`, on the table without its indexes, or on the given resources. */
  allow(grantee: IGrantable, actions: string[], resourceArns = [this.tableArn]): void {
    for (const action of actions) this.allowedActions.add(action)
    Grant.addToPrincipal({ grantee, actions: actions.map((action) => `dynamodb:${action}`), resourceArns })
  }
}

function attribute({ name, type }: KeyAttribute) {
  return { name, type: { S: AttributeType.STRING, N: AttributeType.NUMBER }[type] }
}
