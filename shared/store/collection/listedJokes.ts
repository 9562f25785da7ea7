/** The listed jokes in memory: the latest known version of each, sorted lists of them, and an index of their words. */
import type { StoredJoke } from '../../joke.ts'
import { searchTextOf } from '../../searchText.ts'
import { type Item, listedJoke } from '../item.ts'
import { descendingBy, type Place, placeOf } from './order.ts'
import { WordIndex } from './wordIndex.ts'

/** A joke in memory, prepared for listings. */
export interface ListedJoke extends Place {
  joke: StoredJoke
  /** The category of the joke, which filters reach faster here. */
  category: string
  /** The text in which searches look. */
  searchText: string
}

/** The latest version of an id. A joke that is not listed keeps its revision, so that an older one cannot list it again. */
interface Version {
  rev: number
  /** Size of the item as JSON. */
  bytes: number
  listed: ListedJoke | undefined
}

type SortField = Parameters<typeof descendingBy>[0]

interface SortedList {
  jokes: ListedJoke[]
  /** Those of a category, for each category that was asked for since the list was sorted. */
  byCategory: Map<string, ListedJoke[]>
  isCurrent: boolean
}

export class ListedJokes {
  /** Whether jokes were left out, because there was no room for them. From then on, no joke is added. */
  isCut = false
  /** Size of the items as JSON. */
  bytes = 0
  private words = new WordIndex<ListedJoke>()
  /** Number of jokes in `words` that are no longer listed, or have other texts. */
  private outdatedWords = 0
  private readonly versions = new Map<string, Version>()
  private readonly lists = new Map<SortField, SortedList>()
  private readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  get count(): number {
    return this.sortedBy('dateAdded').length
  }

  /** Returns the jokes, or those of a category, in descending order. */
  sortedBy(field: SortField, category?: string): readonly ListedJoke[] {
    const { jokes, byCategory } = this.currentList(field)
    if (category === undefined) return jokes
    const known = byCategory.get(category) ?? jokes.filter((joke) => joke.category === category)
    byCategory.set(category, known)
    return known
  }

  /**
   * Returns the jokes with a word that begins with the rarest of these beginnings, in no order.
   *
   * @returns `undefined` if there are more than `max`
   */
  withRarest(beginnings: string[], max: number): ListedJoke[] | undefined {
    return this.words.withRarest(beginnings, max)?.filter((joke) => this.isCurrent(joke))
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
    const jokes = (known?.jokes ?? this.all()).filter((joke) => this.isCurrent(joke)).sort(descendingBy(field))
    const list = { jokes, byCategory: new Map(), isCurrent: true }
    this.lists.set(field, list)
    return list
  }

  private all(): ListedJoke[] {
    return Array.from(this.versions.values(), ({ listed }) => listed ?? []).flat()
  }

  private isCurrent(joke: ListedJoke): boolean {
    return this.versions.get(joke.id)?.listed === joke
  }

  private hasRoomFor(item: Item): boolean {
    this.isCut ||= this.bytes >= this.maxBytes && listedJoke(item) !== undefined
    return !this.isCut
  }

  private replace(known: Version | undefined, item: Item, rev: number): void {
    const joke = listedJoke(item)
    const bytes = joke ? JSON.stringify(item).length : 0
    const before = known?.listed
    const listed = joke && (before && hasSameText(before.joke, joke) ? before : prepare(joke))
    this.versions.set(String(item.id), { rev, bytes, listed })
    this.bytes += bytes - (known?.bytes ?? 0)
    for (const list of this.lists.values()) list.isCurrent = false
    if (joke && listed && listed === before) {
      Object.assign(listed, placeOf(joke), { joke, category: joke.category })
      return
    }
    if (listed) {
      this.words.add(listed)
      for (const { jokes } of this.lists.values()) jokes.push(listed)
    }
    if (before) this.outdateWords()
  }

  /** Replaces the index of words once a share of its jokes is outdated. Removing a joke from its long lists is slow. */
  private outdateWords(): void {
    this.outdatedWords += 1
    if (this.outdatedWords < 100 + this.versions.size / 8) return
    this.outdatedWords = 0
    this.words = new WordIndex()
    for (const joke of this.all()) this.words.add(joke)
  }
}

function hasSameText(a: StoredJoke, b: StoredJoke): boolean {
  return a.joke === b.joke && a.punchline === b.punchline
}

function prepare(joke: StoredJoke): ListedJoke {
  return { ...placeOf(joke), joke, category: joke.category, searchText: searchTextOf(joke) }
}
