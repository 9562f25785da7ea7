/** The jokes that the user has added. A listing may be older than they are, so the page puts them in. */
import * as v from 'valibot'
import { isFound } from './found.ts'
import type { LoadedList } from './navigation.ts'
import { Joke } from './serviceClient.ts'
import type { View } from './urlState.ts'

const STORAGE_KEY = 'added'

/** The service never answers from an older memory. Later, a joke that is missing was removed. */
const MAX_AGE_MS = 300_000

const Added = v.array(v.object({ joke: Joke, addedAt: v.number() }))

/** In the order in which they were added. */
const added = stored()

export function rememberAdded(joke: Joke): void {
  added.push({ joke, addedAt: Date.now() })
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(added))
  } catch {
    // Without storage, the page remembers the jokes until it is reloaded.
  }
}

/** Returns a list with the added jokes that belong to the loaded part of its view, and that its listing lacks. */
export function withAdded(listed: LoadedList): LoadedList {
  return added
    .filter(({ joke, addedAt }) => Date.now() - addedAt < MAX_AGE_MS && belongsTo(listed.view, joke))
    .reduce((list, { joke }) => withJoke(list, joke), listed)
}

function belongsTo({ id, categories, search }: View, { category, joke, punchline }: Joke): boolean {
  const isChosen = categories.length === 0 || categories.some((name) => name === category)
  return !id && isChosen && isFound(search, `${joke} ${punchline}`)
}

function withJoke(list: LoadedList, joke: Joke): LoadedList {
  const { jokes, next, total } = list
  if (jokes.some(({ id }) => id === joke.id)) return list
  const place = placeOf(joke, list)
  // The joke comes with a later page.
  if (place < 0 && next) return list
  return { ...list, jokes: jokes.toSpliced(place < 0 ? jokes.length : place, 0, joke), total: total && total + 1 }
}

/** Returns the index of the joke before which a new joke comes, or -1 if it comes after them all. */
function placeOf(joke: Joke, { view: { order }, jokes }: LoadedList): number {
  if (order === 'newest') return 0
  return order === 'best' ? jokes.findIndex(({ thumbsUp }) => thumbsUp <= joke.thumbsUp) : -1
}

function stored(): v.InferOutput<typeof Added> {
  try {
    return v.parse(Added, JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]'))
  } catch {
    return []
  }
}
