/** The page. */
import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { AddJoke } from './addJoke.tsx'
import { failure, isLoading, jokes, more, next, notice, retry, surprise } from './collection.ts'
import { Icon } from './icon.tsx'
import { JokeCard } from './jokeCard.tsx'
import { CATEGORY_LABELS, change, isKey, keysOf, ORDERS, view } from './view.ts'
import { ViewLink } from './viewLink.tsx'

/** Typing faster than this makes one search. */
const PAUSE_MS = 200

const SKELETONS = Array.from({ length: 6 }, (_, index) => index)

function Page() {
  const isAdding = useSignal(false)
  const add = () => {
    isAdding.value = true
  }
  return (
    <>
      <a class="skip" href="#jokes">
        To the jokes
      </a>
      <header class="head">
        <ViewLink class="brand" to={{}}>
          <img src="/icon.svg" alt="" width="44" height="44" />
          <h1>Joke Service</h1>
        </ViewLink>
        <p class="motto">Read one, groan, pass it on.</p>
        <div class="actions">
          <button type="button" class="primary" onClick={add}>
            <Icon name="plus" /> Add a joke
          </button>
          <button type="button" onClick={surprise}>
            <Icon name="dice" /> Surprise me
          </button>
        </div>
        <Filters />
      </header>
      <main id="jokes" tabIndex={-1}>
        <Jokes />
      </main>
      <Foot />
      <AddJoke isOpen={isAdding} />
      <output class="notice">{notice.value && <span>{notice}</span>}</output>
    </>
  )
}

function Filters() {
  const { search, category, order, id } = view.value
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return (
    <search class="filters">
      <label class="field find">
        <span>Search</span>
        <input
          type="search"
          value={search}
          placeholder="Find a joke"
          autocomplete="off"
          onInput={({ currentTarget: { value } }) => {
            clearTimeout(timer.current)
            timer.current = setTimeout(() => change({ search: value, id: undefined }, 'replace'), PAUSE_MS)
          }}
        />
        <Icon name="search" />
      </label>
      <label class="field order">
        <span>Order</span>
        <select
          value={order}
          onChange={({ currentTarget: { value } }) => isKey(ORDERS, value) && change({ order: value, id: undefined })}
        >
          {keysOf(ORDERS).map((name) => (
            <option key={name} value={name}>
              {ORDERS[name].label}
            </option>
          ))}
        </select>
      </label>
      <fieldset class="categories">
        <legend>Category</legend>
        <div class="chips">
          <Chip
            label="All"
            isChosen={category === undefined && id === undefined}
            onChoose={() => change({ category: undefined, id: undefined })}
          />
          {keysOf(CATEGORY_LABELS).map((name) => (
            <Chip
              key={name}
              name={name}
              label={CATEGORY_LABELS[name]}
              isChosen={category === name && id === undefined}
              onChoose={() => change({ category: name, id: undefined })}
            />
          ))}
        </div>
      </fieldset>
    </search>
  )
}

function Chip({
  name,
  label,
  isChosen,
  onChoose,
}: {
  name?: string
  label: string
  isChosen: boolean
  onChoose: () => void
}) {
  return (
    <label class="chip" data-category={name}>
      <input type="radio" name="category" checked={isChosen} onChange={onChoose} />
      <span>{label}</span>
    </label>
  )
}

function Jokes() {
  const list = useRef<HTMLUListElement>(null)
  const isFresh = isLoading.value && next.value === undefined
  const found = jokes.value.length
  const { id, search, category, order } = view.value

  const showMore = async () => {
    await more()
    // To the first of the new ones, for those who go by keyboard or ear.
    list.current?.querySelectorAll<HTMLElement>('article')[found]?.focus({ preventScroll: true })
  }

  useEffect(() => {
    document.title = id ? 'A joke · Joke Service' : search ? `${search} · Joke Service` : 'Joke Service'
  }, [id, search])

  return (
    <>
      <div class="summary">
        <output>{summary()}</output>
        {id && (
          <ViewLink class="button" to={{ search, category, order }}>
            All jokes
          </ViewLink>
        )}
      </div>
      {found > 0 && (
        <ul class={id ? 'jokes single' : 'jokes'} ref={list} aria-busy={isLoading.value} data-stale={isFresh}>
          {jokes.value.map((joke) => (
            <JokeCard key={joke.id} joke={joke} />
          ))}
        </ul>
      )}
      {found === 0 && isLoading.value && (
        <ul class="jokes" aria-hidden="true">
          {SKELETONS.map((index) => (
            <li key={index} class="joke skeleton">
              <div class="bubble" />
              <div class="bubble" />
            </li>
          ))}
        </ul>
      )}
      {found === 0 && !isLoading.value && !failure.value && <Nothing />}
      {failure.value && (
        <div class="panel" role="alert">
          <p class="face" aria-hidden="true">
            :-/
          </p>
          <h2>{navigator.onLine ? 'That did not work' : 'No connection'}</h2>
          <p>{failure.value.message}</p>
          <button type="button" class="primary" onClick={retry}>
            Try again
          </button>
        </div>
      )}
      {next.value !== undefined && !failure.value && (
        <button
          type="button"
          class="more"
          aria-disabled={isLoading.value}
          onClick={() => isLoading.value || showMore()}
        >
          {isLoading.value ? 'Fetching more…' : 'More jokes'}
        </button>
      )}
    </>
  )
}

function summary(): string {
  const { search, category, id } = view.value
  if (failure.value) return ''
  if (isLoading.value) return jokes.value.length === 0 ? 'Fetching jokes…' : summaryOf(jokes.value.length)
  if (id) return 'Just this one'
  const found = summaryOf(jokes.value.length)
  return `${found}${category ? ` in ${CATEGORY_LABELS[category]}` : ''}${search ? ` for “${search}”` : ''}`
}

function summaryOf(count: number): string {
  if (count === 0) return 'No joke'
  return `${next.value ? 'The first ' : ''}${count} ${count === 1 ? 'joke' : 'jokes'}`
}

function Nothing() {
  const { search, category, order, id } = view.value
  const isFiltered = search !== '' || category !== undefined
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-|
      </p>
      <h2>{id ? 'This joke is not here' : isFiltered ? 'Nobody has told that one yet' : 'Not a single joke yet'}</h2>
      <p>
        {id
          ? 'The address may be cut short.'
          : isFiltered
            ? 'Try fewer words, or another category.'
            : 'Be the first to add one.'}
      </p>
      {(id || isFiltered) && (
        <ViewLink class="button" to={{ order }}>
          Show all jokes
        </ViewLink>
      )}
    </div>
  )
}

function Foot() {
  return (
    <footer class="foot">
      <a href="/docs">API reference</a>
      <a href="/openapi.json">openapi.json</a>
    </footer>
  )
}

const root = document.getElementById('page')
if (root) render(<Page />, root)
