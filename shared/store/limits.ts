/** Limits of times and memory. `clientLimits.ts` has the limits of requests and responses. */

/** Tests open connections with others. */
export const LIMITS = {
  /** Time limit for connecting. A lost SYN is resent after 1 s (RFC 6298), which leaves time for the response. */
  connectMs: 1_300,

  /** For one attempt of a call. The longest takes about 100 ms. */
  attemptMs: 1_500,

  /** For all calls of a request, except those that read the jokes into memory. Three attempts that hang fit into it. */
  operationMs: 5_000,

  /** After this time, the page opens without the preview of a joke. */
  previewMs: 1_000,

  /** If no call began for this time, idle connections are closed. Lambda freezes functions, so they may be dead. */
  maxIdleMs: 5_000,
}
export type Limits = typeof LIMITS

export const CACHE = {
  /** A load reads the table in so many segments side by side, because a new table has as many partitions. */
  segments: 4,

  /** Jokes in memory are refreshed at most once in this time. */
  freshMs: 1_000,

  /**
   * Each refresh reads the changes of this time again, because a write may arrive late: 5 s for the operation, 1.5 s for its
   * last attempt, and the rest for the index and for clocks that differ.
   */
  rereadMs: 10_000,

  /** Once in this time, a refresh also looks for changes that the index showed even later. */
  lateEveryMs: 60_000,

  /** The late reader begins this long before its last run began. */
  lateMs: 120_000,

  /** A refresh that takes longer is aborted, and the listing is answered from memory. */
  refreshMs: 1_000,

  /** After a failed refresh, listings are answered from memory for this time before the next attempt. */
  pauseMs: 1_000,

  /** Maximum age of jokes in memory, if they cannot be refreshed. */
  staleMs: 300_000,

  /** For a load, or a refresh of jokes that are too old to be listed. API Gateway waits 30 s for a response. */
  loadMs: 20_000,

  /** About 380,000 typical jokes. */
  bytes: 256 * 2 ** 20,
}
