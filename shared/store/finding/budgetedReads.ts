/** The reads of a listing. Each call must fit into the budget, even if all of its rows have the maximum size. */
import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { JokeId } from '../../joke.ts'
import { getItems, MAX_KEYS } from '../connection/batches.ts'
import { JOKE_BYTES, SearchableJoke, stateOf, validItems } from '../item.ts'
import type { Budget } from '../limits.ts'
import type { Store } from '../store.ts'

/** Bytes that one unit reads, eventually consistent. */
const BYTES_PER_UNIT = 8_192

/** Units for the largest joke, read by its id. DynamoDB counts in half units. */
const UNITS_PER_JOKE = Math.ceil((2 * JOKE_BYTES) / BYTES_PER_UNIT) / 2

export class BudgetedReads {
  readonly store: Store
  /** Units and calls spent. A query in flight counts with its worst case. */
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

  /** Returns reads with a budget of their own. What they spend also reduces this budget. */
  withBudget(budget: Budget): BudgetedReads {
    return new BudgetedReads(this.store, this.abortSignal, budget, this)
  }

  /** Whether this much of the budget is left. */
  has(budget: Budget): boolean {
    const { units, calls } = this.left()
    return units >= budget.units && calls >= budget.calls
  }

  /** Returns the row limit of each of `queries` parallel queries, if every row has `rowBytes`. */
  affordableRows(rowBytes: number, queries: number): number {
    const { units, calls } = this.left()
    if (calls < queries) return 0
    // DynamoDB counts queries in half units.
    const share = Math.floor((2 * units) / queries) / 2
    return Math.max(0, Math.floor((share * BYTES_PER_UNIT) / rowBytes))
  }

  /** Returns how many jokes can now be read by id, eventually consistent. */
  affordableJokes(): number {
    const { units, calls } = this.left()
    return Math.max(0, Math.min(Math.floor(units / UNITS_PER_JOKE), MAX_KEYS * calls))
  }

  /** @param input must have a limit of at most {@link affordableRows} */
  async query(rowBytes: number, input: QueryCommandInput & { Limit: number }): Promise<QueryCommandOutput> {
    const worstCase = Math.ceil((2 * input.Limit * rowBytes) / BYTES_PER_UNIT) / 2
    this.spend(worstCase, 1)
    const command = new QueryCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' })
    const output = await this.store.database.send(command, { abortSignal: this.abortSignal })
    this.spend((output.ConsumedCapacity?.CapacityUnits ?? 0) - worstCase, 0)
    return output
  }

  /** Reads the jokes with these ids, and returns the listed ones by id. */
  async jokes(ids: string[], options: { ConsistentRead?: boolean } = {}): Promise<Map<string, SearchableJoke>> {
    const validIds = new Set(ids.filter((id) => v.is(JokeId, id)))
    const { items, units } = await getItems(this.store, [...validIds], options, this.abortSignal)
    this.spend(units, Math.ceil(validIds.size / MAX_KEYS))
    const listed = items.filter((item) => stateOf(item) === 'listed')
    return new Map(validItems(SearchableJoke, listed).map((found) => [found.joke.id, found]))
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
