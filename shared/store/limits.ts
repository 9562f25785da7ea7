/** Limits of times, attempts and memory. `clientLimits.ts` has the limits of requests and responses. */

export const LIMITS = {
  /** Time limit for connecting. A lost SYN is resent after 1 s (RFC 6298), which leaves time for the response. */
  connectMs: 1_300,

  /** Time limit for one attempt of a call. The longest takes about 100 ms. */
  attemptMs: 1_500,

  /** Attempts of a call. Three that hang, and the waits between them, fit into `operationMs`. */
  attempts: 3,

  /** Maximum wait before the first retry. It doubles with each retry. Throttling and fail-overs pass in moments. */
  firstWaitMs: 100,

  /** Time limit for a request's database calls, except those that read a feed. */
  operationMs: 5_000,

  /** Time limit for the preview of a joke. Without it, the page opens with the general preview. */
  previewMs: 1_000,

  /** If no call began for this time, idle connections are closed. Lambda freezes functions, so they may be dead. */
  maxIdleMs: 5_000,
}
export type Limits = typeof LIMITS

/** Limits of the jokes in memory. */
export const CACHE = {
  /** A load reads the table in so many segments side by side, because a new table has as many partitions. */
  segments: 4,

  /** Jokes are refreshed at most once in this time. */
  freshMs: 100,

  /** A refresh reads the changes of this time again: clocks differ, and the index is late by moments. */
  rereadMs: 2_000,

  /** Once in this time, older changes are read again, because some may have reached the index late. */
  lateEveryMs: 60_000,

  /** The time of older changes that is read again. */
  lateMs: 120_000,

  /** Time limit for a refresh. After it, a listing is answered from memory. */
  refreshMs: 1_000,

  /** After a failed refresh, listings are answered from memory for this time before the next attempt. */
  pauseMs: 1_000,

  /** Maximum age of jokes in memory, if they cannot be refreshed. */
  staleMs: 300_000,

  /** Time limit for reading all jokes. API Gateway waits 30 s for a response. */
  loadMs: 20_000,

  /** Maximum size of the jokes and their search texts in memory. It allows about 200,000 usual jokes. */
  bytes: 128 * 2 ** 20,
}
