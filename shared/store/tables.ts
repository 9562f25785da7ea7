/** The tables and their indexes as data: read by the stack and the local database; `shelves.ts` is checked against them. */

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

/** A joke's category while it is listed. A removed joke has none, which takes it out of all indexes at once. */
const shelf = { name: 'shelf', type: 'S' } as const
const id = { name: 'id', type: 'S' } as const

/** All jokes. Each index holds the listed jokes of a category in the order of one field. */
export const JOKES = {
  partitionKey: id,
  indexes: {
    byThumbsUp: { partitionKey: shelf, sortKey: { name: 'thumbsUp', type: 'N' } },
    byDateAdded: { partitionKey: shelf, sortKey: { name: 'dateAdded', type: 'S' } },
    // The other two hold nothing that an upvote changes, so it does not write to them.
    byThumbsDown: { partitionKey: shelf, sortKey: { name: 'thumbsDown', type: 'N' }, attributes: ['words'] },
    // Ids are hashes, so this order is as good as random.
    byId: { partitionKey: shelf, sortKey: id, attributes: ['words'] },
  },
} as const satisfies Table

/** The word index: a row for each word of each joke. See `wordIndex.ts`. */
export const JOKE_WORDS = {
  /** The first letters of the word; see `prefixLength`. */
  partitionKey: { name: 'prefix', type: 'S' },
  /** `<word>#<time>#<id>#<category>` */
  sortKey: { name: 'entry', type: 'S' },
  indexes: {},
} as const satisfies Table
