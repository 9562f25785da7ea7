/** The table and its index as data, for the stack and the local database. */

export interface KeyAttribute {
  name: string
  type: 'S' | 'N'
}

export interface Table {
  partitionKey: KeyAttribute
  /** The indexes by name. Each holds all attributes, so that a new field needs no new index. */
  indexes: Record<string, { partitionKey: KeyAttribute; sortKey: KeyAttribute }>
}

export const JOKES = {
  partitionKey: { name: 'id', type: 'S' },
  indexes: {
    /** The change feeds: the jokes of each feed in the order of their last changes. */
    byChange: { partitionKey: { name: 'feed', type: 'S' }, sortKey: { name: 'changedAt', type: 'S' } },
  },
} as const satisfies Table

/** The values of an item's attribute `feed`. Each is a partition of the index, and a state of a joke. */
export type Feed = 'listed' | 'waiting' | 'removed'
