/** Finds the jokes that have a word with a given beginning. Nothing is removed from an index: it is replaced. */
import { firstNotBefore } from './binarySearch.ts'

export class WordIndex<Entry extends { searchText: string }> {
  private readonly entriesByWord = new Map<string, Entry[]>()
  private sorted: string[] = []
  /** Words that are not in `sorted` yet. */
  private added: string[] = []

  add(entry: Entry): void {
    for (const word of wordsIn(entry)) {
      const entries = this.entriesByWord.get(word)
      if (entries) entries.push(entry)
      else {
        this.entriesByWord.set(word, [entry])
        this.added.push(word)
      }
    }
  }

  /**
   * Returns the entries with a word that begins with the rarest of these beginnings, in no order.
   *
   * @returns `undefined` if there are more than `max`
   */
  withRarest(beginnings: string[], max: number): Entry[] | undefined {
    const lists = beginnings.map((beginning) => this.listsOf(beginning))
    const sizes = lists.map((each) => each.reduce((sum, { length }) => sum + length, 0))
    const size = Math.min(...sizes)
    if (size > max) return undefined
    return [...new Set(lists[sizes.indexOf(size)]?.flat())]
  }

  /** Returns the entries of each word that begins so. */
  private listsOf(beginning: string): Entry[][] {
    if (this.added.length > 0) {
      // Sorting joins two sorted parts in linear time.
      this.sorted = [...this.sorted, ...this.added.sort()].sort()
      this.added = []
    }
    const lists: Entry[][] = []
    let index = firstNotBefore(this.sorted, (word) => word < beginning)
    for (; this.sorted[index]?.startsWith(beginning); index++)
      lists.push(this.entriesByWord.get(this.sorted[index] ?? '') ?? [])
    return lists
  }
}

function wordsIn({ searchText }: { searchText: string }): Set<string> {
  return new Set(searchText.split(' ').filter((word) => word !== ''))
}
