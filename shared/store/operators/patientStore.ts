/** The store of a command, which goes on until it is done, however much the database throttles. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import pLimit from 'p-limit'
import { PATIENT } from '../limits.ts'
import { openStore, type Store, type StoreOptions } from '../store.ts'

/**
 * Opens a store for a command.
 *
 * @param report is called once, when the database throttles first
 */
export function openPatientStore(options: StoreOptions, config: DynamoDBClientConfig, report: () => void): Store {
  return openStore(options, config, PATIENT, new Pace(report))
}

/**
 * Calls `work` for each item, several at once: fewer while the database throttles. After an error, no further call begins;
 * rejects with the first one once those that have begun have ended.
 */
export async function forEachAtOnce<Item>(
  { pace = new Pace() }: Pick<Store, 'pace'>,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  await pace.limit.map(items, async (item) => {
    if (errors.length > 0) return
    await work(item).catch((error: unknown) => errors.push(error))
    pace.speedUp()
  })
  if (errors.length > 0) throw errors[0]
}

/** Enough for hundreds of jokes a second, and few enough for DynamoDB. */
const AT_ONCE = 16

/** On how many items a command works at once: half as many each time the database throttles, then gradually more. */
export class Pace {
  readonly limit = pLimit(AT_ONCE)
  private atOnce = AT_ONCE
  private report: () => void

  constructor(report = () => {}) {
    this.report = report
  }

  slowDown(): void {
    this.report()
    this.report = () => {}
    this.change(this.atOnce / 2)
  }

  speedUp(): void {
    this.change(this.atOnce + 1 / AT_ONCE)
  }

  private change(atOnce: number): void {
    this.atOnce = Math.min(AT_ONCE, Math.max(1, atOnce))
    this.limit.concurrency = Math.floor(this.atOnce)
  }
}
