/** The dialog to add a joke. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { showJoke } from './collection.ts'
import { view } from './navigation.ts'
import { tell } from './notice.ts'
import { addJoke, type Failure, persist, toFailure } from './serviceClient.ts'
import { isKey, JOKE_LABELS, keysOf } from './view.ts'
import { ViewLink } from './viewLink.tsx'

/** As in shared/joke.ts, which is too heavy for the page. */
const MAX_LENGTH = 1_000
/** With fewer characters left, the writer is told how many. */
const NEAR_LIMIT = 100

/** What is wrong with a field's value, if anything. */
const CHECKS = {
  joke: (text: string) => (text.trim() === '' ? 'Please tell the joke.' : checkLength(text)),
  punchline: checkLength,
  category: (name: string) => (name === '' ? 'Choose a category.' : undefined),
}
type FieldName = keyof typeof CHECKS
type Faults = Partial<Record<FieldName, string>>

/** What the service finds wrong beyond that. */
const UNFIT = 'This text cannot be shown to others as it is. Please type it anew.'

export function openAddJoke(dialog: HTMLDialogElement | null): void {
  const form = dialog?.querySelector('form')
  if (!dialog || !form) return
  const [joke, punchline, category] = form.querySelectorAll<HTMLTextAreaElement | HTMLSelectElement>('[name]')
  // A joke that was begun keeps its category.
  if (category && !joke?.value && !punchline?.value) category.value = view.value.category ?? ''
  dialog.showModal()
}

export function AddJoke({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  const form = useRef<HTMLFormElement>(null)
  const waiting = useRef(new AbortController())
  const faults = useSignal<Faults>({})
  const lengths = useSignal<Partial<Record<FieldName, number>>>({})
  const failure = useSignal<Failure | undefined>(undefined)
  const pause = useSignal(0)
  const isSending = useSignal(false)

  const close = () => dialog.current?.close()

  const forget = () => {
    waiting.current.abort()
    faults.value = {}
    failure.value = undefined
  }

  const showFaults = (found: Faults) => {
    faults.value = found
    const [first] = keysOf(found)
    form.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus()
  }

  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (form.current === null || isSending.value) return
    const joke = readFields(form.current)
    forget()
    showFaults(faultsOf(joke))
    if (keysOf(faults.value).length > 0) return
    waiting.current = new AbortController()
    const { signal } = waiting.current
    isSending.value = true
    try {
      const added = await persist(
        () => addJoke(joke),
        (error, secondsLeft) => {
          failure.value = error
          pause.value = secondsLeft
        },
        signal,
      )
      form.current.reset()
      close()
      showJoke(added)
      tell('Your joke is in. Thank you!')
    } catch (error) {
      if (!signal.aborted) {
        failure.value = toFailure(error)
        const unfit = failure.value.faults.map(({ field }) => field).filter((field) => isKey(CHECKS, field))
        showFaults(Object.fromEntries(unfit.map((field) => [field, UNFIT])))
      }
    }
    pause.value = 0
    isSending.value = false
  }

  const followInput = ({ target }: Event) => {
    if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)) return
    const { name, value } = target
    if (!isKey(CHECKS, name)) return
    lengths.value = { ...lengths.value, [name]: value.length }
    const { [name]: fault, ...others } = faults.value
    const still = fault && CHECKS[name](value)
    faults.value = still ? { ...others, [name]: still } : others
  }

  const fieldProps = { faults, lengths }
  return (
    <dialog
      class="add"
      ref={dialog}
      aria-labelledby="add-title"
      onClose={forget}
      // Outside of the form is outside of the dialog.
      onPointerDown={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <form
        ref={form}
        noValidate
        onSubmit={send}
        onInput={followInput}
        onReset={() => {
          lengths.value = {}
        }}
        onKeyDown={({ key, ctrlKey, metaKey }) =>
          key === 'Enter' && (ctrlKey || metaKey) && form.current?.requestSubmit()
        }
      >
        <h2 id="add-title">Add a joke</h2>
        <Field name="joke" label="Joke" {...fieldProps}>
          {(attributes) => <textarea {...attributes} rows={3} placeholder="What do you call a fish without eyes?" />}
        </Field>
        <Field name="punchline" label="Punchline" hint="leave it empty for a pun" {...fieldProps}>
          {(attributes) => <textarea {...attributes} rows={2} placeholder="A fsh." />}
        </Field>
        <Field name="category" label="Category" {...fieldProps}>
          {(attributes) => (
            <select {...attributes}>
              <option value="">Choose…</option>
              {keysOf(JOKE_LABELS).map((name) => (
                <option key={name} value={name}>
                  {JOKE_LABELS[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div role="alert" class="outcome">
          {failure.value && <Outcome failure={failure.value} onLeave={close} />}
        </div>
        {pause.value > 0 && (
          <p class="pause">
            Trying again in {pause} {pause.value === 1 ? 'second' : 'seconds'}.
          </p>
        )}
        <div class="actions">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" aria-disabled={isSending.value}>
            {isSending.value ? 'Adding…' : 'Add it'}
          </button>
        </div>
      </form>
    </dialog>
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

/** Why the joke is not added. */
function Outcome({ failure, onLeave }: { failure: Failure; onLeave: () => void }) {
  const { reason, faults, duplicateOf, message } = failure
  if (duplicateOf) {
    return (
      <p>
        That one is here already.{' '}
        <ViewLink
          to={{ id: duplicateOf }}
          onFollow={(follow) => {
            onLeave()
            follow()
          }}
        >
          Show it
        </ViewLink>
      </p>
    )
  }
  if (reason === 'offline') return <p>{message} Your joke stays here until you are back.</p>
  if (reason === 'silent') return <p>{message} Your joke stays here, so try again in a moment.</p>
  return <p>{faults.length > 0 ? 'Not added yet: see above.' : message}</p>
}

function readFields(form: HTMLFormElement): Record<FieldName, string> {
  const data = new FormData(form)
  const [joke = '', punchline = '', category = ''] = keysOf(CHECKS).map((name) => String(data.get(name)))
  return { joke, punchline, category }
}

function faultsOf(joke: Record<FieldName, string>): Faults {
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
