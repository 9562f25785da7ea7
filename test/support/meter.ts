/** Counts calls to DynamoDB and their capacity units. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'

/** Calls, and capacity units of tables and indexes. */
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
          const result = await next(args)
          usage.calls += 1
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

const Capacity = v.object({ CapacityUnits: v.optional(v.number(), 0) })
const Consumed = v.object({
  ...Capacity.entries,
  Table: v.optional(Capacity),
  GlobalSecondaryIndexes: v.optional(v.record(v.string(), Capacity)),
})
const Output = v.object({ ConsumedCapacity: v.optional(v.union([v.array(Consumed), Consumed]), []) })

/** The capacity that a call reports. Batches report a list with an entry for each table, other calls one entry. */
export function consumedBy(output: object) {
  return [v.parse(Output, output).ConsumedCapacity].flat()
}

/** The capacity units that a call reports, of tables and indexes. */
export function unitsOf(output: object): number {
  return consumedBy(output).reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
}
