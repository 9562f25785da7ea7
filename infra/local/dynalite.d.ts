declare module 'dynalite' {
  import type { Server } from 'node:http'

  export default function dynalite(options: {
    /** The folder of the database, or `undefined` to keep it in memory. */
    path?: string | undefined
    createTableMs?: number
  }): Server
}

declare module 'dynalite/db/index.js' {
  export interface Table {
    TableName: string
    GlobalSecondaryIndexes?: object[]
  }

  /** Returns the index rows to write for an item that is new or replaces another. */
  export function getIndexActions(
    indexes: object[],
    existingItem: unknown,
    item: unknown,
    table: Table,
  ): { puts: { index: string; key: string; item: unknown }[] }
}
