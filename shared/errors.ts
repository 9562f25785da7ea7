/** Maps each problem code to its status and sentence (interface.md, “Errors”). Only this file defines them. */
import { MAX_BODY_KIB, MAX_ERRORS } from './clientLimits.ts'

/** For programs. They are stable, unlike sentences. */
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

/** The status of each problem, and a sentence for people: what is wrong, and what to do. */
export const PROBLEMS: Record<ProblemCode, { status: number; detail: string }> = {
  invalid: { status: 400, detail: 'The request is not valid.' },
  'unknown-joke': { status: 404, detail: 'No joke has this id. GET /joke lists the existing ones.' },
  duplicate: { status: 409, detail: 'This joke already exists.' },
  waiting: {
    status: 409,
    detail: 'This joke was added before, and waits until we approve it.',
  },
  removed: {
    status: 409,
    detail: "We removed this joke, so it can't be added again.",
  },
  'too-large': { status: 413, detail: `Send a body of at most ${MAX_BODY_KIB} KiB.` },
  unavailable: { status: 503, detail: "We couldn't read the jokes. Try again." },
  'not-counted': { status: 503, detail: "Your upvote wasn't counted. Try again." },
  'unknown-outcome': {
    status: 503,
    detail: "We can't tell whether this worked. Adding the same joke again is safe. Another upvote may count twice.",
  },
  bug: {
    status: 500,
    detail: 'Something went wrong on our side. Please report it with this requestId.',
  },
}

export const FIELD_CODES = ['required', 'unknown', 'invalid'] as const

/** An error in a request. The detail says what the field accepts. */
export interface FieldError {
  field: string
  code: (typeof FIELD_CODES)[number]
  detail: string
}

/** An error that clients may hear of. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly code: ProblemCode
  /** Further members of the problem document: the errors of an `invalid` request, or the joke that a `duplicate` equals. */
  readonly members: { errors?: FieldError[]; id?: string }
  /** Whether clients may retry after a second. For an unknown outcome, that depends on the operation. */
  readonly mayRetry: boolean

  constructor(
    code: ProblemCode,
    { errors, ...members }: ProblemError['members'] = {},
    { cause, mayRetry = false }: { cause?: unknown; mayRetry?: boolean } = {},
  ) {
    super(errors ? sentenceOf(errors) : PROBLEMS[code].detail, { cause })
    this.code = code
    this.members = { ...members, ...(errors && { errors: errors.slice(0, MAX_ERRORS) }) }
    this.mayRetry = mayRetry
  }
}

/** Says the first error, and how many others there are. */
function sentenceOf(errors: FieldError[]): string {
  const [first, ...others] = errors.map(({ field, detail }) => `${field} ${detail}`)
  if (others.length === 0) return `${first}`
  const listed = MAX_ERRORS - 1
  const more = others.length > listed ? `${listed} of the ${others.length} others` : `${others.length} more`
  return `${first} See errors for ${more}.`
}

export function invalid(field: string, detail: string): ProblemError {
  return new ProblemError('invalid', { errors: [{ field, code: 'invalid', detail }] })
}
