/** The dialog to add a joke. Its fields and their checks are in addJokeFields.tsx. */
import { signal } from '@preact/signals'
import { createRef } from 'preact'
import { checkValues, EMPTY_JOKE, Fields, faults, showRefused, values } from './addJokeFields.tsx'
import { showAdded } from './listState.ts'
import { view } from './navigation.ts'
import { RetryCountdown } from './retryCountdown.tsx'
import { addJoke, type Failure, getFresh, toFailure, withRetries } from './serviceClient.ts'
import { Text } from './text.tsx'
import { showToast } from './toast.ts'
import { ViewLink } from './viewLink.tsx'

const dialog = createRef<HTMLDialogElement>()
const failure = signal<Failure | undefined>(undefined)
const retrySeconds = signal(0)
const isSending = signal(false)
let sending = new AbortController()

export function openAddJoke(): void {
  const { joke, punchline } = values.value
  // A joke that the user has begun keeps its category.
  if (!joke && !punchline) values.value = { ...EMPTY_JOKE, category: view.value.categories[0] ?? '' }
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
        onSubmit={submit}
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) =>
          key === 'Enter' && (ctrlKey || metaKey) && currentTarget.requestSubmit()
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
            <Text>{isSending.value ? 'Adding…' : 'Add it'}</Text>
          </button>
        </div>
      </form>
    </dialog>
  )
}

function close(): void {
  dialog.current?.close()
}

/** Stops sending, and hides all errors. */
function cancel(): void {
  sending.abort()
  faults.value = {}
  failure.value = undefined
}

async function submit(event: SubmitEvent): Promise<void> {
  event.preventDefault()
  if (isSending.value) return
  cancel()
  if (!checkValues()) return
  const joke = values.value
  sending = new AbortController()
  const { signal } = sending
  const onWait = (error: Failure, secondsLeft: number) => {
    failure.value = error
    retrySeconds.value = secondsLeft
  }
  isSending.value = true
  try {
    const added = await withRetries(() => addJoke(joke, signal), onWait, signal)
    const page = await getFresh(added.id, signal).catch(() => undefined)
    signal.throwIfAborted()
    values.value = EMPTY_JOKE
    close()
    if (page?.jokes.length === 0) return showToast("Thank you! Your joke will appear here once it's approved.")
    showAdded(added)
    showToast('Your joke is in. Thank you!')
  } catch (error) {
    if (!signal.aborted) {
      failure.value = toFailure(error)
      showRefused(failure.value)
    }
  } finally {
    retrySeconds.value = 0
    isSending.value = false
  }
}

/** Tells the user why the joke is not added, and what to do. */
function AddFailure({ failure: { problem, message } }: { failure: Failure }) {
  if (problem.id) {
    const leave = (follow: () => void) => {
      close()
      follow()
    }
    return (
      <p>
        We already have this one.{' '}
        <ViewLink to={{ id: problem.id }} onFollow={leave}>
          See it
        </ViewLink>
      </p>
    )
  }
  const text = problem.errors ? 'Not added yet. Please fix the fields above.' : `${message} Your text is still here.`
  return <p key={text}>{text}</p>
}
