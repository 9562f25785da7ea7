/** The tables and their indexes as data: read by the access module, the stack and the local database. */

export interface Key {
  name: string
  type: 'S' | 'N'
}

interface Index {
  partitionKey: Key
  sortKey: Key
  /** The attributes it holds beside the keys; absent: all. */
  attributes?: readonly string[]
}

export interface Table {
  partitionKey: Key
  sortKey?: Key
  /** By name. */
  indexes: Record<string, Index>
}

const shelf = { name: 'shelf', type: 'S' } as const
const id = { name: 'id', type: 'S' } as const

/** All jokes. Each index holds the jokes of a shelf in the order of one field. */
export const JOKES = {
  partitionKey: id,
  indexes: {
    byThumbsUp: { partitionKey: shelf, sortKey: { name: 'thumbsUp', type: 'N' } },
    byThumbsDown: { partitionKey: shelf, sortKey: { name: 'thumbsDown', type: 'N' } },
    byDateAdded: { partitionKey: shelf, sortKey: { name: 'dateAdded', type: 'S' } },
    // Ids are hashes, so this order is as good as random. It holds nothing that an upvote changes: that would cost.
    byId: { partitionKey: shelf, sortKey: id, attributes: ['words'] },
  },
} as const satisfies Table

/** Which jokes hold a word: a row for each word of each joke. */
export const JOKE_WORDS = {
  /** The first letters of the word. */
  partitionKey: { name: 'prefix', type: 'S' },
  /** `<word>#<id>` */
  sortKey: { name: 'entry', type: 'S' },
  indexes: {},
} as const satisfies Table
