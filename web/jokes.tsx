/** The jokes of the view, and what stands in their place while there are none. */
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { searchWordsOf } from '../shared/words.ts'
import { activity, failure, isDrawing, list, more, pause, surprise } from './collection.ts'
import { Icon } from './icon.tsx'
import { JokeCard } from './jokeCard.tsx'
import { entry, hasMoved, showList, view } from './navigation.ts'
import { tell } from './notice.ts'
import type { Failure } from './serviceClient.ts'
import { addressOf, CATEGORY_LABELS, type View } from './view.ts'
import { ViewLink } from './viewLink.tsx'

const SKELETONS = Array.from({ length: 6 }, (_, index) => index)

export function Jokes() {
  const main = useRef<HTMLElement>(null)
  const { view: listed, jokes, next } = list.value
  const address = addressOf(listed)
  useTitle()
  useFocus(main, address)

  const goOn = async () => {
    if (activity.value !== '') return
    await more()
    const { jokes: found, next: further } = list.value
    // To the first of the new jokes, for those who go by keyboard or ear.
    main.current?.querySelectorAll('article')[jokes.length]?.focus({ preventScroll: true })
    if (!failure.value && further && found.length === jokes.length) tell('Nothing more so far.')
  }

  return (
    <main id="jokes" ref={main} tabIndex={-1} aria-label="Jokes">
      <div class="summary">
        <output>{summary()}</output>
        {view.value.id && <ListLink to={{ ...view.value, id: undefined }}>All jokes</ListLink>}
      </div>
      {jokes.length > 0 && (
        // Each view has a list of its own: from one to the next, no joke moves about.
        <ul
          key={address}
          class={listed.id ? 'jokes single' : 'jokes'}
          aria-busy={activity.value !== ''}
          data-stale={isDrawing.value || isStale()}
        >
          {jokes.map((joke) => (
            <li key={joke.id}>
              <JokeCard joke={joke} view={listed} />
            </li>
          ))}
        </ul>
      )}
      {jokes.length > 0 && listed.id && (
        <button id="another" type="button" class="primary" aria-disabled={isDrawing.value} onClick={surprise}>
          <Icon name="dice" /> Another one
        </button>
      )}
      {jokes.length === 0 && activity.value !== '' && !failure.value && <Skeletons />}
      {jokes.length === 0 && activity.value === '' && !failure.value && (
        <Nothing view={listed} onGoOn={next === undefined ? undefined : goOn} />
      )}
      {failure.value && <Failed failure={failure.value} onRetry={goOn} />}
      {jokes.length > 0 && next !== undefined && !failure.value && <More onGoOn={goOn}>More jokes</More>}
    </main>
  )
}

/** Whether the jokes shown are still those of the view before. */
function isStale(): boolean {
  return addressOf(list.value.view) !== addressOf(view.value)
}

