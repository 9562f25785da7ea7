/** The fields of the dialog to add a joke, and the checks of their values. */
import { signal } from '@preact/signals'
import type { ComponentChildren, TargetedEvent } from 'preact'
import { MAX_TEXT_LENGTH } from '../shared/clientLimits.ts'
import { plural } from '../shared/plural.ts'
import { Icon } from './icon.tsx'
import { keysOf } from './keys.ts'
import type { Failure } from './serviceClient.ts'
import { Text } from './text.tsx'
import { CATEGORY_LABELS } from './urlState.ts'

/** A field shows how many characters are left when there are fewer than this. */
const NEAR_LIMIT = 100

export const EMPTY_JOKE = { joke: '', punchline: '', category: '' }
type FieldName = keyof typeof EMPTY_JOKE
type Faults = { [Name in FieldName]?: string | undefined }

/** A check of each field's value. Returns the fault as text for the user, or `undefined` if the value is fine. */
const CHECKS: Record<FieldName, (text: string) => string | undefined> = {
  joke: (text) => (text.trim() === '' ? 'Please tell the joke.' : checkLength(text)),
  punchline: checkLength,
  category: (name) => (name === '' ? 'Please choose a category.' : undefined),
}

const UNACCEPTED = "Some characters here can't be shown. Please type the text instead of pasting it."

/** The values of the fields, as the user has filled them in. */
export const values = signal(EMPTY_JOKE)
export const faults = signal<Faults>({})

export function Fields() {
  return (
    <>
      <Field name="joke" label="Joke">
        <textarea {...attributesOf('joke')} placeholder="What do you call a fish without eyes?" />
      </Field>
      <Field name="punchline" label="Punchline (optional)">
        <textarea {...attributesOf('punchline')} placeholder="A fsh." />
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
        <Icon name="down" />
      </Field>
    </>
  )
}

/** Connects a control with its value, its label and its messages. */
function attributesOf(name: FieldName) {
  const id = `add-${name}`
  return {
    id,
    name,
    dir: 'auto' as const,
    value: values.value[name],
    'aria-invalid': !!faults.value[name],
    'aria-describedby': `${id}-fault`,
    onInput: ({ currentTarget: { value } }: TargetedEvent<HTMLTextAreaElement | HTMLSelectElement>) => {
      values.value = { ...values.value, [name]: value }
      // The fault disappears as soon as the user has corrected it.
      if (faults.value[name]) faults.value = { ...faults.value, [name]: CHECKS[name](value) }
    },
  }
}

function Field({ name, label, children }: { name: FieldName; label: string; children: ComponentChildren }) {
  const left = MAX_TEXT_LENGTH - lengthOf(values.value[name])
  const id = `add-${name}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      <p class="fault" id={`${id}-fault`}>
        {faults.value[name] && <Text>{faults.value[name]}</Text>}
      </p>
      <output class="left">
        {left < NEAR_LIMIT && <Text>{`${plural(Math.abs(left), 'character')} ${left < 0 ? 'too many' : 'left'}`}</Text>}
      </output>
    </div>
  )
}

/** Checks the values, and shows their faults. Returns whether there are none. */
export function checkValues(): boolean {
  return !showFaults((name) => CHECKS[name](values.value[name]))
}

/** Shows the fields that only the service refuses, because their text has forbidden characters. */
export function showRefused({ problem }: Failure): void {
  const refused = problem.errors?.map(({ field }) => field)
  showFaults((name) => (refused?.includes(name) ? UNACCEPTED : undefined))
}

/** Shows faults at their fields, and moves the focus to the first of them. Returns whether there are any. */
function showFaults(faultOf: (name: FieldName) => string | undefined): boolean {
  const names = keysOf(EMPTY_JOKE).filter(faultOf)
  faults.value = Object.fromEntries(names.map((name) => [name, faultOf(name)]))
  document.getElementById(`add-${names[0]}`)?.focus()
  return names.length > 0
}

function checkLength(text: string): string | undefined {
  return lengthOf(text) > MAX_TEXT_LENGTH ? "That's too long. Please shorten it." : undefined
}

/** The length that the service limits. Unicode's compatibility form NFKC can be longer than the text, such as `...` for `…`. */
function lengthOf(text: string): number {
  return Math.max(text.length, text.normalize('NFKC').length)
}
