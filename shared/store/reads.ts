/** What one request reads. It counts the read units; callers ask what is still affordable before they read more. */
import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { Joke, JokeId } from '../joke.ts'
import { getItems } from './batches.ts'
import { database } from './database.ts'
import { isListed, properItems } from './item.ts'
import { MAX_READ_UNITS } from './limits.ts'

/** What one read unit reads, eventually consistent. */
const BYTES_PER_UNIT = 8_192

export class Reads {
  private readonly abortSignal: AbortSignal
  private unitsLeft = MAX_READ_UNITS

  constructor(abortSignal: AbortSignal) {
    this.abortSignal = abortSignal
  }

  /** How many rows, of at most `rowBytes` each, queries may still read if `reservedUnits` are kept for other reads. */
  affordableRows(rowBytes: number, reservedUnits: number): number {
    return Math.max(0, Math.floor(((this.unitsLeft - reservedUnits) * BYTES_PER_UNIT) / rowBytes))
  }

  /** How many jokes may still be read by id, eventually consistent: each costs at most one unit. */
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
    const validIds = new Set(ids.filter((id) => v.is(JokeId, id)))
    const { items, units } = await getItems([...validIds], options, this.abortSignal)
    this.unitsLeft -= units
    return new Map(properItems(Joke, items.filter(isListed)).map((joke) => [joke.id, joke]))
  }
}
