/** Enforces DynamoDB's limits for each partition in virtual time, between the service and a local database. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import type { Store } from '../shared/store/store.ts'
import { consumedBy, unitsOf } from '../test/support/meter.ts'

/** Capacity units a second of one partition (DynamoDB's developer guide, "Partitions and data distribution"). */
export const ALLOWED = { read: 3_000, written: 1_000 }

/** Units of a partition: of a table or an index, for one value of its partition key. */
export interface Share {
  partition: string
  kind: keyof typeof ALLOWED
  units: number
}

/** The outcome of a request. */
export interface Outcome<Result> {
  result: Result
  /** Whether any of its calls was throttled. */
  isThrottled: boolean
  /** The units that its calls took. */
  shares: Share[]
}

/** A request in progress. */
interface Request extends Pick<Outcome<unknown>, 'isThrottled' | 'shares'> {
  /** In milliseconds of virtual time. */
  arrival: number
  /** How often each call was throttled, by its command and input. */
  refusals: Map<string, number>
}

/**
 * Throttles the calls of a store as DynamoDB does.
 *
 * A call passes if each of its partitions has units left, and then takes as many as the database reports. If that is more
 * than were left, the partition refills from below zero. A throttled index throttles the write to its table. Of a batch
 * of writes, only those to exhausted partitions are left unprocessed.
 */
export class Partitions {
  private readonly buckets = new Map<string, Bucket>()
  private readonly requests = new AsyncLocalStorage<Request>()
  private readonly categoryOf: (id: string) => string | undefined

  /** @param categoryOf the category of a joke, which the input of an upvote does not contain */
  constructor({ database, upvoteDatabase, limits }: Store, categoryOf: (id: string) => string | undefined) {
    this.categoryOf = categoryOf
    for (const { middlewareStack } of [database, upvoteDatabase]) {
      middlewareStack.add(
        (next) => (args) => {
          Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' })
          return next(args)
        },
        { step: 'initialize' },
      )
      middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            const request = this.requests.getStore()
            if (request === undefined) return next(args)
            const wanted = this.sharesOf(`${commandName}`, args.input)
            const call = JSON.stringify([commandName, args.input])
            const refusals = request.refusals.get(call) ?? 0
            // The average sum of the waits after so many refusals.
            const time = request.arrival + (limits.firstWaitMs / 2) * (2 ** refusals - 1)
            const exhausted = wanted.filter((share) => this.bucketOf(share).isExhausted(time))
            const isBatchWrite = commandName === 'BatchWriteItemCommand'
            if (exhausted.length > 0) {
              request.isThrottled = true
              request.refusals.set(call, refusals + 1)
              if (!isBatchWrite || exhausted.length === wanted.length)
                throw new ProvisionedThroughputExceededException({ message: 'Throttled.', $metadata: {} })
            }
            const result = await next(args)
            const left = new Set(exhausted.map(({ partition }) => partition))
            for (const share of this.sharesOf(`${commandName}`, args.input, result.output)) {
              if (left.has(share.partition)) continue
              this.bucketOf(share).take(share.units)
              request.shares.push(share)
            }
            // The database has written these rows, too. Writing them again changes nothing.
            if (left.size > 0) {
              const UnprocessedItems = unprocessed(args.input, left)
              const rest = { ...args.input, RequestItems: UnprocessedItems }
              request.refusals.set(JSON.stringify([commandName, rest]), refusals + 1)
              Object.assign(result.output, { UnprocessedItems })
            }
            return result
          },
        // Below the SDK's retries, to see each attempt.
        { step: 'finalizeRequest', priority: 'low' },
      )
    }
  }

  /** Restarts virtual time with unused partitions. */
  reset(): void {
    this.buckets.clear()
  }

  /** Runs a request that arrives at a time in milliseconds of virtual time. */
  async run<Result>(arrival: number, work: () => Promise<Result>): Promise<Outcome<Result>> {
    const request: Request = { arrival, refusals: new Map(), isThrottled: false, shares: [] }
    const result = await this.requests.run(request, work)
    return { result, isThrottled: request.isThrottled, shares: request.shares }
  }

  private bucketOf({ partition, kind }: Share): Bucket {
    const name = `${partition} ${kind}`
    const bucket = this.buckets.get(name) ?? new Bucket(ALLOWED[kind])
    this.buckets.set(name, bucket)
    return bucket
  }

  /** The partitions of a call, and the units it took from each if its output is known. */
  private sharesOf(command: string, input: object, output: object = {}): Share[] {
    const units = unitsOf(output)
    if (command === 'BatchGetItemCommand') {
      const shares: Share[] = []
      for (const [table, { Keys }] of Object.entries(v.parse(BatchGet, input).RequestItems))
        for (const { id } of Keys)
          shares.push({ partition: `${table} ${id.S}`, kind: 'read', units: units / Keys.length })
      return shares
    }
    if (command === 'BatchWriteItemCommand')
      return putsOf(input).map(({ partition }, _, { length }) => ({
        partition,
        kind: 'written',
        units: units / length,
      }))

    const { TableName, IndexName, Key, Item, ExpressionAttributeValues: values } = v.parse(Input, input)
    if (command === 'QueryCommand') {
      const key = values?.[':shelf'] ?? values?.[':prefix'] ?? values?.[':state']
      return [{ partition: `${IndexName ?? TableName} ${key?.S}`, kind: 'read', units }]
    }
    const id = `${(Item ?? Key)?.id.S}`
    if (command === 'GetItemCommand') return [{ partition: `${TableName} ${id}`, kind: 'read', units }]

    const category = Item?.shelf.S ?? this.categoryOf(id)
    const [{ Table, GlobalSecondaryIndexes } = {}] = consumedBy(output)
    const shares: Share[] = [{ partition: `${TableName} ${id}`, kind: 'written', units: Table?.CapacityUnits ?? 0 }]
    for (const index of WRITTEN_INDEXES) {
      const units = GlobalSecondaryIndexes?.[index]?.CapacityUnits ?? 0
      shares.push({ partition: `${index} ${category}`, kind: 'written', units })
    }
    return shares
  }
}

