/** The dialog to add a joke. The browser checks that its fields are filled in, and keeps them while it is closed. */
import { signal } from '@preact/signals'
import { createRef, type TargetedSubmitEvent } from 'preact'
import { Icon } from './icon.tsx'
import { keysOf } from './keys.ts'
import { showAdded } from './listState.ts'
import { navigate } from './navigation.ts'
import { addJoke, type Failure, getPage, toFailure } from './serviceClient.ts'
import { Text } from './text.tsx'
import { showToast } from './toast.ts'
import { CATEGORY_LABELS, DEFAULT_VIEW } from './urlState.ts'
import { ViewLink } from './viewLink.tsx'

const dialog = createRef<HTMLDialogElement>()
const failure = signal<Failure | undefined>(undefined)
const isSending = signal(false)
let sending = new AbortController()

export function openAddJoke(): void {
  dialog.current?.showModal()
}

export function AddJoke() {
  return (
    <dialog class="add" ref={dialog} aria-labelledby="add-title" closedby="any" onClose={cancel}>
      <form onSubmit={submit}>
        <h2 id="add-title">Add a joke</h2>
        <label class="field">
          <span>Joke</span>
          <textarea name="joke" required dir="auto" placeholder="What do you call a fish without eyes?" />
        </label>
        <label class="field">
          <span>Punchline (optional)</span>
          <textarea name="punchline" dir="auto" placeholder="A fsh." />
        </label>
        <label class="field">
          <span>Category</span>
          <select name="category" required>
            <option value="">Choose…</option>
            {keysOf(CATEGORY_LABELS).map((name) => (
              // Preact sets no value that equals the text, but a translation changes the text.
              <option key={name} ref={(option) => option?.setAttribute('value', name)}>
                {CATEGORY_LABELS[name]}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </label>
        <div role="alert" class="outcome">
          {failure.value && <AddFailure failure={failure.value} />}
        </div>
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

/** Stops sending, and hides its failure. */
function cancel(): void {
  sending.abort()
  failure.value = undefined
}

async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
  event.preventDefault()
  if (isSending.value) return
  const form = event.currentTarget
  cancel()
  sending = new AbortController()
  const { signal } = sending
  isSending.value = true
  try {
    const added = await addJoke(new FormData(form), signal)
    // A joke that waits for approval is not listed.
    const page = await getPage(`/joke?id=${added.id}`, signal).catch(() => undefined)
    signal.throwIfAborted()
    form.reset()
    close()
    if (page?.jokes.length === 0) return showToast("Thank you! Your joke will appear here once it's approved.")
    showAdded(added)
    showToast('Your joke is in. Thank you!')
  } catch (error) {
    if (!signal.aborted) failure.value = toFailure(error)
  } finally {
    isSending.value = false
  }
}

/** Tells the user why the joke is not added, and what to do. */
function AddFailure({ failure: { problem, message } }: { failure: Failure }) {
  if (!problem.id) return <p key={message}>{message} Your text is still here.</p>
  const leave = () => {
    close()
    navigate({ ...DEFAULT_VIEW, id: problem.id })
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
