/** The fields of a joke to add, and what can be wrong with their values. */
import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { keysOf } from './view.ts'

/** As in shared/joke.ts, which is too heavy for the page. */
const MAX_LENGTH = 1_000
/** With fewer characters left, the writer is told how many. */
const NEAR_LIMIT = 100

/** What is wrong with a field's value, if anything. */
export const CHECKS = {
  joke: (text: string) => (text.trim() === '' ? 'Please tell the joke.' : checkLength(text)),
  punchline: checkLength,
  category: (name: string) => (name === '' ? 'Choose a category.' : undefined),
}
export type FieldName = keyof typeof CHECKS
export type Faults = Partial<Record<FieldName, string>>

/** For what the service finds wrong beyond that. */
export const UNFIT = 'This text cannot be shown to others as it is. Please type it again.'

interface FieldAttributes {
  id: string
  name: string
  'aria-invalid': boolean
  'aria-describedby': string
}

export function Field(props: {
  name: FieldName
  label: string
  hint?: string
  faults: Signal<Faults>
  lengths: Signal<Partial<Record<FieldName, number>>>
  children: (attributes: FieldAttributes) => ComponentChildren
}) {
  const { name, label, hint, faults, lengths, children } = props
  const fault = faults.value[name]
  const left = MAX_LENGTH - (lengths.value[name] ?? 0)
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
        {left < NEAR_LIMIT && countLeft(left)}
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
  const faults = keysOf(CHECKS).map((name) => [name, CHECKS[name](joke[name])])
  return Object.fromEntries(faults.filter(([, fault]) => fault !== undefined))
}

function checkLength(text: string): string | undefined {
  return text.length > MAX_LENGTH ? 'This is too long.' : undefined
}

function countLeft(left: number): string {
  const count = Math.abs(left)
  return `${count} ${count === 1 ? 'character' : 'characters'} ${left < 0 ? 'too many' : 'left'}`
}
