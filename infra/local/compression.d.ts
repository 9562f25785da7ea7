declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  /** @param options the least length of a body to compress, in bytes, and which answers to compress */
  function compression(options: {
    threshold: number
    filter: typeof compression.filter
  }): (request: IncomingMessage, response: ServerResponse, next: () => void) => void
  namespace compression {
    /** Whether the answer's content type is compressible. */
    function filter(request: IncomingMessage, response: ServerResponse): boolean
  }
  export default compression
}
