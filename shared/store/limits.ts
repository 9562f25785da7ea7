/**
 * Limits of the time and the reads of a request. They hold for any request and any number of jokes. `clientLimits.ts` limits
 * what clients send and get.
 */
import { MAX_PAGE_BYTES } from '../clientLimits.ts'

export const LIMITS = {
  /** Time limit for connecting. A lost SYN is resent after 1 s (RFC 6298), which leaves time for its answer. */
  connectMs: 1_300,

  /** Time limit for one attempt of a call. The longest takes about 100 ms. */
  attemptMs: 1_500,

  /** Attempts of a call. Three that hang, and the waits between them, fit into `operationMs`. */
  attempts: 3,

  /** Longest wait before the first retry. It doubles with each further one. Throttling and fail-overs pass in moments. */
  firstWaitMs: 100,

  /** Time limit for a request's database calls, half of the function's timeout. So it responds even after a cold start. */
  operationMs: 5_000,

  /** Time limit for checking whether a joke exists. The check only saves writes: after a timeout, the put decides. */
  readExistingMs: 1_000,

  /** Maximum idle time of a connection. Lambda freezes functions between requests, so older ones may be dead. */
  maxIdleMs: 5_000,

  /** Read budget of a listing. It bounds what a request costs. */
  listing: { units: 80, calls: 60 },

  /**
   * Read budget of one partition, because DynamoDB allows 3,000 units a second in each. Also that of finding candidates in the
   * inverted index, which leaves half of the listing's budget to read their jokes.
   */
  partition: { units: 40, calls: 45 },

  /** Read budget of a window of a random order, and of the candidates of a search by votes, of which all jokes are read. */
  gather: { units: 20, calls: 30 },

  /** Maximum size of a page's jokes as JSON. */
  pageBytes: MAX_PAGE_BYTES,

  /** Rows that a window of a random order has at least. One more than 100, so that a page of 100 jokes sees the end. */
  windowRows: 101,

  /** Matches that a window has at least, unless its budget ends it. */
  windowMatches: 25,

  /**
   * Matches in the first rows of a random order from which it walks at once. Reading a window then costs 15 units or less. With
   * fewer, it first tries to sort all matches.
   */
  manyMatches: 6,

  /** Maximum number of jokes that a search sorts by votes. Reading so many usual jokes takes 60 units. */
  sortedJokes: 120,

  /** Rows of an index list that half a read unit reads. The first read asks for at least so many. */
  firstRows: 50,

  /** Rows of an index list that cost as much as reading a usual joke by its id. */
  rowsPerJoke: 65,
}

export type Limits = typeof LIMITS

/** A read budget, in capacity units and calls. */
export type Budget = Limits['listing']

/** Limits of commands. They go on for as long as a timer of Node.js can wait, 24 days. */
export const PATIENT: Limits = { ...LIMITS, attempts: 10, operationMs: 2 ** 31 - 1 }

/** Worst-case capacity units of a request. With the throttles, they decide what the most expensive day costs. */
export const WORST_CASE_UNITS = { read: LIMITS.listing.units, createdWrites: 700, upvoteWrites: 40 }
