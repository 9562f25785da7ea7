/** The problems that clients hear of (interface.md, “Errors”). Nothing else knows a status or a sentence of them. */
import { MAX_BODY_KB } from './clientLimits.ts'
import type { FIELD_CODES, ProblemCode } from './problem.ts'

interface Kind {
  status: number
  /** A sentence for people: the fault, and what to do. */
  detail: string
  /** Seconds after which the request may be repeated. Absent if repeating it is useless or may do harm. */
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
    retryAfter: 1,
    detail:
      'The service does not know whether this worked. Adding the same joke again is safe, but another upvote may count twice.',
  },
  bug: {
    status: 500,
    detail: 'Something went wrong on our side. Please report it with this requestId.',
  },
}

/** A fault in a request: the field, the kind of fault, and what the field accepts. */
export interface FieldError {
  field: string
  code: (typeof FIELD_CODES)[number]
  detail: string
}

interface Members {
  /** Every fault of an `invalid` request. */
  errors?: FieldError[]
  /** The listed joke that a `duplicate` equals. */
  id?: string
}

/** An error that clients may hear of. Its message is that of {@link PROBLEMS}, or names the faults of the request. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly code: ProblemCode
  /** Further members of the problem document. */
  readonly members: Members

  constructor(code: ProblemCode, members: Members = {}, options?: ErrorOptions) {
    const faults = members.errors?.map(({ field, detail }) => `${field} ${detail}`.trim())
    super(faults?.join(' ') ?? PROBLEMS[code].detail, options)
    this.code = code
    this.members = members
  }
}
