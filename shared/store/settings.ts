/** What the functions are told by their environment. */
import * as v from 'valibot'

const Settings = v.object({
  JOKES_TABLE: v.string(),
  WORDS_TABLE: v.string(),
  /** How many shelves each category has. May be raised at any time, never lowered. */
  SHARDS: v.optional(v.pipe(v.string(), v.digits(), v.transform(Number), v.minValue(1)), '1'),
})

export const settings = v.parse(Settings, process.env)
