/** The dialog to add a joke, written in its bubbles. The browser keeps a draft until it is added or discarded. */
import { signal } from '@preact/signals'
import { createRef, type TargetedSubmitEvent } from 'preact'
import { MAX_TEXT_LENGTH } from '../shared/clientLimits.ts'
import { hasVisibleCharacter } from '../shared/words.ts'
import { Icon } from './icon.tsx'
import { showJoke, tell } from './listState.ts'
import { addJoke, awaited, type Failure, getPage, pause, sentenceFor, toFailure, waitingFor } from './serviceClient.ts'
import { readStored, store } from './storage.ts'
import { Text } from './text.tsx'
import { showToast } from './toast.ts'
import { CATEGORY_LABELS, DEFAULT_VIEW, keysOf } from './urlState.ts'

/** The fields of a joke, by their names in the API. */
const EMPTY = { joke: '', punchline: '', category: '' }
type Draft = typeof EMPTY
/** Faults of the fields, in words for people. */
type Faults = Partial<Record<keyof Draft, string | undefined>>

/** From this length on, the page counts characters. */
const COUNTED_LENGTH = 900

const dialog = createRef<HTMLDialogElement>()
const draft = signal({ ...EMPTY, ...readStored('sessionStorage', 'draft') })
const faults = signal<Faults>({})
/** Why the joke as a whole is not added. */
const outcome = signal('')
const isSending = signal(false)
let sending = new AbortController()
/** The joke as JSON that may have been added, although no answer said so. */
let uncertain = ''

export function openAddJoke(): void {
  dialog.current?.showModal()
  // The browser would focus the first button.
  document.getElementById('new-joke')?.focus()
}

