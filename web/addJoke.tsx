/** The dialog to add a joke, written in its bubbles. The browser keeps a draft until it is added or discarded. */
import { signal } from '@preact/signals'
import { createRef, type TargetedEvent } from 'preact'
import { MAX_TEXT_LENGTH } from '../shared/clientLimits.ts'
import type { JokeInput } from '../shared/joke.ts'
import { CategoryChips } from './filters.tsx'
import { Icon } from './icon.tsx'
import { tell } from './listState.ts'
import { navigate } from './navigation.ts'
import { addJoke, getPage, type Joke, type Problem, problemOf, sentenceFor } from './serviceClient.ts'
import { readStored, store } from './storage.ts'
import { Text, Waiting } from './text.tsx'
import { showToast, toast } from './toast.ts'
import { DEFAULT_VIEW, keysOf } from './urlState.ts'

/** The fields of a joke, by their names in the API. */
const EMPTY: Record<keyof JokeInput, string> = { joke: '', punchline: '', category: '' }
type Draft = typeof EMPTY
/** Faults of the fields, and why the whole joke is not added, in words for people. */
type Faults = Partial<Record<keyof Draft | 'whole', string | undefined>>

const LIMIT = MAX_TEXT_LENGTH.toLocaleString('en-GB')

const dialog = createRef<HTMLDialogElement>()
const draft = signal<Draft>({ ...EMPTY, ...readStored('sessionStorage', 'draft') })
const faults = signal<Faults>({})
const isSending = signal(false)

export function openAddJoke(): void {
  faults.value = {}
  // It would stay behind the dialog.
  toast.value = ''
  dialog.current?.showModal()
  // The browser would focus the first button.
  document.getElementById('new-joke')?.focus()
}

export function AddJoke() {
  const { category } = draft.value
  return (
    <dialog class="add" ref={dialog} aria-labelledby="add-title" closedby="any">
      <form onInput={change} onSubmit={submit} noValidate data-category={category}>
        <div class="actions">
          <h2 id="add-title">Add a joke</h2>
          <button type="button" class="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </div>
        <Writing name="joke" label="Setup" class="lead" placeholder="What do you call a fish without eyes?" />
        <Writing name="punchline" label="Punchline (optional)" class="punch" placeholder="A fsh." />
        <div>
          <fieldset class="chips" aria-describedby="fault-category">
            <legend>Category</legend>
            <CategoryChips type="radio" name="category" chosen={[category]} />
          </fieldset>
          <Fault name="category" />
          <div role="alert">
            <Fault name="whole" />
          </div>
        </div>
        <div class="actions">
          {Object.values(draft.value).join('') && (
            <button type="button" class="quiet" onClick={discard}>
              Discard
            </button>
          )}
          <button type="submit" class="primary" aria-disabled={isSending.value}>
            {isSending.value ? <Waiting>Adding…</Waiting> : <Text>Add it</Text>}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** A bubble to write in. */
function Writing(props: { name: 'joke' | 'punchline'; label: string; class: string; placeholder: string }) {
  const { label, ...attributes } = props
  const { name } = props
  return (
    <div class="field">
      <label for={`new-${name}`}>{label}</label>
      <textarea
        {...attributes}
        id={`new-${name}`}
        dir="auto"
        value={draft.value[name]}
        aria-invalid={faults.value[name] !== undefined}
        aria-describedby={`fault-${name}`}
      />
      <Fault name={name} />
    </div>
  )
}

function Fault({ name }: { name: keyof Faults }) {
  const fault = faults.value[name]
  return (
    <p class="fault" id={`fault-${name}`}>
      {fault && <Text>{fault}</Text>}
    </p>
  )
}

function change({ currentTarget }: TargetedEvent<HTMLFormElement>): void {
  keep({ ...EMPTY, ...Object.fromEntries(new FormData(currentTarget)) })
  // A fault disappears when it is corrected.
  if (Object.values(faults.value).some(Boolean)) faults.value = faultsOf(draft.value)
}

function keep(changed: Draft): void {
  draft.value = changed
  store('sessionStorage', 'draft', changed)
}

function discard(): void {
  keep(EMPTY)
  dialog.current?.close()
}

async function submit(event: TargetedEvent<HTMLFormElement>): Promise<void> {
  event.preventDefault()
  const fields = draft.value
  if (isSending.value || showFaults(faultsOf(fields))) return
  isSending.value = true
  try {
    const { id, isNew } = await addJoke(fields)
    const joke = id ? await readBack({ ...fields, id, thumbsUp: 0 }) : undefined
    discard()
    if (!joke) return showToast('Thank you! Your joke will appear here once it’s approved.')
    // Its author knows the punchline.
    tell(joke.id)
    navigate({ ...DEFAULT_VIEW, id: joke.id }, { jokes: [joke], next: undefined, total: 0 })
    showToast(isNew ? 'Your joke is in. Thank you!' : 'We already have this one. Here it is.')
  } catch (error) {
    const problem = problemOf(error)
    const refused = problem.errors.map(({ field }) => [field, REFUSED])
    const whole = SENTENCES[problem.code] ?? sentenceFor(problem)
    if (!showFaults(Object.fromEntries(refused))) faults.value = { whole }
  } finally {
    isSending.value = false
  }
}

/** Returns an added joke as it is listed, or `undefined` if it waits for approval. */
async function readBack(added: Joke): Promise<Joke | undefined> {
  const page = await getPage(`/joke?id=${added.id}`).catch(() => undefined)
  // The joke was added, even if it cannot be read now.
  return page ? page.jokes[0] : added
}

/** For a field that the service refuses by a rule that the page does not know. */
const REFUSED = 'This text has characters we can’t accept. Try typing it again as plain text.'

/** Sending again is safe, because the service has each joke only once. */
const UNSURE = 'We can’t tell whether your joke was added. Try again: it won’t be added twice.'

const SENTENCES: Partial<Record<Problem['code'], string>> = {
  removed: 'This joke was here before and was taken down, so it can’t be added again.',
  unreachable: UNSURE,
  'unknown-outcome': UNSURE,
  bug: UNSURE,
}

/** Shows what is wrong with each field, and moves the focus to the first. Returns whether anything is wrong. */
function showFaults(found: Faults): boolean {
  faults.value = found
  const first = keysOf(EMPTY).find((name) => found[name])
  dialog.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus()
  return first !== undefined
}

function faultsOf({ joke, punchline, category }: Draft): Faults {
  return {
    joke: joke.trim() ? surplusOf(joke) : 'Write the setup first.',
    punchline: surplusOf(punchline),
    category: category ? undefined : 'Choose a category.',
  }
}

function surplusOf(text: string): string | undefined {
  const surplus = text.length - MAX_TEXT_LENGTH
  if (surplus <= 0) return undefined
  return `Too long by ${surplus.toLocaleString('en-GB')}. There is room for ${LIMIT} characters.`
}
