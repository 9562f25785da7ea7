/** How long the texts that a client sends may be. Imports nothing, so that the page can use it too. */

/** UTF-16 code units, each of the lead-in and of the punchline. Bounds what adding, upvoting and listing a joke can cost. */
export const MAX_TEXT_LENGTH = 1_000

/** Bounds the number of words that a search compares with each joke. */
export const MAX_SEARCH_LENGTH = 200

/** Of a seed. Enough for a date, a name or an id. */
export const MAX_SEED_LENGTH = 100
