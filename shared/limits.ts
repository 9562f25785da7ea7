/** How much of the database a search may read in one request, however many jokes there are. */

/**
 * Rows of the word index for one word: some 22 kB, 3 read units. A word with more is too common for the index; as one
 * joke in a hundred or in a thousand then holds it, walking the jokes in the order wanted meets enough of them soon.
 * A word with less costs one read of each joke that holds it, 250 units at most.
 */
export const LOOKUP_ROWS = 500

/**
 * Jokes that a walk reads: some 1.5 MB where they are as long as usual, 200 read units. So of a word that one in 160
 * jokes holds, a page of 25 is full; of a rarer one, the page holds those met so far, and its Link goes on.
 */
export const WALK_ROWS = 4_000
