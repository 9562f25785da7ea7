/** Turns what a client sent into a value of a schema's type, or into every fault it has. */
import * as v from 'valibot'
import { type Fault, InvalidInput } from './errors.ts'

/** An error answer must fit into what Lambda can return (6 MB), however many and however long the faulty names are. */
const MAX_FAULTS = 100
const MAX_FIELD_LENGTH = 100

/** An object all of whose fields are known, so that a misspelt one is noticed; further checks may follow in a pipe. */
type Schema = v.GenericSchema & { entries: v.ObjectEntries }

/**
 * Checks `input` against `schema` and returns the schema's output.
 *
 * @param whole what to call the input where a fault is not with a single field, such as `body`
 * @param furtherFaults what the schema does not know of
 * @throws {InvalidInput} with one fault for each thing that is wrong
 */
export function validate<const Checked extends Schema>(
  schema: Checked,
  input: unknown,
  whole: string,
  furtherFaults: Fault[] = [],
): v.InferOutput<Checked> {
  if (Array.isArray(input)) throw new InvalidInput([notAnObject(whole)])
  const result = v.safeParse(schema, input)
  if (result.success && furtherFaults.length === 0) return result.output
  const faults = (result.issues ?? []).flatMap((issue) => faultsOf(issue, schema.entries, input, whole))
  throw new InvalidInput([...faults, ...furtherFaults].slice(0, MAX_FAULTS))
}

function faultsOf(issue: v.BaseIssue<unknown>, entries: v.ObjectEntries, input: unknown, whole: string): Fault[] {
  const field = v.getDotPath(issue) ?? whole
  if (issue.type !== 'strict_object') return [{ field, detail: issue.message }]
  if (issue.expected === 'Object') return [notAnObject(whole)]
  if (issue.expected === 'never') return unknownFields(entries, input)
  const entry = entries[field]
  return [{ field, detail: `is required. ${(entry && v.getDescription(entry)) ?? ''}`.trimEnd() }]
}

function notAnObject(whole: string): Fault {
  return { field: whole, detail: 'must be a JSON object.' }
}

/** Valibot names only the first unknown field; a person wants to hear of all of them. */
function unknownFields(entries: v.ObjectEntries, input: unknown): Fault[] {
  const known = Object.keys(entries)
  return Object.keys(Object(input))
    .filter((field) => !known.includes(field))
    .map((field) => ({
      field: field.slice(0, MAX_FIELD_LENGTH),
      detail: `is not accepted here; these are: ${known.join(', ')}.`,
    }))
}
