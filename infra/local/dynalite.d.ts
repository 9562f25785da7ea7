declare module 'dynalite' {
  import type { Server } from 'node:http'

  export default function dynalite(options: {
    /** Folder of the database; absent: in memory. */
    path?: string
    createTableMs?: number
    updateTableMs?: number
    deleteTableMs?: number
  }): Server
}
