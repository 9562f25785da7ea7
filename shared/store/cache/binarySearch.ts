/** Returns the index of the first item that is not before a place in a sorted list. */
export function firstNotBefore<Item>(sorted: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = sorted[middle]
    if (item !== undefined && isBefore(item)) low = middle + 1
    else high = middle
  }
  return low
}
