/** Counts what the service asks of DynamoDB. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

export interface Usage {
  calls: number
  /** Capacity units, read and written, of tables and indexes. */
  units: number
}

/** Meters a connection from now on; the returned function tells what was used since it was last asked. */
export function meter(...connections: DynamoDBDocumentClient[]): () => Usage {
  let usage: Usage = { calls: 0, units: 0 }
  for (const connection of connections) {
    connection.middlewareStack.add(
      (next) => async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' })
        const result = await next(args)
        usage.calls += 1
        usage.units += unitsOf(result.output)
        return result
      },
      { step: 'initialize' },
    )
  }
  return () => {
    const used = usage
    usage = { calls: 0, units: 0 }
    return used
  }
}

/** Batches report a list, one entry a table; everything else reports one. */
function unitsOf(output: object): number {
  const reports = 'ConsumedCapacity' in output ? [output.ConsumedCapacity].flat() : []
  return reports.reduce<number>((sum, report) => sum + (Object(report).CapacityUnits ?? 0), 0)
}
