/** What can go wrong with a request, in terms of jokes. `http.ts` maps each to a status. */

/** One thing wrong with what a client sent: where, and what is accepted there. */
export interface FieldError {
  field: string
  detail: string
}

/** What the client sent is not accepted; nothing was stored. */
export class InvalidInput extends Error {
  readonly errors: FieldError[]

  constructor(errors: FieldError[]) {
    super(errors.map(({ field, detail }) => `${field} ${detail}`).join(' '))
    this.errors = errors
  }
}

/** An equal joke exists already: it is listed, waits for approval, or was removed. */
export class DuplicateJoke extends Error {
  readonly id: string
  readonly state: 'listed' | 'waiting' | 'removed'

  constructor(id: string, state: DuplicateJoke['state']) {
    super()
    this.id = id
    this.state = state
  }
}

/** No joke has the requested id, or it is not in a state that allows what was asked for. */
export class UnknownJoke extends Error {}

/** What a failure of the database means for the client's request. */
export const LISTING_FAILED = 'The jokes could not be read just now: try again.'
export const JOKE_MAY_HAVE_BEEN_ADDED = 'The joke may or may not have been added: send it again to be sure.'
export const UPVOTE_MAY_HAVE_COUNTED = 'The upvote may or may not have been counted.'
export const UPVOTE_NOT_COUNTED = 'The upvote was not counted: try again.'

/** The database could not be reached, was too slow or throttled the request. The message is for the client. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}
