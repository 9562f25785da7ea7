/** The dialog to add a joke. */
import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { showJoke } from './collection.ts'
import { CHECKS, type Faults, Field, type FieldName, faultsOf, readFields, UNFIT } from './jokeField.tsx'
import { view } from './navigation.ts'
import { tell } from './notice.ts'
import { addJoke, type Failure, persist, toFailure } from './serviceClient.ts'
import { isKey, JOKE_LABELS, keysOf } from './view.ts'
import { ViewLink } from './viewLink.tsx'

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
