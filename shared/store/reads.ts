/** What one request reads: all of it within a time limit, and within a bounded number of capacity units. */
import { BatchGetCommand, QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { Joke, JokeId } from '../joke.ts'
import { database, sendBatches } from './database.ts'
import { JOKES_TABLE } from './environment.ts'
import { properItems } from './item.ts'
import { MAX_READ_UNITS } from './limits.ts'

/** BatchGetItem's limit. */
const BATCH_KEYS = 100

/** Of an eventually consistent read. */
const BYTES_PER_UNIT = 8_192

export class Reads {
  private readonly abortSignal: AbortSignal
  private unitsLeft = MAX_READ_UNITS

  constructor(abortSignal: AbortSignal) {
    this.abortSignal = abortSignal
  }

  /** How many rows of at most so many bytes a query may still read. */
  affordableRows(rowBytes: number, reservedUnits = 0): number {
    return Math.max(0, Math.floor(((this.unitsLeft - reservedUnits) * BYTES_PER_UNIT) / rowBytes))
  }

  /** How many jokes may still be read by id, eventually consistent: none takes more than a unit. */
  affordableJokes(): number {
    return Math.max(0, Math.floor(this.unitsLeft))
  }

  async query(input: QueryCommandInput): Promise<QueryCommandOutput> {
    const command = new QueryCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' })
    const output = await database.send(command, { abortSignal: this.abortSignal })
    this.unitsLeft -= output.ConsumedCapacity?.CapacityUnits ?? 0
    return output
  }

  /** Reads jokes by their ids: those that exist and are listed, by id. */
  async jokes(ids: string[], options: { ConsistentRead?: boolean } = {}): Promise<Map<string, Joke>> {
    const keys: Record<string, string>[] = [...new Set(ids)].filter((id) => v.is(JokeId, id)).map((id) => ({ id }))
    const items: unknown[] = []
    await sendBatches(keys, BATCH_KEYS, this.abortSignal, async (batch) => {
      const command = new BatchGetCommand({
        RequestItems: { [JOKES_TABLE]: { Keys: batch, ...options } },
        ReturnConsumedCapacity: 'TOTAL',
      })
      const output = await database.send(command, { abortSignal: this.abortSignal })
      for (const { CapacityUnits = 0 } of output.ConsumedCapacity ?? []) this.unitsLeft -= CapacityUnits
      items.push(...(output.Responses?.[JOKES_TABLE] ?? []))
      return output.UnprocessedKeys?.[JOKES_TABLE]?.Keys
    })
    const listed = items.filter((item) => v.is(Listed, item))
    return new Map(properItems(Joke, listed).map((joke) => [joke.id, joke]))
  }
}

/** A removed joke stands on no shelf. */
const Listed = v.object({ shelf: v.string() })
