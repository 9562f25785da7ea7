/** The list of jokes. */
import { useEffect, useRef } from 'preact/hooks'
import { activity, failure, isDrawing, isStale, list, more, surprise } from './collection.ts'
import { useListFocus } from './focus.ts'
import { ListLink, More } from './goOn.tsx'
import { Icon } from './icon.tsx'
import { JokeCard } from './jokeCard.tsx'
import { view } from './navigation.ts'
import { tell } from './notice.ts'
import { Failed, Nothing, Skeletons } from './placeholders.tsx'
import { addressOf, CATEGORY_LABELS } from './view.ts'

export function Jokes() {
  const main = useRef<HTMLElement>(null)
  const { view: listed, jokes, next } = list.value
  const address = addressOf(listed)
  useTitle()
  useListFocus(main, address)

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
    ? (jokes[0]?.joke ?? (failure.value ? undefined : 'This joke is not here'))
    : listed.search.trim() || (listed.category && CATEGORY_LABELS[listed.category])
  useEffect(() => {
    document.title = subject ? `${subject} · Joke Service` : 'Joke Service'
  }, [subject])
}
