/** What the causes of an error say. */

/** The code of the innermost error that has one, as Node.js and LevelDB set it. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return codeOf(error.cause) ?? ('code' in error ? String(error.code) : undefined)
}

/** The message of the innermost error, or those of several that happened at once. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : messageOf(error.cause)
}
