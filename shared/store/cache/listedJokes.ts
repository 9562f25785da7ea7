/** The listed jokes in memory: the latest known version of each, sorted lists of them, and an index of their words. */
import type { StoredJoke } from '../../joke.ts'
import { searchTextOf } from '../../searchText.ts'
import { type Item, listedJokeOf } from '../item.ts'
import { descendingBy, type SortKey, sortKeyOf } from './order.ts'
import { WordIndex } from './wordIndex.ts'

/** A listed joke, prepared for listings. */
export interface Entry extends SortKey {
  joke: StoredJoke
  /** The text in which searches look. */
  searchText: string
}

/** The latest version of an id. A joke that is not listed keeps its revision, so that an older one cannot list it again. */
interface Version {
  rev: number
  /** Size of the item as JSON. */
  bytes: number
  /** Absent if the joke is not listed. */
  entry: Entry | undefined
}

type SortField = Parameters<typeof descendingBy>[0]

interface SortedList {
  entries: Entry[]
  /** The entries of each category that was asked for since the list was sorted. */
  byCategory: Map<string, Entry[]>
  isCurrent: boolean
}

export class ListedJokes {
  count = 0
  /** Size of the items as JSON. */
  bytes = 0
  /** Whether jokes were left out, because there was no room for them. From then on, no joke is added. */
  isTruncated = false
  private words = new WordIndex<Entry>()
  /** Number of entries in `words` that are no longer listed, or have other texts. */
  private outdatedWords = 0
  private readonly versions = new Map<string, Version>()
  private readonly lists = new Map<SortField, SortedList>()
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Returns the jokes, or those of a category, in descending order. */
  sortedBy(field: SortField, category?: string): readonly Entry[] {
    const { entries, byCategory } = this.currentList(field)
    if (category === undefined) return entries
    const known = byCategory.get(category) ?? entries.filter(({ joke }) => joke.category === category)
    byCategory.set(category, known)
    return known
  }

  /**
   * Returns the jokes with a word that begins with the rarest of these beginnings, in no order.
   *
   * @returns `undefined` if there are more than `max`
   */
  withRarest(beginnings: string[], max: number): Entry[] | undefined {
    return this.words.withRarest(beginnings, max)?.filter((entry) => this.isListed(entry))
  }

  /** Takes over the items, in any order, whose revision is higher than the known one. */
  apply(items: Item[]): void {
    for (const item of items) {
      const known = this.versions.get(String(item.id))
      const rev = Number(item.rev) || 0
      if (known ? rev > known.rev : this.hasRoomFor(item)) this.replace(known, item, rev)
    }
  }

  private currentList(field: SortField): SortedList {
    const known = this.lists.get(field)
    if (known?.isCurrent) return known
    // Sorting again begins with the earlier list, because sorting a nearly sorted list takes linear time.
    const entries = (known?.entries ?? this.all()).filter((entry) => this.isListed(entry)).sort(descendingBy(field))
    const list: SortedList = { entries, byCategory: new Map(), isCurrent: true }
    this.lists.set(field, list)
    return list
  }

  private all(): Entry[] {
    return Array.from(this.versions.values(), ({ entry }) => entry ?? []).flat()
  }

  /** Whether an entry is still the listed one of its id. */
  private isListed(entry: Entry): boolean {
    return this.versions.get(entry.id)?.entry === entry
  }

  private hasRoomFor(item: Item): boolean {
    this.isTruncated ||= this.bytes >= this.maxBytes && listedJokeOf(item) !== undefined
    return !this.isTruncated
  }

  private replace(known: Version | undefined, item: Item, rev: number): void {
    const joke = listedJokeOf(item)
    const before = known?.entry
    const entry = joke && (before && hasSameText(before.joke, joke) ? moved(before, joke) : prepare(joke))
    const bytes = joke ? JSON.stringify(item).length : 0
    this.versions.set(String(item.id), { rev, bytes, entry })
    this.bytes += bytes - (known?.bytes ?? 0)
    this.count += Number(entry !== undefined) - Number(before !== undefined)
    for (const list of this.lists.values()) list.isCurrent = false
    if (entry === before) return
    if (entry) {
      this.words.add(entry)
      for (const { entries } of this.lists.values()) entries.push(entry)
    }
    if (before) this.outdateWords()
  }

  /** Replaces the index of words once a share of it is outdated. Removing an entry from its long lists is slow. */
  private outdateWords(): void {
    this.outdatedWords += 1
    if (this.outdatedWords < 100 + this.versions.size / 8) return
    this.outdatedWords = 0
    this.words = new WordIndex()
    for (const entry of this.all()) this.words.add(entry)
  }
}

function hasSameText(a: StoredJoke, b: StoredJoke): boolean {
  return a.joke === b.joke && a.punchline === b.punchline
}

/** Moves an entry to the place of a later version with the same text, so that its words need no work. */
function moved(entry: Entry, joke: StoredJoke): Entry {
  return Object.assign(entry, sortKeyOf(joke), { joke })
}

function prepare(joke: StoredJoke): Entry {
  return { ...sortKeyOf(joke), joke, searchText: searchTextOf(joke) }
}
