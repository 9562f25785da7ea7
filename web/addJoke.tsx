/** The dialog to add a joke. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Joke } from '../shared/joke.ts'
import type { Failure } from './api.ts'
import { add, toFailure } from './collection.ts'
import { CATEGORY_LABELS } from './view.ts'
import { ViewLink } from './viewLink.tsx'

const LABELS: Record<Joke['category'], string> = { ...CATEGORY_LABELS, 'French humour': 'French humour' }

export function AddJoke({ isOpen }: { isOpen: Signal<boolean> }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const failure = useSignal<Failure | undefined>(undefined)
  const isSending = useSignal(false)

  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen.value])
  // To the first field that has to be mended.
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [failure.value])

  const close = () => {
    isOpen.value = false
    failure.value = undefined
  }

  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (form.current === null || isSending.value) return
    isSending.value = true
    failure.value = undefined
    try {
      const fields = [...new FormData(form.current)].filter(([, value]) => value !== '')
      await add(Object.fromEntries(fields))
      form.current.reset()
      close()
    } catch (error) {
      failure.value = toFailure(error)
    }
    isSending.value = false
  }

  return (
    <dialog class="add" ref={dialog} aria-labelledby="add-title" onClose={close}>
      <form ref={form} noValidate onSubmit={send}>
        <h2 id="add-title">Add a joke</h2>
        <Field name="joke" label="Joke" failure={failure}>
          {(attributes) => <textarea {...attributes} rows={3} placeholder="What do you call a fish without eyes?" />}
        </Field>
        <Field name="punchline" label="Punchline" hint="leave it empty for a pun" failure={failure}>
          {(attributes) => <textarea {...attributes} rows={2} placeholder="A fsh." />}
        </Field>
        <Field name="category" label="Category" failure={failure}>
          {(attributes) => (
            <select {...attributes}>
              <option value="">Choose…</option>
              {Object.entries(LABELS).map(([name, label]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div role="alert" class="outcome">
          {failure.value && <Outcome failure={failure.value} onLeave={close} />}
        </div>
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
  name: string
  label: string
  hint?: string
  failure: Signal<Failure | undefined>
  children: (attributes: FieldAttributes) => ComponentChildren
}) {
  const { name, label, hint, failure, children } = props
  const faults = failure.value?.faults.filter(({ field }) => field === name) ?? []
  const id = `add-${name}`
  return (
    <div class="field">
      <label for={id}>
        {label} {hint && <small>({hint})</small>}
      </label>
      {children({ id, name, 'aria-invalid': faults.length > 0, 'aria-describedby': `${id}-faults` })}
      <p class="faults" id={`${id}-faults`}>
        {faults.map(({ detail }) => `This ${detail}`).join(' ')}
      </p>
    </div>
  )
}

/** What went wrong, where it is not told at a field. */
function Outcome({ failure, onLeave }: { failure: Failure; onLeave: () => void }) {
  const { faults, duplicateOf, message } = failure
  if (duplicateOf) {
    return (
      <p>
        That one is here already.{' '}
        <ViewLink to={{ id: duplicateOf }} onFollow={onLeave}>
          Show it
        </ViewLink>
      </p>
    )
  }
  const shown = ['joke', 'punchline', 'category']
  if (faults.length > 0 && faults.every(({ field }) => shown.includes(field)))
    return <p>Not added yet: see the {faults.length === 1 ? 'note' : 'notes'} above.</p>
  return <p>{message}</p>
}
