/** The tables and their indexes as data, for the stack and the local database. */

export interface KeyAttribute {
  name: string
  type: 'S' | 'N'
}

interface Index {
  partitionKey: KeyAttribute
  sortKey: KeyAttribute
  /** The attributes that it holds in addition to the keys. By default, it holds all of them. */
  attributes?: readonly string[]
}

export interface Table {
  partitionKey: KeyAttribute
  sortKey?: KeyAttribute
  /** The indexes by name. */
  indexes: Record<string, Index>
}

/** The category partition of a listed joke. Other jokes have none, which keeps them out of the indexes with it. */
const shelf = { name: 'shelf', type: 'S' } as const
const id = { name: 'id', type: 'S' } as const
const dateAdded = { name: 'dateAdded', type: 'S' } as const
const thumbsUp = { name: 'thumbsUp', type: 'N' } as const

export const JOKES = {
  partitionKey: id,
  indexes: {
    // All attributes, so that a new field needs no new index.
    byThumbsUp: { partitionKey: shelf, sortKey: thumbsUp },
    byDateAdded: { partitionKey: shelf, sortKey: dateAdded },
    // Ids are hashes, so this order is as good as random. Upvotes do not write to it, because it omits the votes.
    byState: { partitionKey: { name: 'state', type: 'S' }, sortKey: id, attributes: ['category', 'words'] },
  },
} as const satisfies Table

/** The inverted index: for each prefix, the jokes that have such a word. See `indexEntries.ts`. */
export const JOKE_WORDS = {
  /** A prefix of words, or `#` and a category. */
  partitionKey: { name: 'prefix', type: 'S' },
  /** The entry key, and the words themselves if they may be longer than the prefix. */
  sortKey: { name: 'entry', type: 'S' },
  indexes: {},
} as const satisfies Table
