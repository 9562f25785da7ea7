declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Compression {
    (options: {
      /** Bytes from which on an answer is compressed. */
      threshold: number
      filter: (request: IncomingMessage, response: ServerResponse) => boolean
    }): (request: IncomingMessage, response: ServerResponse, next: () => void) => void
    /** Whether the answer's content type gains by it. */
    filter(request: IncomingMessage, response: ServerResponse): boolean
  }

  const compression: Compression
  export default compression
}
