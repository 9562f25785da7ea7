/** Errors of requests, in terms of jokes. `http.ts` maps each to a status. */

/** A fault in a request: the field, and what it accepts. */
export interface FieldError {
  field: string
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

/** Messages for the client after a failure of the database. */
export const LISTING_FAILED = 'The jokes could not be read. Try again.'
export const JOKE_MAY_HAVE_BEEN_ADDED = 'The joke may or may not have been added. Send it again to be sure.'
export const UPVOTE_MAY_HAVE_COUNTED = 'The upvote may or may not have been counted.'
export const UPVOTE_NOT_COUNTED = 'The upvote was not counted. Try again.'

/** The database could not be reached, was too slow or throttled a call. The message is for the client. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}
