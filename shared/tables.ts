/** The tables and their indexes as data: read by the access module, the stack and the local database. */

export interface Key {
  name: string
  type: 'S' | 'N'
}

export interface Index {
  partitionKey: Key
  sortKey: Key
}

export interface Table {
  partitionKey: Key
  sortKey?: Key
  /** By name; each holds all attributes of the table's items. */
  indexes: Record<string, Index>
}

const shelf: Key = { name: 'shelf', type: 'S' }

/** All jokes. Each index holds a shelf's jokes in the order of one field. */
export const JOKES = {
  partitionKey: { name: 'id', type: 'S' },
  indexes: {
    byThumbsUp: { partitionKey: shelf, sortKey: { name: 'thumbsUp', type: 'N' } },
    byThumbsDown: { partitionKey: shelf, sortKey: { name: 'thumbsDown', type: 'N' } },
    byDateAdded: { partitionKey: shelf, sortKey: { name: 'dateAdded', type: 'S' } },
  },
} as const satisfies Table