function summary(): string {
  const { view: listed, jokes, next } = list.value
  const { search, category, id } = listed
  if (isDrawing.value) return 'Drawing a joke…'
  if (failure.value && jokes.length === 0) return ''
  if (activity.value && (jokes.length === 0 || isStale())) return activity.value
  if (id) return jokes.length === 0 ? 'No joke' : 'Just this one'
  const count = jokes.length === 0 ? 'No joke' : `${jokes.length} ${jokes.length === 1 ? 'joke' : 'jokes'}`
  const words = search.trim()
  return [
    next === undefined ? count : jokes.length === 0 ? 'No joke so far' : `The first ${count}`,
    category && `in ${CATEGORY_LABELS[category]}`,
    words && `for “${words}”`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The window's title says what is shown. */
function useTitle(): void {
  const { view: listed, jokes } = list.value
  const subject = listed.id
    ? (jokes[0]?.joke ?? 'This joke is not here')
    : listed.search.trim() || (listed.category && CATEGORY_LABELS[listed.category])
  useEffect(() => {
    document.title = subject ? `${subject} · Joke Service` : 'Joke Service'
  }, [subject])
}

/** Leads on from one list to another: to where the focus was when the reader left it, or to the joke that was opened. */
function useFocus(main: RefObject<HTMLElement | null>, address: string): void {
  useLayoutEffect(() => {
    const left = document.getElementById(entry().focus ?? '')
    const joke = list.value.view.id && hasMoved() ? main.current?.querySelector('article') : undefined
    const lost = hasMoved() && document.activeElement === document.body ? main.current : undefined
    const target = left ?? joke ?? lost
    target?.focus({ preventScroll: true })
  }, [main, address])
}

/** Hands the focus on to the jokes when an element that has it goes away. */
function useHandOn<Held extends HTMLElement>(): RefObject<Held | null> {
  const held = useRef<Held>(null)
  useLayoutEffect(() => {
    const { current } = held
    return () => {
      if (current?.contains(document.activeElement)) document.getElementById('jokes')?.focus({ preventScroll: true })
    }
  }, [])
  return held
}

/** A link to a list, from what is shown in its place. */
function ListLink({ to, children }: { to: Partial<View>; children: string }) {
  const held = useHandOn<HTMLSpanElement>()
  return (
    <span ref={held}>
      <ViewLink class="button" to={to} onFollow={(follow) => (view.value.id ? showList() : follow())}>
        {children}
      </ViewLink>
    </span>
  )
}

function More({ onGoOn, children }: { onGoOn: () => void; children: string }) {
  const held = useHandOn<HTMLButtonElement>()
  return (
    <button id="more" ref={held} type="button" class="more" aria-disabled={activity.value !== ''} onClick={onGoOn}>
      {activity.value && !isStale() ? activity : children}
    </button>
  )
}

function Skeletons() {
  return (
    <ul class="jokes" aria-hidden="true">
      {SKELETONS.map((index) => (
        <li key={index} class="joke skeleton">
          <div class="bubble" />
          <div class="bubble" />
        </li>
      ))}
    </ul>
  )
}

function Nothing({ view: { search, category, order, id }, onGoOn }: { view: View; onGoOn: (() => void) | undefined }) {
  const isFiltered = search.trim() !== '' || category !== undefined
  const [title, advice] = id
    ? ['This joke is not here', 'Its address may be cut short, or the joke has been removed.']
    : onGoOn
      ? ['Nothing found so far', 'There are more jokes to look through.']
      : search.trim() !== '' && searchWordsOf(search).length === 0
        ? ['There is no word in that', 'Search for words, for how they begin, or for an emoji.']
        : isFiltered
          ? ['Nobody has told that one yet', 'Try fewer words, or another category.']
          : ['Not a single joke yet', 'Be the first to add one.']
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-|
      </p>
      <h2>{title}</h2>
      <p>{advice}</p>
      {onGoOn && <More onGoOn={onGoOn}>Look further</More>}
      {(id || isFiltered) && <ListLink to={{ order }}>Show all jokes</ListLink>}
    </div>
  )
}

/** What follows for the reader. */
const OUTLOOK = {
  offline: 'The jokes will be here when you are back.',
  silent: 'It may be back in a moment.',
  refused: '',
}

function Failed({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  const { reason, message } = failure
  const held = useHandOn<HTMLButtonElement>()
  useLayoutEffect(() => {
    // Handed on by what has failed.
    if (document.activeElement?.id === 'jokes') held.current?.focus({ preventScroll: true })
  }, [held])
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-/
      </p>
      <div role="alert">
        <h2>{reason === 'offline' ? 'No connection' : 'That did not work'}</h2>
        <p>
          {message} {OUTLOOK[reason]}
        </p>
      </div>
      {pause.value > 0 && (
        <p>
          Trying again in {pause} {pause.value === 1 ? 'second' : 'seconds'}.
        </p>
      )}
      <button ref={held} type="button" class="primary retry" aria-disabled={activity.value !== ''} onClick={onRetry}>
        {activity.value || 'Try again'}
      </button>
    </div>
  )
}
