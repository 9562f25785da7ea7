/** The functions' environment variables. */
import * as v from 'valibot'

const Environment = v.object({ JOKES_TABLE: v.string(), WORDS_TABLE: v.string() })

export const { JOKES_TABLE, WORDS_TABLE } = v.parse(Environment, process.env)
