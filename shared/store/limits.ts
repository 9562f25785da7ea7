/**
 * How long a request may take and how much it may read from the database, whatever is sent and however many jokes
 * exist. What clients may send and get is limited in `clientLimits.ts`.
 */
import { MAX_PAGE_BYTES } from '../clientLimits.ts'

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

  /** Of these, to find out whether a new joke exists already. That only saves work, so afterwards the joke is added without. */
  lookAheadMs: 1_000,

  /** Lambda freezes functions between requests, and a connection may die unnoticed meanwhile. */
  maxIdleMs: 5_000,

  /** What a listing reads: `docs/design.md` has the reasons. */
  listing: { units: 80, calls: 60 },

  /**
   * Read budget of one partition, because DynamoDB allows 3,000 units a second in each. Also that of finding candidates in the
   * inverted index, which leaves half of the listing's budget to read their jokes.
   */
  partition: { units: 40, calls: 45 },

  /** Read budget of a window of a random order, and of the candidates of a search by votes, of which all jokes are read. */
  gather: { units: 20, calls: 30 },

  /** Jokes of a page, as JSON. */
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

  /** Jokes that a search sorts by votes: at half a unit for a usual joke, 60 units. */
  sortedJokes: 120,

  /** Rows of a word list that half a read unit reads: at first no fewer are read. */
  firstRows: 50,

  /** Rows of a word list that cost as much as reading a usual joke by its id. */
  rowsPerJoke: 65,
}

export type Limits = typeof LIMITS

/** How much a part of a listing may read. */
export type Budget = Limits['listing']

/** For commands: they go on for as long as a timer of Node.js can wait, 24 days. */
export const PATIENT: Limits = { ...LIMITS, attempts: 10, operationMs: 2 ** 31 - 1 }

/** What one request takes at most, in capacity units. Throttles and these decide what the most expensive day costs. */
export const MOST = { read: LIMITS.listing.units, createdWrites: 700, upvoteWrites: 40 }
