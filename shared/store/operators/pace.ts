/** How many jokes a command works on at once. */
import pLimit from 'p-limit'

/** Enough for hundreds of jokes a second, and few enough for DynamoDB. */
const AT_ONCE = 16

/** How many items a command works on at once: half as many each time the database throttles, then gradually more. */
export class Pace {
  readonly limit = pLimit(AT_ONCE)
  private atOnce = AT_ONCE
  private report: () => void

  /** @param report is called once, when the database first throttles */
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
 * Calls `work` for each item, several at once: fewer while the database throttles. After an error, no further call begins;
 * rejects with the first one once those that have begun have ended.
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
