/** Errors of requests, in terms of jokes. `http.ts` maps each to a status. */
import type { FIELD_CODES, ProblemCode } from './problem.ts'

/** A fault in a request: the field, the kind of fault, and what the field accepts. */
export interface FieldError {
  field: string
  code: (typeof FIELD_CODES)[number]
  detail: string
}

/** The request is invalid. Nothing was stored. */
export class InvalidInput extends Error {
  readonly errors: FieldError[]

  constructor(errors: FieldError[]) {
    super(errors.map(({ field, detail }) => `${field} ${detail}`).join(' '))
    this.errors = errors
  }
}

/** An equal joke is listed, waits for approval, or was removed. */
export class DuplicateJoke extends Error {
  readonly id: string
  readonly state: 'listed' | 'waiting' | 'removed'

  constructor(id: string, state: DuplicateJoke['state']) {
    super()
    this.id = id
    this.state = state
  }
}

/** No joke has this id, or its state does not allow the operation. */
export class UnknownJoke extends Error {}

/** The meaning of a database failure for the client: a code, and a message for people. */
export interface Outcome {
  code: Extract<ProblemCode, 'unavailable' | 'not-counted' | 'unknown-outcome'>
  message: string
}

export const LISTING_FAILED: Outcome = { code: 'unavailable', message: 'The jokes could not be read. Try again.' }
export const JOKE_MAY_HAVE_BEEN_ADDED: Outcome = {
  code: 'unknown-outcome',
  message: 'The joke may or may not have been added. Send it again to be sure.',
}
export const UPVOTE_MAY_HAVE_COUNTED: Outcome = {
  code: 'unknown-outcome',
  message: 'The upvote may or may not have been counted.',
}
export const UPVOTE_NOT_COUNTED: Outcome = {
  code: 'not-counted',
  message: 'The upvote was not counted. Try again.',
}

/** The database could not be reached, was too slow or throttled a call. */
export class Unavailable extends Error {
  override name = 'Unavailable'
  readonly code: Outcome['code']

  constructor({ code, message }: Outcome, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
