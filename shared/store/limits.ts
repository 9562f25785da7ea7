/**
 * Limits of the time and the reads of a request, for any number of jokes. `clientLimits.ts` has the limits of requests
 * and responses.
 */
import { MAX_PAGE_BYTES } from '../clientLimits.ts'

export const LIMITS = {
  /** Time limit for connecting. A lost SYN is resent after 1 s (RFC 6298), which leaves time for the response. */
  connectMs: 1_300,

  /** Time limit for one attempt of a call. The longest takes about 100 ms. */
  attemptMs: 1_500,

  /** Attempts of a call. Three that hang, and the waits between them, fit into `operationMs`. */
  attempts: 3,

  /** Maximum wait before the first retry. It doubles with each retry. Throttling and fail-overs pass in moments. */
  firstWaitMs: 100,

  /** Time limit for a request's database calls: half of the function's timeout, to respond even after a cold start. */
  operationMs: 5_000,

  /** Time limit for checking whether a joke exists. The check only saves writes: after a timeout, the put decides. */
  readExistingMs: 1_000,

  /** Maximum idle time of a connection. Lambda freezes functions between requests, so older ones may be dead. */
  maxIdleMs: 5_000,

  /** Read budget of a listing. It bounds what a request costs, and includes the budgets below. */
  listing: { units: 80, calls: 60 },

  /** Read budget of one partition of an index of `Jokes`. DynamoDB allows 3,000 units a second in each. */
  partition: { units: 40, calls: 45 },

  /** Read budget of all index lists of a search. It leaves half of the listing's budget to read the jokes. */
  indexLists: { units: 40, calls: 45 },

  /** The same for a search that sorts by votes. It leaves enough to read about `sortedJokes`. */
  indexListsByVotes: { units: 20, calls: 30 },

  /** Read budget of a random window, half of a partition's. A page reads a further window if this much is left. */
  window: { units: 20, calls: 30 },

  /** Maximum size of a page's jokes as JSON. */
  pageBytes: MAX_PAGE_BYTES,

  /** Minimum rows of a random window. One more than 100, so that a page of 100 jokes sees the end. */
  windowRows: 101,

  /** Minimum matches of a random window, unless its budget ends it. */
  windowMatches: 25,

  /**
   * From this many certain matches in the first rows on, a random order walks without gathering. Reading a window then costs at most 15
   * units. With fewer matches, it first tries to sort all of them.
   */
  manyMatches: 6,

  /** Maximum number of jokes that a search sorts by votes. Reading so many usual jokes takes 60 units. */
  sortedJokes: 120,

  /** Minimum entries in the first read of an index list. Half a unit reads as many. */
  firstEntries: 50,

  /** Entries of an index list that cost as much as reading a usual joke by its id. */
  entriesPerJoke: 65,
}

export type Limits = typeof LIMITS

/** A read budget, in capacity units and calls. */
export type Budget = Limits['listing']

/** Limits of commands. The longest timer of Node.js lets them run for 24 days. */
export const PATIENT: Limits = { ...LIMITS, attempts: 10, operationMs: 2 ** 31 - 1 }
