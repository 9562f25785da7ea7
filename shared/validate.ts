/** Checks requests against schemas, and names every error. */
import * as v from 'valibot'
import { type FieldError, invalid, ProblemError } from './errors.ts'

type Schema = v.GenericSchema & { entries: v.ObjectEntries }

/**
 * Checks `input` against `schema` and returns the schema's output.
 *
 * @param furtherErrors errors that the schema cannot find
 * @throws {ProblemError} `invalid` with every error
 */
export function validate<const Checked extends Schema>(
  schema: Checked,
  input: unknown,
  furtherErrors: FieldError[] = [],
): v.InferOutput<Checked> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalid('body', 'must be a JSON object.')
  const result = v.safeParse(schema, input)
  if (result.success && furtherErrors.length === 0) return result.output
  const errors = result.issues?.flatMap((issue) => errorsOf(issue, schema.entries, input)) ?? []
  throw new ProblemError('invalid', { errors: [...errors, ...furtherErrors] })
}

export function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.picklist(options, oneOfError(options))
}

export function oneOfError(options: readonly string[]): string {
  return `must be one of ${options.join(', ')}.`
}

function errorsOf(issue: v.BaseIssue<unknown>, entries: v.ObjectEntries, input: object): FieldError[] {
  const field = v.getDotPath(issue) ?? ''
  if (issue.type !== 'strict_object') return [{ field, code: 'invalid', detail: issue.message }]
  // Valibot expects "never" in place of an unknown field, and names a missing one.
  if (issue.expected !== 'never') return [{ field, code: 'required', detail: 'is required.' }]
  // Valibot names only the first unknown field, but clients should see all.
  const known = Object.keys(entries)
  const unknown = Object.keys(input).filter((name) => !known.includes(name))
  const detail = `is not recognized. Allowed: ${known.join(', ')}.`
  return unknown.map((name) => ({ field: name.slice(0, 100), code: 'unknown', detail }))
}
