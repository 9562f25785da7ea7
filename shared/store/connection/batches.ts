/**
 * Reads and writes many items in parallel batches. It resends unprocessed requests with exponential backoff, until a
 * signal aborts it. Commands pass no signal, so they go on until all items are processed.
 */
import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../item.ts'
import type { Store } from '../store.ts'
import { waitBefore } from './connection.ts'

/** Maximum number of items in one BatchGetItem. */
export const MAX_KEYS = 100

/** Maximum number of items in one BatchWriteItem. */
const MAX_WRITES = 25

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** The last retry whose wait is doubled. So waits take at most 3.2 seconds. */
const LAST_DOUBLING = 6

/** Reads the existing items with these ids, in any order, and counts the capacity units. */
export async function getItems(
  store: Store,
  ids: string[],
  options: { ConsistentRead?: boolean },
  signal = new AbortController().signal,
): Promise<{ items: Item[]; units: number }> {
  const items: Item[] = []
  let units = 0
  const { jokesTable, database } = store
  const keys: Item[] = ids.map((id) => ({ id }))
  await sendBatches(store, keys, MAX_KEYS, signal, async (Keys) => {
    const command = new BatchGetCommand({
      RequestItems: { [jokesTable]: { Keys, ...options } },
      ReturnConsumedCapacity: 'TOTAL',
    })
    const output = await database.send(command, { abortSignal: signal })
    for (const { CapacityUnits = 0 } of output.ConsumedCapacity ?? []) units += CapacityUnits
    items.push(...(output.Responses?.[jokesTable] ?? []))
    return output.UnprocessedKeys?.[jokesTable]?.Keys
  })
  return { items, units }
}

export async function writeItems(
  store: Store,
  table: string,
  requests: WriteRequest[],
  signal = new AbortController().signal,
): Promise<void> {
  await sendBatches(store, requests, MAX_WRITES, signal, async (batch) => {
    const command = new BatchWriteCommand({ RequestItems: { [table]: batch } })
    const { UnprocessedItems } = await store.database.send(command, { abortSignal: signal })
    return UnprocessedItems?.[table]
  })
}

/** @param send returns the unprocessed requests */
async function sendBatches<Entry>(
  { limits, pace }: Store,
  requests: Entry[],
  batchSize: number,
  signal: AbortSignal,
  send: (batch: Entry[]) => Promise<Entry[] | undefined>,
): Promise<void> {
  const sendAll = async (batch: Entry[]) => {
    let unprocessed = await send(batch)
    for (let retry = 1; unprocessed?.length; retry++) {
      pace?.slowDown()
      await setTimeout(waitBefore(Math.min(retry, LAST_DOUBLING), limits), undefined, { signal })
      unprocessed = await send(unprocessed)
    }
  }
  const count = Math.ceil(requests.length / batchSize)
  await Promise.all(
    Array.from({ length: count }, (_, number) => sendAll(requests.slice(number * batchSize, (number + 1) * batchSize))),
  )
}
