/**
 * How long a request may take and how much it may read from the database, whatever is sent and however many jokes
 * exist. What a client may send is limited in `inputLimits.ts`, `listing.ts` and `http.ts`.
 */
import { MAX_TEXT_LENGTH } from '../inputLimits.ts'

/** A lost SYN is resent after 1 s (RFC 6298). This leaves time for its answer. */
export const CONNECT_MS = 1_300

/** One attempt of a call. The longest, a query of 1 MB, takes about 100 ms. */
export const ATTEMPT_MS = 1_500

/** A call and its retries. Three attempts that hang, and the waits between them, fit into {@link OPERATION_MS}. */
export const ATTEMPTS = 3

/** The first retry waits at most this long, the second twice that: throttling and fail-overs pass in moments. */
export const FIRST_WAIT_MS = 100

/** All calls of one request: half of the functions' timeout, which leaves time to answer, even after a cold start. */
export const OPERATION_MS = 5_000

/** Lambda freezes functions between requests, and a connection may die unnoticed meanwhile. */
export const MAX_IDLE_MS = 5_000

/** Enough for the wordiest joke, 24 batches at once; the local service answers several requests at once. */
export const MAX_SOCKETS = 200

/** Read units for one request: just under a tenth of the 3,000 that a partition of DynamoDB serves in a second. */
export const MAX_READ_UNITS = 290

/** Bytes of an item's filter words; see `item.ts`. */
export const FILTER_WORDS_BYTES = 1_000

/** The largest item of a joke: two texts of characters of 3 bytes, its filter words, and everything else. */
export const JOKE_BYTES = 2 * 3 * MAX_TEXT_LENGTH + FILTER_WORDS_BYTES + 500

/** The largest row of an index that holds ids and filter words only. */
export const ID_ROW_BYTES = 1_200

/** Letters of a word that its row keeps. */
export const KEPT_LETTERS = 16

/** The largest row of the word index, with {@link KEPT_LETTERS} of 4 bytes; a usual one takes 55 to 60. */
export const WORD_ROW_BYTES = 135

/** A search looks up its longest words, which are the most selective. The jokes found are checked for all of them. */
export const MAX_LOOKUPS = 8

/** Rows of the word index read at first: for one word, and for all words of a search. About 8 and 30 read units. */
export const LOOKUP_ROWS = 1_000
export const LOOKUP_ROWS_IN_ALL = 4_000

/** Rows read if walking has not filled the page: 80 to 90 read units, below 1 MB, the limit of one query. */
export const LONG_LOOKUP_ROWS = 12_000

/** Jokes that a search sorted by date walks before it looks up more rows: about 45 read units. */
export const FIRST_WALK_ROWS = 1_000

/** Jokes that a search walks at most: about 175 read units. */
export const WALK_ROWS = 4_000

/** Jokes that a search sorted by votes reads to sort them. At half a unit for a usual joke, 250 units. */
export const MAX_SORTED = 500

/** Candidates that a search sorted by date reads for one page: at half a unit each, 125 units. */
export const MAX_CHECKED = 250