export function AddJoke() {
  const { category } = draft.value
  return (
    <dialog class="add" ref={dialog} aria-labelledby="add-title" closedby="any" onClose={cancel}>
      <form onSubmit={submit} noValidate data-category={category}>
        <div class="actions">
          <h2 id="add-title">Add a joke</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        <Writing name="joke" label="Setup" class="lead" placeholder="What do you call a fish without eyes?" />
        <Writing name="punchline" label="Punchline (optional)" class="punch" placeholder="A fsh." />
        <fieldset aria-describedby="fault-category">
          <legend>Category</legend>
          <div class="chips">
            {keysOf(CATEGORY_LABELS).map((name) => (
              <label key={name} class="chip">
                <input
                  type="radio"
                  name="category"
                  checked={category === name}
                  onChange={() => change('category', name)}
                />
                <span data-category={name}>{CATEGORY_LABELS[name]}</span>
              </label>
            ))}
          </div>
          <Fault name="category" />
        </fieldset>
        <div role="alert" class="fault">
          {outcome.value && <Text>{outcome.value}</Text>}
        </div>
        <div class="actions">
          {Object.values(draft.value).join('') && (
            <button type="button" class="quiet" onClick={discard}>
              Discard
            </button>
          )}
          <button type="submit" class="primary" aria-disabled={isSending.value}>
            <Text>{isSending.value ? waitingFor('adding') : 'Add it'}</Text>
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** A bubble to write in. */
function Writing(props: { name: 'joke' | 'punchline'; label: string; class: string; placeholder: string }) {
  const { name, label, placeholder } = props
  const text = draft.value[name]
  return (
    <div class="field">
      <label for={`new-${name}`}>{label}</label>
      <textarea
        id={`new-${name}`}
        name={name}
        class={props.class}
        dir="auto"
        placeholder={placeholder}
        value={text}
        aria-invalid={faults.value[name] !== undefined}
        aria-describedby={`fault-${name}`}
        onInput={({ currentTarget: { value } }) => change(name, value)}
      />
      {text.length >= COUNTED_LENGTH && (
        <p class="count">
          <Text>{`${text.length.toLocaleString('en-GB')} of ${LIMIT}`}</Text>
        </p>
      )}
      <Fault name={name} />
    </div>
  )
}

const LIMIT = MAX_TEXT_LENGTH.toLocaleString('en-GB')

function Fault({ name }: { name: keyof Draft }) {
  const fault = faults.value[name]
  return (
    <p class="fault" id={`fault-${name}`}>
      {fault && <Text>{fault}</Text>}
    </p>
  )
}

/** Sending again is safe, because the service has each joke only once. */
const UNSURE = "We can't tell whether your joke was added. Try again: it won't be added twice."

const SENTENCES: Partial<Record<Failure['code'], string>> = {
  invalid: "We can't add this joke as it is. Please change its words.",
  'too-large': `Your joke is too long. Setup and punchline may each have ${LIMIT} characters.`,
  removed: "This joke was here before and was taken down, so it can't be added again.",
  unreachable: UNSURE,
  'unknown-outcome': UNSURE,
  bug: UNSURE,
}

/** Stops sending, and hides what failed. */
function cancel(): void {
  sending.abort()
  outcome.value = ''
  faults.value = {}
}

function discard(): void {
  keep(EMPTY)
  dialog.current?.close()
}

function change(name: keyof Draft, text: string): void {
  keep({ ...draft.value, [name]: text })
  faults.value = { ...faults.value, [name]: undefined }
}

function keep(changed: Draft): void {
  draft.value = changed
  store('sessionStorage', 'draft', changed)
}

async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
  event.preventDefault()
  if (isSending.value) return
  cancel()
  const fields = draft.value
  if (showFaults(faultsOf(fields))) return
  sending = new AbortController()
  const { signal } = sending
  isSending.value = true
  try {
    const { id, isNew } = await awaited(add(fields, signal))
    // A joke that waits for approval is not listed.
    const page = id ? await getPage(`/joke?id=${id}`, signal).catch(() => undefined) : undefined
    signal.throwIfAborted()
    uncertain = ''
    discard()
    if (!id || page?.jokes.length === 0) return showToast("Thank you! Your joke will appear here once it's approved.")
    // Its author knows the punchline.
    tell(id)
    showJoke(page?.jokes[0] ?? { ...fields, id, thumbsUp: 0 }, 0, DEFAULT_VIEW)
    showToast(isNew ? 'Your joke is in. Thank you!' : 'We already have this one. Here it is.')
  } catch (error) {
    const failed = toFailure(error)
    const { code, problem } = failed
    if (signal.aborted || SENTENCES[code] === UNSURE) uncertain = JSON.stringify(fields)
    if (signal.aborted) return
    const refused = problem.errors?.map(({ field }) => [field, REFUSED]) ?? []
    if (!showFaults(Object.fromEntries(refused))) outcome.value = SENTENCES[code] ?? sentenceFor(failed)
  } finally {
    isSending.value = false
  }
}

/** Adds a joke. Returns its id, or `undefined` if it waits for approval, and whether it was not there before. */
async function add(fields: Draft, signal: AbortSignal, isRepeated = uncertain === JSON.stringify(fields)) {
  try {
    const { id } = await addJoke(fields, signal)
    return { id, isNew: true }
  } catch (error) {
    signal.throwIfAborted()
    const { code, problem } = toFailure(error)
    // If an earlier attempt had no certain outcome, it has added the joke.
    if (problem.id || code === 'waiting') return { id: problem.id, isNew: isRepeated }
    if (code !== 'unknown-outcome' || isRepeated) throw error
    await pause()
    return add(fields, signal, true)
  }
}

/** Shows what is wrong with each field, and moves the focus to the first. Returns whether anything is wrong. */
function showFaults(found: Faults): boolean {
  faults.value = found
  const first = keysOf(EMPTY).find((name) => found[name])
  dialog.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus()
  return first !== undefined
}

/** For a field that the service refuses by a rule that the page does not know. */
const REFUSED = "We can't take this as it is. Please change it."

/** Matches what the service refuses: control characters except tab and line breaks, and broken characters. */
const FORBIDDEN_CHARACTER = /\p{Cs}|(?![\t\n\r])\p{Cc}/u

function faultsOf({ joke, punchline, category }: Draft): Faults {
  return {
    joke: hasVisibleCharacter(joke) ? faultIn(joke) : 'Write the setup first.',
    punchline: faultIn(punchline),
    category: category ? undefined : 'Choose a category.',
  }
}

function faultIn(text: string): string | undefined {
  // The service counts characters such as “ﷺ” by what they stand for.
  const surplus = Math.max(text.length, text.normalize('NFKC').length) - MAX_TEXT_LENGTH
  if (surplus > 0) return `Too long by ${surplus.toLocaleString('en-GB')}. There is room for ${LIMIT} characters.`
  if (FORBIDDEN_CHARACTER.test(text)) return 'There are invisible characters in this text. Paste it as plain text.'
  return undefined
}
