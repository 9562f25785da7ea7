/** How long a request may take, and how much of the database it may read, whatever happens and however many jokes. */

/** DynamoDB accepts a connection within some milliseconds; this leaves room for a lost packet. */
export const CONNECT_MS = 500

/** One call. The longest, a query of 1 MB, takes some 100 ms; what has not been answered by now never will be. */
export const ATTEMPT_MS = 1_500

/** A call and its repetitions. Three that hang, with the waits between them, fit into {@link OPERATION_MS}. */
export const ATTEMPTS = 3

/** More than a listing of 100 shelves, with 20 shards, or the words of the wordiest joke, some 40 batches, ever need. */
export const MAX_CALLS_AT_ONCE = 200

/** The first repetition waits at most this long, the second twice that: throttling and fail-overs pass in moments. */
export const FIRST_WAIT_MS = 100

/** All calls of one request: half of the functions' timeout, so that an answer gets out, a cold start included. */
export const OPERATION_MS = 5_000

/**
 * Rows of the word index for one word: some 22 kB, 3 read units. A word with more is too common for the index; as one
 * joke in a hundred or in a thousand then holds it, walking the jokes in the order wanted meets enough of them soon.
 * A word with less costs one read of each joke that holds it, 250 units for jokes as long as usual.
 */
export const LOOKUP_ROWS = 500

/**
 * Jokes that a walk reads: some 1.5 MB where they are as long as usual, 200 read units. So of a word that one in 160
 * jokes holds, a page of 25 is full; of a rarer one, the page holds those met so far, and its Link goes on.
 */
export const WALK_ROWS = 4_000
