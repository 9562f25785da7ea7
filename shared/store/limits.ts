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

  /** Of these, to find out whether a new joke exists already. That only saves work, so a new joke does not wait for it. */
  lookAheadMs: 1_000,

  /** Lambda freezes functions between requests, and a connection may die unnoticed meanwhile. */
  maxIdleMs: 5_000,

  /** Enough for the wordiest joke, 27 batches at once; the local service answers several requests at once. */
  maxSockets: 200,

  /** What a listing reads: units and calls in all, and units of one partition. `docs/design.md` has the reasons. */
  listing: { units: 80, calls: 60, partitionUnits: 40 },

  /** Of these, what the word lists take; the rest is for the jokes. */
  lists: { units: 40, calls: 45, partitionUnits: 40 },

  /** What the word lists take where the jokes are sorted by votes: if they need more, the search walks. */
  sortedLists: { units: 20, calls: 30, partitionUnits: 20 },

  /** What a window of a random order takes when it is found, so that it ends there. */
  window: { units: 30, calls: 20, partitionUnits: 15 },

  /** What it takes when it is read again, perhaps with more jokes. A request can read two windows. */
  windowAgain: { units: 40, calls: 25, partitionUnits: 20 },

  /** Jokes of a page, as JSON. */
  pageBytes: MAX_PAGE_BYTES,

  /** Neighbours that a random order shuffles. */
  windowJokes: 100,

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

/** For commands: they may wait, and are repeated until they are done. */
export const PATIENT: Limits = { ...LIMITS, attempts: 10, operationMs: 2 ** 31 - 1 }

/** What one request takes at most, in capacity units: with the throttles, this limits what a day costs. */
export const MOST = { read: LIMITS.listing.units, createdWrites: 700, upvoteWrites: 40 }
