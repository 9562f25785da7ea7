/** Counts what the service asks of DynamoDB. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/** Calls, and capacity units of tables and indexes. */
export interface Usage {
  calls: number
  read: number
  written: number
}

/** Meters a connection from now on; the returned function tells what was used since it was last asked. */
export function meter(...connections: DynamoDBDocumentClient[]): () => Usage {
  let usage: Usage = { calls: 0, read: 0, written: 0 }
  for (const connection of connections) {
    connection.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' })
          const result = await next(args)
          usage.calls += 1
          usage[isRead(commandName) ? 'read' : 'written'] += unitsOf(result.output)
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

function isRead(command: unknown): boolean {
  return /^(Get|BatchGet|Query|Scan)/.test(String(command))
}

/** Batches report a list, one entry a table; everything else reports one. */
function unitsOf(output: object): number {
  const reports = 'ConsumedCapacity' in output ? [output.ConsumedCapacity].flat() : []
  return reports.reduce<number>((sum, report) => sum + (Object(report).CapacityUnits ?? 0), 0)
}
