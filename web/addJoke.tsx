/** The dialog to add a joke. Its fields and their checks are in addJokeFields.tsx. */
import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { CHECKS, type Faults, Fields, faultsOf, type Lengths, readFields, UNACCEPTED } from './addJokeFields.tsx'
import { isKey, keysOf } from './keys.ts'
import { showJoke } from './listState.ts'
import { view } from './navigation.ts'
import { RetryCountdown } from './retryCountdown.tsx'
import { addJoke, type Failure, toFailure, withRetries } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { ViewLink } from './viewLink.tsx'

export function openAddJoke(dialog: HTMLDialogElement | null): void {
  const form = dialog?.querySelector('form')
  if (!dialog || !form) return
  const [joke, punchline, category] = form.querySelectorAll<HTMLTextAreaElement | HTMLSelectElement>('[name]')
  // If the user has begun a joke, keep its category.
  if (category && !joke?.value && !punchline?.value) category.value = view.value.category ?? ''
  dialog.showModal()
}

export function AddJoke({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  const form = useRef<HTMLFormElement>(null)
  const close = () => dialog.current?.close()
  const { faults, lengths, failure, retrySeconds, isSending, submit, cancel, followInput } = useSubmission(form, close)
  return (
    <dialog
      class="add"
      ref={dialog}
      aria-labelledby="add-title"
      onClose={cancel}
      // The form fills the dialog, so the dialog itself is hit only by a click on the backdrop.
      onPointerDown={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <form
        ref={form}
        noValidate
        onSubmit={submit}
        onInput={followInput}
        onReset={() => {
          lengths.value = {}
        }}
        onKeyDown={({ key, ctrlKey, metaKey }) =>
          key === 'Enter' && (ctrlKey || metaKey) && form.current?.requestSubmit()
        }
      >
        <h2 id="add-title">Add a joke</h2>
        <Fields faults={faults.value} lengths={lengths.value} />
        <div role="alert" class="outcome">
          {failure.value && <Refusal failure={failure.value} onLeave={close} />}
        </div>
        <RetryCountdown seconds={retrySeconds} />
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

/** What the user has typed into the form, and what becomes of it. */
function useSubmission(form: RefObject<HTMLFormElement | null>, onAdded: () => void) {
  const sending = useRef(new AbortController())
  const faults = useSignal<Faults>({})
  const lengths = useSignal<Lengths>({})
  const failure = useSignal<Failure | undefined>(undefined)
  const retrySeconds = useSignal(0)
  const isSending = useSignal(false)

  /** Stops retrying, and hides all errors. */
  const cancel = () => {
    sending.current.abort()
    faults.value = {}
    failure.value = undefined
  }

  const showFaults = (found: Faults) => {
    faults.value = found
    const [first] = keysOf(found)
    if (first) form.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus()
  }

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (form.current === null || isSending.value) return
    const joke = readFields(form.current)
    cancel()
    showFaults(faultsOf(joke))
    if (keysOf(faults.value).length > 0) return
    sending.current = new AbortController()
    const { signal } = sending.current
    const onWait = (error: Failure, secondsLeft: number) => {
      failure.value = error
      retrySeconds.value = secondsLeft
    }
    isSending.value = true
    try {
      const added = await withRetries(() => addJoke(joke), onWait, signal)
      form.current.reset()
      onAdded()
      showJoke(added)
      showToast('Your joke is in. Thank you!')
    } catch (error) {
      if (!signal.aborted) {
        failure.value = toFailure(error)
        const found: Faults = {}
        for (const { field } of failure.value.problem.errors ?? []) if (isKey(CHECKS, field)) found[field] = UNACCEPTED
        showFaults(found)
      }
    }
    retrySeconds.value = 0
    isSending.value = false
  }

  /** Counts what is typed, and checks a field again that had a fault. */
  const followInput = ({ target }: Event) => {
    if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)) return
    const { name, value } = target
    if (!isKey(CHECKS, name)) return
    lengths.value = { ...lengths.value, [name]: value.length }
    if (faults.value[name]) faults.value = { ...faults.value, [name]: CHECKS[name](value) }
  }

  return { faults, lengths, failure, retrySeconds, isSending, submit, cancel, followInput }
}

/** Why the joke is not added, and what to do. */
function Refusal({ failure, onLeave }: { failure: Failure; onLeave: () => void }) {
  const { reason, problem, message } = failure
  if (problem.id) {
    const leave = (follow: () => void) => {
      onLeave()
      follow()
    }
    return (
      <p>
        This joke is here already.{' '}
        <ViewLink to={{ id: problem.id }} onFollow={leave}>
          Show it
        </ViewLink>
      </p>
    )
  }
  if (reason === 'offline') return <p>{message} Your text stays here until you are back.</p>
  if (reason === 'unanswered') return <p>{message} Your text stays here. Please try again in a moment.</p>
  return <p>{problem.errors ? 'Not added yet. Please correct the fields above.' : message}</p>
}
