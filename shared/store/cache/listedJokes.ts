/** The listed jokes in memory: the latest known version of each, in no order. */
import { CATEGORIES, type StoredJoke } from '../../joke.ts'
import { searchTextOf } from '../../words.ts'
import { type Item, listedJokeOf, stateOf } from '../item.ts'
import { type SortKey, sortKeyOf } from './order.ts'

/** A listed joke, prepared for listings. */
export interface Entry extends SortKey {
  joke: StoredJoke
  /** The category as one text for all jokes, so that it is compared quickly. */
  category: string
  /** The text in which searches look. */
  searchText: string
}

/** The latest version of an id. A joke that is not listed keeps its revision, so that an older one cannot list it again. */
interface Version {
  rev: number
  /** Size in memory, roughly. */
  bytes: number
  /** Absent if the joke is not listed. */
  entry: Entry | undefined
}

export class ListedJokes {
  /** Size of the items and their search texts in memory, roughly. */
  bytes = 0
  /** Whether jokes were left out, because there was no room for them. From then on, refreshes add no joke. */
  isTruncated = false
  private readonly versions = new Map<string, Version>()
  private entries: readonly Entry[] | undefined
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  get count(): number {
    return this.all().length
  }

  /** Returns the listed jokes, in no order. */
  all(): readonly Entry[] {
    this.entries ??= [...this.versions.values()].flatMap(({ entry }) => entry ?? [])
    return this.entries
  }

  /**
   * Takes over the items, in any order, whose revision is higher than the known one.
   *
   * @param room bytes for jokes that are added
   * @returns the room that is left. There is none from the first joke on that did not fit
   */
  apply(items: Item[], room = this.isTruncated ? 0 : this.maxBytes - this.bytes): number {
    let left = room
    for (const item of items) {
      const id = String(item.id)
      const known = this.versions.get(id)
      const rev = Number(item.rev) || 0
      if (known ? rev <= known.rev : wasNeverListed(item)) continue
      const entry = prepare(listedJokeOf(item), known?.entry)
      const bytes = sizeOf(entry)
      if (!known && entry && bytes > left) {
        this.isTruncated = true
        left = 0
        continue
      }
      this.versions.set(id, { rev, bytes, entry })
      this.entries = undefined
      const growth = bytes - (known?.bytes ?? 0)
      this.bytes += growth
      left -= growth
    }
    return left
  }
}

/** Whether no version of an item was ever listed, so that its revision decides nothing. */
function wasNeverListed(item: Item): boolean {
  const state = stateOf(item)
  return state === 'waiting' || state === 'alias'
}

/** Prepares a joke. An earlier version with the same text saves the work on it. */
function prepare(joke: StoredJoke | undefined, before: Entry | undefined): Entry | undefined {
  if (!joke) return undefined
  const hasSameText = before && before.joke.joke === joke.joke && before.joke.punchline === joke.punchline
  const category = SHARED_CATEGORIES.get(joke.category) ?? joke.category
  return { ...sortKeyOf(joke), joke, category, searchText: hasSameText ? before.searchText : searchTextOf(joke) }
}

const SHARED_CATEGORIES = new Map<string, string>(CATEGORIES.map((name) => [name, name]))

/** Size of a version in memory, and of a joke without its texts, as measured. */
const VERSION_BYTES = 150
const JOKE_BYTES = 350

function sizeOf(entry: Entry | undefined): number {
  if (!entry) return VERSION_BYTES
  const { joke, searchText } = entry
  return VERSION_BYTES + JOKE_BYTES + bytesOf(joke.joke) + bytesOf(joke.punchline) + bytesOf(searchText)
}

/** A text takes a byte for each character, or two if one of them is beyond Latin-1. */
function bytesOf(text: string): number {
  return /[^\0-\xFF]/.test(text) ? 2 * text.length : text.length
}
