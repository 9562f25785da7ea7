/** The service's problem documents (RFC 9457), as its clients read them. */
import * as v from 'valibot'

/** The kinds of problems, for programs. They are stable, unlike sentences (interface.md, “Errors”). */
export const PROBLEM_CODES = [
  'invalid',
  'unknown-joke',
  'duplicate',
  'waiting',
  'removed',
  'too-large',
  'unavailable',
  'not-counted',
  'unknown-outcome',
  'bug',
] as const
export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** The kinds of faults in a request. */
export const FIELD_CODES = ['required', 'unknown', 'invalid'] as const

const Problem = v.object({
  /** A {@link ProblemCode}, unless a newer service sent it. */
  code: v.optional(v.string()),
  detail: v.optional(v.string()),
  errors: v.optional(v.array(v.object({ field: v.string(), code: v.optional(v.string()), detail: v.string() }))),
  /** The id of the equal joke that exists. */
  id: v.optional(v.string()),
})
export type Problem = v.InferOutput<typeof Problem>

/** Returns the members of a problem document, or none if the response does not come from the service. */
export function problemIn(body: unknown): Problem {
  return v.is(Problem, body) ? body : {}
}
