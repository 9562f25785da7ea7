/** The dialog to add a joke. Its fields and their checks are in addJokeFields.tsx. */
import { signal } from '@preact/signals'
import { createRef } from 'preact'
import { checkFields, clearFields, Fields, faults, followInput, readFields, showRefused } from './addJokeFields.tsx'
import { showJoke } from './listState.ts'
import { view } from './navigation.ts'
import { RetryCountdown } from './retryCountdown.tsx'
import { addJoke, type Failure, toFailure, withRetries } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { ViewLink } from './viewLink.tsx'

const dialog = createRef<HTMLDialogElement>()
const form = createRef<HTMLFormElement>()
const failure = signal<Failure | undefined>(undefined)
const retrySeconds = signal(0)
const isSending = signal(false)
let sending = new AbortController()

export function openAddJoke(): void {
  if (form.current === null) return
  const { joke, punchline } = readFields(form.current)
  const category = form.current.querySelector('select')
  // If the user has begun a joke, keep its category.
  if (category && !joke && !punchline) category.value = view.value.category ?? ''
  dialog.current?.showModal()
}

export function AddJoke() {
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
        onKeyDown={({ key, ctrlKey, metaKey }) =>
          key === 'Enter' && (ctrlKey || metaKey) && form.current?.requestSubmit()
        }
      >
        <h2 id="add-title">Add a joke</h2>
        <Fields />
        <div role="alert" class="outcome">
          {failure.value && <AddFailure failure={failure.value} />}
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

function close(): void {
  dialog.current?.close()
}

/** Stops retrying, and hides all errors. */
function cancel(): void {
  sending.abort()
  faults.value = {}
  failure.value = undefined
}

async function submit(event: SubmitEvent): Promise<void> {
  event.preventDefault()
  if (form.current === null || isSending.value) return
  const joke = readFields(form.current)
  cancel()
  if (!checkFields(form.current, joke)) return
  sending = new AbortController()
  const { signal } = sending
  const onWait = (error: Failure, secondsLeft: number) => {
    failure.value = error
    retrySeconds.value = secondsLeft
  }
  isSending.value = true
  try {
    const added = await withRetries(() => addJoke(joke), onWait, signal)
    clearFields(form.current)
    close()
    showJoke(added)
    showToast('Your joke is in. Thank you!')
  } catch (error) {
    if (!signal.aborted) {
      failure.value = toFailure(error)
      showRefused(form.current, failure.value)
    }
  }
  retrySeconds.value = 0
  isSending.value = false
}

/** Why the joke is not added, and what to do. */
function AddFailure({ failure }: { failure: Failure }) {
  const { reason, problem, message } = failure
  if (problem.id) {
    const leave = (follow: () => void) => {
      close()
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
