/**
 * How long a request may take and how much it may read from the database, whatever is sent and however many jokes
 * exist. What a client may send is limited in `inputLimits.ts`, `listing.ts` and `http.ts`.
 */
export const LIMITS = {
  /** A lost SYN is resent after 1 s (RFC 6298). This leaves time for its answer. */
  connectMs: 1_300,

  /** One attempt of a call. The longest takes about 100 ms. */
  attemptMs: 1_500,

  /** A call and its retries. Three attempts that hang, and the waits between them, fit into `operationMs`. */
  attempts: 3,

  /** The first retry waits at most this long, the second twice that: throttling and fail-overs pass in moments. */
  firstWaitMs: 100,

  /** All calls of one request: half of the functions' timeout, which leaves time to answer, even after a cold start. */
  operationMs: 5_000,

  /** Lambda freezes functions between requests, and a connection may die unnoticed meanwhile. */
  maxIdleMs: 5_000,

  /** Enough for the wordiest joke, 27 batches at once; the local service answers several requests at once. */
  maxSockets: 200,

  /** How long an operator's command holds a joke at most. Half of it is for the work, half for calls on their way. */
  holdMs: 10_000,

  /** Read units of one request. Reads that run side by side may round up to 5 more. */
  readUnits: 125,

  /** Time to compare texts with a search, for jokes whose stored words are incomplete: 1 to 2 ms a joke. */
  compareMs: 150,

  /** Rows of a word list that half a read unit reads: at first no fewer are read. */
  firstRows: 50,

  /** Rows of a word list that cost as much as reading a usual joke by its id. */
  rowsPerJoke: 65,

  /** Rows of word lists that a search not sorted by date reads before it walks: about 15 read units. */
  listRows: 2_000,

  /** Jokes that a search not sorted by date reads to sort them: at half a unit for a usual joke, 100 units. */
  sortedJokes: 200,

  /** Jokes that a search walks at most: about 90 read units. */
  walkRows: 2_000,
}

export type Limits = typeof LIMITS