/** The indexes that an upvote writes to. A new joke writes to the other too, but takes one unit there. */
const WRITTEN_INDEXES = ['byThumbsUp', 'byDateAdded']

const Text = v.object({ S: v.string() })

/** The input of a call for one item, or of a query. */
const Input = v.object({
  TableName: v.string(),
  IndexName: v.optional(v.string()),
  Key: v.optional(v.object({ id: Text })),
  Item: v.optional(v.object({ id: Text, shelf: Text })),
  ExpressionAttributeValues: v.optional(
    v.object({ ':shelf': v.optional(Text), ':prefix': v.optional(Text), ':state': v.optional(Text) }),
  ),
})

const BatchGet = v.object({
  RequestItems: v.record(v.string(), v.object({ Keys: v.array(v.object({ id: Text })) })),
})

const Put = v.object({ PutRequest: v.object({ Item: v.looseObject({ prefix: Text }) }) })
const BatchWrite = v.object({ RequestItems: v.record(v.string(), v.array(Put)) })

function putsOf(input: object) {
  return Object.entries(v.parse(BatchWrite, input).RequestItems).flatMap(([table, requests]) =>
    requests.map((request) => ({ table, partition: `${table} ${request.PutRequest.Item.prefix.S}`, request })),
  )
}

function unprocessed(input: object, partitions: Set<string>): Record<string, object[]> {
  const left = putsOf(input).filter(({ partition }) => partitions.has(partition))
  return Object.fromEntries(left.map(({ table }) => [table, left.map(({ request }) => request)]))
}

/** The units that a partition has left. */
class Bucket {
  private readonly limit: number
  private left: number
  private filledAt = 0

  constructor(limit: number) {
    this.limit = limit
    this.left = limit * FIRST_SECONDS
  }

  isExhausted(time: number): boolean {
    const seconds = Math.max(0, time - this.filledAt) / 1_000
    this.left = Math.min(this.left + seconds * this.limit, this.limit * BURST_SECONDS)
    this.filledAt = Math.max(this.filledAt, time)
    return this.left <= 0
  }

  take(units: number): void {
    this.left -= units
  }
}

/** How long a partition keeps unused capacity. */
const BURST_SECONDS = 1

/** The capacity of an unused partition: little, so that the first second allows as much as any other. */
const FIRST_SECONDS = 0.1
