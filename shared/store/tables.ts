/** The tables and their indexes as data: read by the stack and the local database. */
import { Joke } from '../joke.ts'

export interface KeyAttribute {
  name: string
  type: 'S' | 'N'
}

interface Index {
  partitionKey: KeyAttribute
  sortKey: KeyAttribute
  /** The attributes that it holds besides the keys; absent: all. */
  attributes?: readonly string[]
}

export interface Table {
  partitionKey: KeyAttribute
  sortKey?: KeyAttribute
  /** By name. */
  indexes: Record<string, Index>
}

/** A joke's category while it is listed. Other jokes have none, which keeps them out of the indexes that have it. */
const shelf = { name: 'shelf', type: 'S' } as const
const id = { name: 'id', type: 'S' } as const
const dateAdded = { name: 'dateAdded', type: 'S' } as const
const thumbsUp = { name: 'thumbsUp', type: 'N' } as const

/** The fields of a joke that an index with a sort key needs to name. Keys are in every index. */
function fieldsExcept(sortKey: KeyAttribute): string[] {
  return Object.keys(Joke.entries).filter((field) => field !== id.name && field !== sortKey.name)
}

/** All jokes. */
export const JOKES = {
  partitionKey: id,
  indexes: {
    byThumbsUp: { partitionKey: shelf, sortKey: thumbsUp, attributes: [...fieldsExcept(thumbsUp), 'words'] },
    // Read by listings alone, which need no words.
    byDateAdded: { partitionKey: shelf, sortKey: dateAdded, attributes: fieldsExcept(dateAdded) },
    // Ids are hashes, so this order is as good as random. Upvotes do not write to it.
    byState: { partitionKey: { name: 'state', type: 'S' }, sortKey: id, attributes: ['category', 'shortWords'] },
  },
} as const satisfies Table

/** The word lists: for each beginning of a word, the jokes that have such a word. See `indexEntries.ts`. */
export const JOKE_WORDS = {
  /** The first letters of a word, or `#` and a category. */
  partitionKey: { name: 'prefix', type: 'S' },
  /** `<time>#<id>#<category>`, and the words themselves if they may be longer than the prefix. */
  sortKey: { name: 'entry', type: 'S' },
  indexes: {},
} as const satisfies Table
