/** Controls how many items a command works on at once. */
import pLimit from 'p-limit'

/** Maximum number of items at once. Enough for hundreds of jokes a second, and few enough for DynamoDB. */
const AT_ONCE = 16

/** Halves the number of items at once each time the database throttles, then raises it gradually. */
export class Pace {
  readonly limit = pLimit(AT_ONCE)
  private atOnce = AT_ONCE
  private report: () => void

  /** @param report called once, when the database first throttles */
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

/**
 * Calls `work` for each item, several at once, and fewer while the database throttles. After an error, it begins no
 * further call. Once the begun calls have ended, it rejects with the first error.
 */
export async function forEachAtOnce<Item>(
  { pace = new Pace() }: { pace?: Pace },
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
