/** The fields of the dialog to add a joke, and the checks of their values. */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { MAX_TEXT_LENGTH } from '../shared/inputLimits.ts'
import { isKey, keysOf } from './keys.ts'
import { plural } from './plural.ts'
import type { Failure } from './serviceClient.ts'
import { CATEGORY_LABELS } from './urlState.ts'

/** The number of characters left is shown when it falls below this. */
const NEAR_LIMIT = 100

/** Each returns what is wrong with a field's value, if anything. */
const CHECKS = {
  joke: (text: string) => (text.trim() === '' ? 'Please tell the joke.' : checkLength(text)),
  punchline: checkLength,
  category: (name: string) => (name === '' ? 'Please choose a category.' : undefined),
}
type FieldName = keyof typeof CHECKS
type Faults = { [Name in FieldName]?: string | undefined }

const UNACCEPTED = 'This text has characters that cannot be shown. Please type it again instead of pasting it.'

export const faults = signal<Faults>({})
/** How many characters are in each field. */
const lengths = signal<{ [Name in FieldName]?: number }>({})

export function Fields() {
  return (
    <>
      <Field name="joke" label="Joke">
        <textarea {...attributesOf('joke')} rows={3} placeholder="What do you call a fish without eyes?" />
      </Field>
      <Field name="punchline" label="Punchline" hint="leave it empty for a pun">
        <textarea {...attributesOf('punchline')} rows={2} placeholder="A fsh." />
      </Field>
      <Field name="category" label="Category">
        <select {...attributesOf('category')}>
          <option value="">Choose…</option>
          {keysOf(CATEGORY_LABELS).map((name) => (
            <option key={name} value={name}>
              {CATEGORY_LABELS[name]}
            </option>
          ))}
        </select>
      </Field>
    </>
  )
}

/** Connects a control with its label and its messages. */
function attributesOf(name: FieldName) {
  const id = `add-${name}`
  return { id, name, 'aria-invalid': faults.value[name] !== undefined, 'aria-describedby': `${id}-fault ${id}-left` }
}

function Field(props: { name: FieldName; label: string; hint?: string; children: ComponentChildren }) {
  const { name, label, hint, children } = props
  const left = MAX_TEXT_LENGTH - (lengths.value[name] ?? 0)
  const id = `add-${name}`
  return (
    <div class="field">
      <label for={id}>
        {label} {hint && <small>({hint})</small>}
      </label>
      {children}
      <p class="fault" id={`${id}-fault`}>
        {faults.value[name]}
      </p>
      <output class="left" id={`${id}-left`}>
        {left < NEAR_LIMIT && `${plural(Math.abs(left), 'character')} ${left < 0 ? 'too many' : 'left'}`}
      </output>
    </div>
  )
}

/** Counts what is typed, and checks a field again that had a fault. */
export function followInput({ target }: Event): void {
  if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)) return
  const { name, value } = target
  if (!isKey(CHECKS, name)) return
  lengths.value = { ...lengths.value, [name]: value.length }
  if (faults.value[name]) faults.value = { ...faults.value, [name]: CHECKS[name](value) }
}

export function readFields(form: HTMLFormElement): Record<FieldName, string> {
  const data = new FormData(form)
  const sent = (name: FieldName) => String(data.get(name) ?? '')
  return { joke: sent('joke'), punchline: sent('punchline'), category: sent('category') }
}

export function clearFields(form: HTMLFormElement): void {
  form.reset()
  lengths.value = {}
}

/** Shows what is wrong with the values, if anything. Returns whether all are right. */
export function checkFields(form: HTMLFormElement, joke: Record<FieldName, string>): boolean {
  const found: Faults = {}
  for (const name of keysOf(CHECKS)) {
    const fault = CHECKS[name](joke[name])
    if (fault) found[name] = fault
  }
  showFaults(form, found)
  return keysOf(found).length === 0
}

/** Shows which fields the service refuses although they pass the checks: their text has forbidden characters. */
export function showRefused(form: HTMLFormElement, { problem }: Failure): void {
  const found: Faults = {}
  for (const { field } of problem.errors ?? []) if (isKey(CHECKS, field)) found[field] = UNACCEPTED
  showFaults(form, found)
}

/** Shows faults at their fields, and moves the focus to the first of them. */
function showFaults(form: HTMLFormElement, found: Faults): void {
  faults.value = found
  const [first] = keysOf(found)
  if (first) form.querySelector<HTMLElement>(`[name=${first}]`)?.focus()
}

function checkLength(text: string): string | undefined {
  return text.length > MAX_TEXT_LENGTH ? 'This is too long. Please shorten it.' : undefined
}
