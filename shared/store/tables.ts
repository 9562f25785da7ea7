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

/** A joke's category while it is listed. Other jokes have none, which keeps them out of the indexes that clients read. */
const shelf = { name: 'shelf', type: 'S' } as const
/** Only jokes that wait for approval have it, always with the same value. */
const waiting = { name: 'waiting', type: 'S' } as const
const id = { name: 'id', type: 'S' } as const
const dateAdded = { name: 'dateAdded', type: 'S' } as const

/** All jokes. All indexes but the last hold the listed jokes of a category in the order of one field. */
export const JOKES = {
  partitionKey: id,
  indexes: {
    byThumbsUp: { partitionKey: shelf, sortKey: { name: 'thumbsUp', type: 'N' } },
    // Read by listings alone, which need no words.
    byDateAdded: {
      partitionKey: shelf,
      sortKey: dateAdded,
      attributes: ['joke', 'punchline', 'category', 'thumbsUp', 'thumbsDown'],
    },
    // The other two hold nothing that an upvote changes, so it does not write to them.
    byThumbsDown: { partitionKey: shelf, sortKey: { name: 'thumbsDown', type: 'N' }, attributes: ['words'] },
    // Ids are hashes, so this order is as good as random.
    byId: { partitionKey: shelf, sortKey: id, attributes: ['words'] },
    // For operators.
    waiting: {
      partitionKey: waiting,
      sortKey: dateAdded,
      attributes: ['joke', 'punchline', 'category', 'thumbsUp', 'thumbsDown', 'createdBy'],
    },
  },
} as const satisfies Table

/** The word lists: for each beginning of a word, the jokes that have such a word. See `wordLists.ts`. */
export const JOKE_WORDS = {
  /** The first letters of a word, `#` and a category, or `@` and the id of a joke. */
  partitionKey: { name: 'prefix', type: 'S' },
  /** `<time>#<id>#<category>`, and the words themselves if they may be longer than the prefix. */
  sortKey: { name: 'entry', type: 'S' },
  indexes: {},
} as const satisfies Table
