/** The listed jokes in memory, and the revisions of those that were removed. */
import { CATEGORIES, type Joke } from '../../joke.ts'
import { searchTextOf } from '../../words.ts'
import { type Item, jokeOf } from '../item.ts'
import { CACHE } from '../limits.ts'
import { type SortKey, sortKeyOf } from './order.ts'

export interface Entry extends SortKey {
  joke: Joke
  /** That of the joke. Filters need not look it up there. */
  category: string
  /** The text in which searches look. */
  searchText: string
}

/** The latest version of a joke. One that is no longer listed stays, or an older version could list it again. */
interface Version {
  rev: number
  /** Decides between two versions with the same revision. */
  changedAt: string
  entry: Entry | undefined
}

export class ListedJokes {
  /** Size in memory, roughly. */
  bytes = 0
  /** Whether there was no room for some jokes. Those in memory are still changed and removed. */
  isTruncated = false
  private readonly versions = new Map<unknown, Version>()
  private entries: Entry[] | undefined

  /** Returns the listed jokes. Those that were added since the load are at the end. */
  all(): readonly Entry[] {
    this.entries ??= [...this.versions.values()].flatMap(({ entry }) => entry ?? [])
    return this.entries
  }

  /** Takes over the items, in any order, that are later than the known versions. */
  apply(items: Item[]): void {
    for (const item of items) {
      const { id, jokeState, rev = 0, changedAt = '' } = item
      const known = this.versions.get(id)
      const isLater = !known || rev > known.rev || (rev === known.rev && changedAt > known.changedAt)
      // A joke that waits and is not in memory was never listed, so no older version could list it again.
      if (!isLater || (!known && jokeState === 'waiting')) continue
      const entry = entryOf(item, known?.entry)
      if (!known && entry && this.bytes >= CACHE.bytes) {
        this.isTruncated = true
        continue
      }
      const bytesBefore = known ? sizeOf(known.entry) : 0
      this.bytes += sizeOf(entry) - bytesBefore
      this.versions.set(id, { rev, changedAt, entry: this.update(known?.entry, entry) })
    }
  }

  /**
   * A changed entry stays where it is in memory. If each upvote made a new one, they would soon lie scattered, and a listing
   * would take ten times as long.
   */
  private update(known: Entry | undefined, entry: Entry | undefined): Entry | undefined {
    if (known && entry) return Object.assign(known, entry)
    if (known) this.entries = undefined
    else if (entry) this.entries?.push(entry)
    return entry
  }
}

function entryOf(item: Item, before: Entry | undefined): Entry | undefined {
  const joke = item.jokeState === 'listed' ? jokeOf(item) : undefined
  if (!joke) return undefined
  const hasSameText = before && before.joke.joke === joke.joke && before.joke.punchline === joke.punchline
  // One text for all jokes of a category is compared quickly.
  joke.category = CATEGORIES.find((name) => name === joke.category) ?? joke.category
  return {
    ...sortKeyOf(joke),
    joke,
    category: joke.category,
    // A copy: V8 keeps the whole of a text for a slice of it.
    searchText: hasSameText ? before.searchText : Buffer.from(searchTextOf(joke)).toString(),
  }
}

/** Size of a version in memory, and of a joke without its texts, as measured. */
const VERSION_BYTES = 150
const JOKE_BYTES = 300

function sizeOf(entry: Entry | undefined): number {
  if (!entry) return VERSION_BYTES
  const texts = [entry.searchText, ...Object.values(entry.joke)].filter((value) => typeof value === 'string')
  return texts.reduce((sum, text) => sum + bytesOf(text), VERSION_BYTES + JOKE_BYTES)
}

/** V8 takes a byte for each character, or two if one of them is beyond Latin-1. */
function bytesOf(text: string): number {
  return /[^\0-\xFF]/.test(text) ? 2 * text.length : text.length
}
