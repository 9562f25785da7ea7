/** Works on many items, several at once. */

/** Enough for hundreds of jokes a second, without throttling the tables or looking like an attack. */
const AT_ONCE = 16

/** Calls `work` for each item, {@link AT_ONCE} at a time. */
export async function forEachAtOnce<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const workThrough = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, workThrough))
}
