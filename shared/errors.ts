/** Maps each problem code to its status and sentence (interface.md, “Errors”). Only this file defines them. */
import { MAX_BODY_KB } from './clientLimits.ts'

/** The kinds of problems, for programs. They are stable, unlike sentences. */
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

interface Kind {
  status: number
  /** A sentence for people: the fault, and what to do. */
  detail: string
  /** Seconds after which clients may repeat the request. Absent if that is useless or may do harm. */
  retryAfter?: number
}

export const PROBLEMS: Record<ProblemCode, Kind> = {
  invalid: { status: 400, detail: 'The request is not valid.' },
  'unknown-joke': { status: 404, detail: 'No joke has this id. GET /joke lists the existing ones.' },
  duplicate: { status: 409, detail: 'This joke already exists.' },
  waiting: {
    status: 409,
    detail: 'This joke was added before, and waits for approval by the operators of the service.',
  },
  removed: {
    status: 409,
    detail: 'This joke was removed by the operators of the service, so it cannot be added again.',
  },
  'too-large': { status: 413, detail: `Send a body of at most ${MAX_BODY_KB} kB.` },
  unavailable: { status: 503, retryAfter: 1, detail: 'The jokes could not be read. Try again.' },
  'not-counted': { status: 503, retryAfter: 1, detail: 'The upvote was not counted. Try again.' },
  'unknown-outcome': {
    status: 503,
    detail:
      'The service does not know whether this worked. Adding the same joke again is safe, but another upvote may count twice.',
  },
  bug: {
    status: 500,
    detail: 'Something went wrong on our side. Please report it with this requestId.',
  },
}

/** The kinds of faults in a request. */
export const FIELD_CODES = ['required', 'unknown', 'invalid'] as const

/** A fault in a request: the field, the kind of fault, and what the field accepts. */
export interface FieldError {
  field: string
  code: (typeof FIELD_CODES)[number]
  detail: string
}

/** An error that clients may hear of. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly code: ProblemCode
  /** Further members of the problem document: every fault of an `invalid` request, or the joke that a `duplicate` equals. */
  readonly members: { errors?: FieldError[]; id?: string }
  /** Seconds after which clients may repeat the request. It may depend on the operation, not only on the code. */
  readonly retryAfter: number | undefined

  constructor(
    code: ProblemCode,
    members: ProblemError['members'] = {},
    { cause, retryAfter = PROBLEMS[code].retryAfter }: { cause?: unknown; retryAfter?: number } = {},
  ) {
    const [first, ...others] = members.errors?.map(({ field, detail }) => `${field} ${detail}`) ?? []
    const more = others.length > 0 ? ` See errors for ${others.length} more.` : ''
    super(first ? first + more : PROBLEMS[code].detail, { cause })
    this.code = code
    this.members = members
    this.retryAfter = retryAfter
  }
}

export function invalid(field: string, detail: string): ProblemError {
  return new ProblemError('invalid', { errors: [{ field, code: 'invalid', detail }] })
}
