/** Repairs the local database after a crash during a write. */
import { getIndexActions, type Table } from 'dynalite/db/index.js'
import type { Level } from 'level'

/**
 * Rebuilds all indexes from the items. dynalite writes an item and its index rows one after the other, so a crash can
 * leave them inconsistent. In DynamoDB they become consistent by themselves, and the service relies on that.
 */
export async function rebuildIndexes(level: Level<string, unknown>): Promise<void> {
  await level.clear(under('index-'))
  for await (const table of level.values<string, Table>({ ...under('table~'), valueEncoding: 'json' })) {
    const indexes = table.GlobalSecondaryIndexes ?? []
    if (indexes.length === 0) continue
    for await (const item of level.values({ ...under(`item-${table.TableName}~`), valueEncoding: 'json' })) {
      const { puts } = getIndexActions(indexes, null, item, table)
      const entries = puts.map(({ index, key, item }) => ({
        type: 'put' as const,
        key: `index-global~${table.TableName}~${index}~${key}`,
        value: item,
      }))
      await level.batch(entries, { valueEncoding: 'json' })
    }
  }
}

/** Returns the range of all keys with a prefix. */
function under(prefix: string) {
  return { gte: prefix, lt: `${prefix}\u{10ffff}` }
}
