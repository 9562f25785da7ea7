/** Reads and writes many items: in parallel batches, resending unprocessed requests with exponential backoff. */
import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { database, waitBefore } from './database.ts'
import { JOKES_TABLE } from './environment.ts'
import type { Item } from './item.ts'

/** BatchGetItem's limit. */
const MAX_KEYS = 100

/** BatchWriteItem's limit. */
export const MAX_WRITES = 25

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** From this retry on, waits no longer double: they take 3.2 seconds at most. Operators' commands have no time limit. */
const LAST_DOUBLING = 6

/** Reads the items of jokes by their ids, those that exist, in any order, and counts the capacity units. */
export async function getItems(
  ids: string[],
  options: { ConsistentRead?: boolean },
  abortSignal?: AbortSignal,
): Promise<{ items: Item[]; units: number }> {
  const items: Item[] = []
  let units = 0
  const keys: Item[] = ids.map((id) => ({ id }))
  await sendBatches(keys, MAX_KEYS, abortSignal, async (Keys) => {
    const command = new BatchGetCommand({
      RequestItems: { [JOKES_TABLE]: { Keys, ...options } },
      ReturnConsumedCapacity: 'TOTAL',
    })
    const output = await database.send(command, abortSignal && { abortSignal })
    for (const { CapacityUnits = 0 } of output.ConsumedCapacity ?? []) units += CapacityUnits
    items.push(...(output.Responses?.[JOKES_TABLE] ?? []))
    return output.UnprocessedKeys?.[JOKES_TABLE]?.Keys
  })
  return { items, units }
}

/** Puts and deletes items of a table. */
export async function writeItems(table: string, requests: WriteRequest[], abortSignal?: AbortSignal): Promise<void> {
  await sendBatches(requests, MAX_WRITES, abortSignal, async (batch) => {
    const command = new BatchWriteCommand({ RequestItems: { [table]: batch } })
    const { UnprocessedItems } = await database.send(command, abortSignal && { abortSignal })
    return UnprocessedItems?.[table]
  })
}

/** @param send returns the unprocessed requests */
async function sendBatches<Request>(
  requests: Request[],
  batchSize: number,
  signal: AbortSignal | undefined,
  send: (batch: Request[]) => Promise<Request[] | undefined>,
): Promise<void> {
  const sendAll = async (batch: Request[]) => {
    let unprocessed = await send(batch)
    for (let retry = 1; unprocessed && unprocessed.length > 0; retry++) {
      await setTimeout(waitBefore(Math.min(retry, LAST_DOUBLING)), undefined, { signal })
      unprocessed = await send(unprocessed)
    }
  }
  const sending: Promise<void>[] = []
  for (let start = 0; start < requests.length; start += batchSize) {
    sending.push(sendAll(requests.slice(start, start + batchSize)))
  }
  await Promise.all(sending)
}
