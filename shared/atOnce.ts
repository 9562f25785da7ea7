/** Works on many items, several at once. */

/** Enough for hundreds of jokes a second, and few enough for DynamoDB. */
const AT_ONCE = 16

/** How many items are worked on at once: fewer while the database throttles. */
export class Pace {
  atOnce = AT_ONCE
  private readonly report: () => void
  private isReported = false

  /** @param report is called once, when it slows down first */
  constructor(report: () => void = () => {}) {
    this.report = report
  }

  slowDown(): void {
    if (!this.isReported) this.report()
    this.isReported = true
    this.atOnce = Math.max(1, this.atOnce / 2)
  }

  speedUp(): void {
    this.atOnce = Math.min(AT_ONCE, this.atOnce + 1 / AT_ONCE)
  }
}

/**
 * Calls `work` for each item, several at a time. If the pace slows down meanwhile, it ends with fewer at a time. Rejects
 * with the first error: then, no further call begins, but others may still go on.
 */
export async function forEachAtOnce<Item>(
  items: Item[],
  work: (item: Item) => Promise<void>,
  pace = new Pace(),
): Promise<void> {
  const waiting = items.values()
  let hasFailed = false
  const workThrough = async (number: number) => {
    while (!hasFailed && number < pace.atOnce) {
      const { value, done } = waiting.next()
      if (done) return
      try {
        await work(value)
      } catch (error) {
        hasFailed = true
        throw error
      }
      pace.speedUp()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => workThrough(number)))
}
