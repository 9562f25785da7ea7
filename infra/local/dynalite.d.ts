declare module 'dynalite' {
  import type { Server } from 'node:http'

  export default function dynalite(options: {
    /** Folder of the database; undefined: in memory. */
    path?: string | undefined
    createTableMs?: number
  }): Server
}

declare module 'dynalite/db/index.js' {
  export interface Table {
    TableName: string
    GlobalSecondaryIndexes?: object[]
  }

  /** The index entries to write when an item replaces another, or is new. */
  export function getIndexActions(
    indexes: object[],
    existingItem: unknown,
    item: unknown,
    table: Table,
  ): { puts: { index: string; key: string; item: unknown }[] }
}
