/** The service's error documents (RFC 9457), as its clients read them. */
import * as v from 'valibot'

const Problem = v.object({
  detail: v.optional(v.string()),
  errors: v.optional(v.array(v.object({ detail: v.string(), field: v.string() }))),
  /** Of an equal joke that already exists. */
  id: v.optional(v.string()),
})
export type Problem = v.InferOutput<typeof Problem>

/** The members of a document; none if the response comes from anything but the service. */
export function problemIn(body: unknown): Problem {
  return v.is(Problem, body) ? body : {}
}
