/** The table and its index as data, for the stack and the local database. All keys are texts. */
export const JOKES = {
  partitionKey: 'id',
  /** Has all items in the order of their last changes, with all attributes. */
  index: { name: 'byChange', partitionKey: 'feed', sortKey: 'changedAt' },
}

/** The attribute `feed` of each item. All items are in one partition of the index, so that one query reads all changes. */
export const FEED = 'jokes'
