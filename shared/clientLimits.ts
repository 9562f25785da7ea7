/** What clients may send, and get, at most. Imports nothing, so that the page can use it too. */

/** UTF-16 code units, each of the lead-in and of the punchline. Bounds what adding, upvoting and listing a joke can cost. */
export const MAX_TEXT_LENGTH = 1_000

/** Of a new joke's body. Far more than the longest joke takes; a longer body is not worth parsing. */
export const MAX_BODY_KB = 64

/** Bounds the number of words that a search compares with each joke. */
export const MAX_SEARCH_LENGTH = 200

/** Of a seed. Enough for a date, a name or an id. */
export const MAX_SEED_LENGTH = 100

/** Jokes asked for by id. Their latest states cost at most 75 read units. */
export const MAX_IDS = 25

/** Jokes on a page. 250 usual ones take 95 kB as JSON. */
export const MAX_COUNT = 250

/** Jokes on a page, as JSON. */
export const MAX_PAGE_BYTES = 200_000
