/** The service's problem documents (RFC 9457), as its clients read them. */
import * as v from 'valibot'

const Problem = v.object({
  detail: v.optional(v.string()),
  errors: v.optional(v.array(v.object({ detail: v.string(), field: v.string() }))),
  /** The id of the equal joke that exists. */
  id: v.optional(v.string()),
})
export type Problem = v.InferOutput<typeof Problem>

/** Returns the members of a problem document, or none if the response does not come from the service. */
export function problemIn(body: unknown): Problem {
  return v.is(Problem, body) ? body : {}
}
