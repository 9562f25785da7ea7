/** Counts calls to DynamoDB and their capacity units. */
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** Calls, and capacity units of tables and their indexes. */
export interface Usage {
  calls: number
  read: number
  written: number
}

/** Meters clients of DynamoDB. The returned function returns the usage since its last call. */
export function meter(...clients: DynamoDBDocumentClient[]): () => Usage {
  let usage: Usage = { calls: 0, read: 0, written: 0 }
  for (const client of clients) {
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' })
          usage.calls += 1
          const result = await next(args)
          usage[READS.test(String(commandName)) ? 'read' : 'written'] += unitsOf(result.output)
          return result
        },
      { step: 'initialize' },
    )
  }
  return () => {
    const used = usage
    usage = { calls: 0, read: 0, written: 0 }
    return used
  }
}

const READS = /^(Get|BatchGet|Query|Scan)/

/** The units that a call reports. Batches report an entry for each table, other calls only one. */
function unitsOf(output: object): number {
  const { ConsumedCapacity = [] }: { ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] } = output
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
}
