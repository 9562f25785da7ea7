/** The button that shows random jokes. None comes twice until all were shown. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { failure, isLoading, list } from './listState.ts'
import { navigate, view } from './navigation.ts'
import { filteredUrl, getPage, type ListPage, problemOf, sentenceFor } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { DEFAULT_VIEW } from './urlState.ts'

/** Whether the user waits for a random joke. */
export const isPicking = signal(false)

/** The jokes that were drawn but not shown yet, by the URL of the first page of their random order. */
const drawn: Record<string, ListPage> = {}

export function SurpriseButton(props: { id: string; children: string }) {
  return (
    <button id={props.id} type="button" class="primary" aria-disabled={isPicking.value} onClick={showRandomJoke}>
      <Icon name="dice" /> {props.children}
    </button>
  )
}

/** Shows a joke of the current view, or any joke if the view has none. */
export async function showRandomJoke(): Promise<void> {
  if (isPicking.value) return
  const current = view.value
  const isEmpty = list.value.jokes.length === 0 && !failure.value && !isLoading.value
  const changes = isEmpty ? DEFAULT_VIEW : {}
  isPicking.value = true
  try {
    const page = await draw(filteredUrl({ ...current, ...changes }, 'sortBy=random'), current.id)
    // The user may have gone to another view during the request.
    if (view.value !== current) return
    if (page) navigate({ ...changes, id: page.jokes[0]?.id }, page)
    else showToast('There’s no other joke here.')
  } catch (error) {
    showToast(sentenceFor(problemOf(error)))
  } finally {
    isPicking.value = false
  }
}

/** Returns the next joke of a random order, other than the one on the page. After the last one, begins a new order. */
async function draw(start: string, shown: string | undefined): Promise<ListPage | undefined> {
  let page = drawn[start] ?? { jokes: [], next: start, total: 0 }
  // The joke on the page may be alone on the last page of an order, so the second request begins a new one.
  for (let requests = 0; requests <= 2; requests++) {
    if (requests > 0) page = await getPage(page.next ?? start)
    const [joke, ...others] = page.jokes.filter(({ id }) => id !== shown)
    drawn[start] = { ...page, jokes: others }
    if (joke) return { jokes: [joke], next: undefined, total: page.total }
  }
  return undefined
}
