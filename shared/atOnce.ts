/** Works on many items, several at once. */

/** Enough for hundreds of jokes a second, and few enough for DynamoDB. */
const AT_ONCE = 16

/**
 * Calls `work` for each item, {@link AT_ONCE} at a time. Rejects with the first error: then, no further call begins, but
 * others may still go on.
 */
export async function forEachAtOnce<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  // Unlike the iterator of an array, a generator ends for all that share it when one of them fails.
  const waiting = (function* () {
    yield* items
  })()
  const workThrough = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, workThrough))
}
