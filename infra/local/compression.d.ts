declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** @param options the least length of a body to compress, in bytes */
  export default function compression(options: {
    threshold: number
  }): (request: IncomingMessage, response: ServerResponse, next: () => void) => void
}
