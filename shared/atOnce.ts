/** Works on many items, several at once. */

/** Enough for hundreds of jokes a second, and few enough for the throttles of DynamoDB and of the firewall. */
const AT_ONCE = 16

/** Calls `work` for each item, {@link AT_ONCE} at a time. Rejects with the first error; other calls may still go on. */
export async function forEachAtOnce<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const workThrough = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, workThrough))
}
