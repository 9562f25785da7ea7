declare module 'dynalite' {
  import type { Server } from 'node:http'

  export default function dynalite(options: {
    /** Folder of the database; absent: in memory. */
    path?: string | undefined
    createTableMs?: number
    updateTableMs?: number
    deleteTableMs?: number
  }): Server
}

declare module 'dynalite/db/index.js' {
  export interface Table {
    TableName: string
    GlobalSecondaryIndexes?: object[]
  }

  /** What has to be put into the indexes when an item takes the place of another, or of none. */
  export function getIndexActions(
    indexes: object[],
    existingItem: unknown,
    item: unknown,
    table: Table,
  ): { puts: { index: string; key: string; item: unknown }[] }
}
