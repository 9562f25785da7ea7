/** Limits of requests and responses. This file imports nothing, so that the page can use it. */

/** Maximum length of the setup, and of the punchline, in UTF-16 code units. */
export const MAX_TEXT_LENGTH = 1_000

export const MAX_BODY_KIB = 64

/** Length of a joke's id: 132 bits. Among a billion jokes, the chance that two different ones share one is 1 in 10^22. */
export const ID_LENGTH = 22

export const MAX_SEARCH_LENGTH = 200

export const MAX_SEED_LENGTH = 100

/** Maximum number of jokes requested by id. Reading their latest states costs at most 50 units. */
export const MAX_IDS = 25

/** Maximum number of jokes on a page. 250 typical ones take 60 kB as JSON. */
export const MAX_COUNT = 250

export const MAX_ERRORS = 20

/** Maximum size of a page's jokes as JSON. */
export const MAX_PAGE_BYTES = 200_000
