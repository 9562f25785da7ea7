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

/** DynamoDB writes a kilobyte for a unit, and adds 100 bytes to each row of an index. */
const KB = 1_024
const INDEX_BYTES = 100

/**
 * Returns the write units of a joke, computed from the size of its item. An upvote changes the sort key of its row in the
 * index, so it deletes the row and writes it again.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function unitsFor(item: Record<string, unknown>): { created: number; upvoted: number } {
  const bytes = Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0)
  const table = Math.ceil(bytes / KB)
  const row = Math.ceil((bytes + INDEX_BYTES) / KB)
  return { created: table + row, upvoted: table + 2 * row }
}

/** The size of a text or a number: a number takes a byte for two digits, and one more. */
function sizeOf(value: unknown): number {
  return typeof value === 'number' ? Math.ceil(String(value).length / 2) + 1 : Buffer.byteLength(String(value))
}
