/** The fields of the dialog to add a joke, and the checks of their values. */
import type { ComponentChildren } from 'preact'
import { MAX_TEXT_LENGTH } from '../shared/inputLimits.ts'
import { keysOf } from './keys.ts'
import { plural } from './plural.ts'
import { CATEGORY_LABELS } from './urlState.ts'

/** The number of characters left is shown when it falls below this. */
const NEAR_LIMIT = 100

/** Each returns what is wrong with a field's value, if anything. */
export const CHECKS = {
  joke: (text: string) => (text.trim() === '' ? 'Please tell the joke.' : checkLength(text)),
  punchline: checkLength,
  category: (name: string) => (name === '' ? 'Please choose a category.' : undefined),
}
export type FieldName = keyof typeof CHECKS
export type Faults = { [Name in FieldName]?: string | undefined }
export type Lengths = Partial<Record<FieldName, number>>

/** Shown at a field whose text passes the checks but is refused by the service: it holds forbidden characters. */
export const UNACCEPTED = 'This text has characters that cannot be shown. Please type it again instead of pasting it.'

export function Fields({ faults, lengths }: { faults: Faults; lengths: Lengths }) {
  const stateOf = (name: FieldName) => ({ name, fault: faults[name], length: lengths[name] ?? 0 })
  return (
    <>
      <Field {...stateOf('joke')} label="Joke">
        {(attributes) => <textarea {...attributes} rows={3} placeholder="What do you call a fish without eyes?" />}
      </Field>
      <Field {...stateOf('punchline')} label="Punchline" hint="leave it empty for a pun">
        {(attributes) => <textarea {...attributes} rows={2} placeholder="A fsh." />}
      </Field>
      <Field {...stateOf('category')} label="Category">
        {(attributes) => (
          <select {...attributes}>
            <option value="">Choose…</option>
            {keysOf(CATEGORY_LABELS).map((name) => (
              <option key={name} value={name}>
                {CATEGORY_LABELS[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  )
}

interface FieldAttributes {
  id: string
  name: string
  'aria-invalid': boolean
  'aria-describedby': string
}

function Field(props: {
  name: FieldName
  label: string
  hint?: string
  fault: string | undefined
  length: number
  children: (attributes: FieldAttributes) => ComponentChildren
}) {
  const { name, label, hint, fault, length, children } = props
  const left = MAX_TEXT_LENGTH - length
  const id = `add-${name}`
  return (
    <div class="field">
      <label for={id}>
        {label} {hint && <small>({hint})</small>}
      </label>
      {children({ id, name, 'aria-invalid': fault !== undefined, 'aria-describedby': `${id}-fault ${id}-left` })}
      <p class="fault" id={`${id}-fault`}>
        {fault}
      </p>
      <output class="left" id={`${id}-left`}>
        {left < NEAR_LIMIT && `${plural(Math.abs(left), 'character')} ${left < 0 ? 'too many' : 'left'}`}
      </output>
    </div>
  )
}

export function readFields(form: HTMLFormElement): Record<FieldName, string> {
  const data = new FormData(form)
  const sent = (name: FieldName) => String(data.get(name) ?? '')
  return { joke: sent('joke'), punchline: sent('punchline'), category: sent('category') }
}

export function faultsOf(joke: Record<FieldName, string>): Faults {
  const faults: Faults = {}
  for (const name of keysOf(CHECKS)) {
    const fault = CHECKS[name](joke[name])
    if (fault) faults[name] = fault
  }
  return faults
}

function checkLength(text: string): string | undefined {
  return text.length > MAX_TEXT_LENGTH ? 'This is too long. Please shorten it.' : undefined
}
