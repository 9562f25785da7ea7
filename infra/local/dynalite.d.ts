declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** @param options the folder of the database, or `undefined` to keep it in memory */
  export default function dynalite(options: { path?: string | undefined; createTableMs?: number }): Server
}
