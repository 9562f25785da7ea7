/** Reads an error and the chain of its causes. */

/** Returns the code of the innermost error that has one. Node.js and LevelDB set such codes. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return codeOf(error.cause) ?? ('code' in error ? String(error.code) : undefined)
}

/** Returns the message of the innermost error, or the messages of several that happened at once. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : messageOf(error.cause)
}
