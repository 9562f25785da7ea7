/** What a listing reads. Before each call, it makes sure that the request can afford it, however large the rows may be. */
import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { JokeId } from '../../joke.ts'
import { getItems, MAX_KEYS } from '../connection/batches.ts'
import { JOKE_BYTES, properItems, SearchableJoke, stateOf } from '../item.ts'
import type { Budget } from '../limits.ts'
import type { Store } from '../store.ts'

/** What one read unit reads, eventually consistent. */
const BYTES_PER_UNIT = 8_192

/** DynamoDB counts an item that it reads by its id in steps of half a unit. */
const UNITS_PER_JOKE = Math.ceil((2 * JOKE_BYTES) / BYTES_PER_UNIT) / 2

export class BudgetedReads {
  readonly store: Store
  /** What is spent, or set aside for calls on their way. */
  readonly spent: Budget = { units: 0, calls: 0 }
  private readonly abortSignal: AbortSignal
  private readonly budget: Budget
  private readonly parent: BudgetedReads | undefined

  constructor(store: Store, abortSignal: AbortSignal, budget = store.limits.listing, parent?: BudgetedReads) {
    this.store = store
    this.abortSignal = abortSignal
    this.budget = budget
    this.parent = parent
  }

  /** For a part of the work, which may read so much of what is left. */
  withBudget(budget: Budget): BudgetedReads {
    return new BudgetedReads(this.store, this.abortSignal, budget, this)
  }

  /** Whether so much is left. */
  has(budget: Budget): boolean {
    const { units, calls } = this.left()
    return units >= budget.units && calls >= budget.calls
  }

  /** How many rows of at most so many bytes a query may ask for now, as one of several side by side. */
  affordableRows(rowBytes: number, queries: number): number {
    const { units, calls } = this.left()
    if (calls < queries) return 0
    // DynamoDB counts queries in halves of a unit.
    const share = Math.floor((2 * units) / queries) / 2
    return Math.max(0, Math.floor((share * BYTES_PER_UNIT) / rowBytes))
  }

  /** How many jokes may be read by id now, eventually consistent. */
  affordableJokes(): number {
    const { units, calls } = this.left()
    return Math.max(0, Math.min(Math.floor(units / UNITS_PER_JOKE), MAX_KEYS * calls))
  }

  /** @param input whose limit is at most that of {@link affordableRows} */
  async query(rowBytes: number, input: QueryCommandInput & { Limit: number }): Promise<QueryCommandOutput> {
    const most = Math.ceil((2 * input.Limit * rowBytes) / BYTES_PER_UNIT) / 2
    this.spend(most, 1)
    const command = new QueryCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' })
    const output = await this.store.database.send(command, { abortSignal: this.abortSignal })
    this.spend((output.ConsumedCapacity?.CapacityUnits ?? 0) - most, 0)
    return output
  }

  /** Reads jokes by their ids: those that exist and are listed, by id. */
  async jokes(ids: string[], options: { ConsistentRead?: boolean } = {}): Promise<Map<string, SearchableJoke>> {
    const validIds = new Set(ids.filter((id) => v.is(JokeId, id)))
    const { items, units } = await getItems(this.store, [...validIds], options, this.abortSignal)
    this.spend(units, Math.ceil(validIds.size / MAX_KEYS))
    const listed = items.filter((item) => stateOf(item) === 'listed')
    return new Map(properItems(SearchableJoke, listed).map((found) => [found.joke.id, found]))
  }

  private left(): Budget {
    const { units, calls } = this.parent?.left() ?? this.budget
    return {
      units: Math.min(units, this.budget.units - this.spent.units),
      calls: Math.min(calls, this.budget.calls - this.spent.calls),
    }
  }

  private spend(units: number, calls: number): void {
    this.spent.units += units
    this.spent.calls += calls
    this.parent?.spend(units, calls)
  }
}
