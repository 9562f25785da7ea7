/** Searches the inverted index: a list of jokes for each prefix of words, and for each category. */
import type { Listing } from '../../listing.ts'
import { longest, longestPrefixOf } from '../../words.ts'
import { categoryList, ENTRY_BYTES, mayContainWord, ParsedEntry } from '../indexEntries.ts'
import { validItems } from '../item.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { Intersection } from './intersection.ts'
import { compareIn } from './order.ts'
import { type Candidate, isOfCategory } from './page.ts'
import { PartitionReader } from './partitionReader.ts'

/**
 * A joke that all index lists of a search have. These are its entries in one list, and the positions around them:
 *
 *     …#Schoo       …#School       …#School#chicken    …#School#chickens       …#School$
 *     before        entry key      entry               entry                   after
 */
interface IndexedCandidate extends Candidate {
  entryKey: string
  before: string
  /** The position after its entries. In descending order, they come in reverse, and it is the entry key. */
  position: string
}

/**
 * Finds the ids of all jokes that may match a listing, in any order. Stops reading once there are more than `maxIds`.
 *
 * @returns `undefined` if there are too many, or the listing has neither a search nor categories
 */
export async function gatherIds(listing: Listing, reads: BudgetedReads, maxIds = Number.POSITIVE_INFINITY) {
  const { searchWords, categories } = listing
  // A search reads all categories at once, because index entries name the category.
  const parts = searchWords ? [listing] : categories?.map((category) => ({ ...listing, categories: [category] }))
  const ids = new Set<string>()
  for (const part of parts ?? []) {
    // Pages of any size read the same rows, so that they make the same choice between sorting and walking.
    const lists = openLists({ ...part, numberofJokes: 1 }, reads)
    for (const { id } of await lists.next(maxIds + 1)) ids.add(id)
    if (!lists.hasEnded || ids.size > maxIds) return undefined
  }
  return parts && [...ids]
}

/** Opens the index lists of a search: those of its longest words, and that of its category if it has only one. */
export function openLists(listing: Listing, reads: BudgetedReads, start?: string) {
  const { searchWords = [], categories, sortOrder, numberofJokes } = listing
  const { firstEntries, entriesPerJoke } = reads.store.limits
  const isAscending = sortOrder === 'asc'
  const compare = (a: string, b: string) => compareIn(sortOrder, a, b)
  const candidateOf = ({ id, entryKey }: ParsedEntry) =>
    isAscending
      ? { id, entryKey, before: entryKey.slice(0, -1), position: `${entryKey}$` }
      : { id, entryKey, before: `${entryKey}$`, position: entryKey }
  const openList = (prefix: string, rowsPerCandidate: number, isWanted: (entry: ParsedEntry) => boolean) =>
    new PartitionReader<IndexedCandidate, string>({
      compare,
      start,
      minLimit: Math.max(firstEntries, numberofJokes + 1),
      rowsPerCandidate,
      affordable: (readers) => reads.affordableRows(ENTRY_BYTES, readers),
      read: async (position, limit) => {
        const { Items, LastEvaluatedKey } = await reads.query(ENTRY_BYTES, {
          TableName: reads.store.wordsTable,
          KeyConditionExpression: 'prefix = :prefix',
          ExpressionAttributeValues: { ':prefix': prefix },
          ExclusiveStartKey: position === undefined ? undefined : { prefix, entry: position },
          ScanIndexForward: isAscending,
          Limit: limit,
        })
        const entries = validItems(ParsedEntry, Items).filter(isWanted)
        return {
          rows: entries.map(candidateOf),
          // Continues after the whole entry. While a joke is reindexed, another entry with the same key may follow.
          readUpTo: LastEvaluatedKey && String(LastEvaluatedKey.entry),
        }
      },
    })

  const wordsByList = Map.groupBy(longest(searchWords, MAX_LISTS), longestPrefixOf)
  const lists = Array.from(wordsByList, ([prefix, words]) =>
    openList(
      prefix,
      entriesPerJoke,
      (entry) => isOfCategory(entry, listing) && words.every((word) => mayContainWord(entry, word)),
    ),
  )
  // Entries name their category, so its list is worth reading only if it has the fewest entries.
  const [category, ...others] = categories ?? []
  if (category && others.length === 0) lists.push(openList(categoryList(category), 1, () => true))
  return new Intersection(lists, compare)
}

/** Maximum number of index lists that a search reads for its words. Jokes are then checked for all words. */
const MAX_LISTS = 8
