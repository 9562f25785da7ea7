/** The search field, the sort order and the categories. The form holds what the user has chosen. */
import type { TargetedEvent } from 'preact'
import { MAX_SEARCH_LENGTH } from '../shared/clientLimits.ts'
import { navigate, view } from './navigation.ts'
import { CATEGORY_LOOKS, keysOf, ORDERS, urlOf, viewOf } from './urlState.ts'

/** After a pause in typing, the list follows the search. */
const DEBOUNCE_MS = 200

let timer: ReturnType<typeof setTimeout>

export function Filters() {
  const { search, categories, order } = view.value
  return (
    <search>
      <form autocomplete="off" onInput={followSoon} onChange={follow} onSubmit={(event) => event.preventDefault()}>
        <div class="find">
          <input
            type="search"
            name="search"
            aria-label="Search"
            value={search}
            maxLength={MAX_SEARCH_LENGTH}
            placeholder="Search"
            dir="auto"
            enterkeyhint="search"
          />
          <select name="order" aria-label="Sort by" value={order}>
            {keysOf(ORDERS).map((name) => (
              <option key={name} value={name}>
                {ORDERS[name].label}
              </option>
            ))}
          </select>
        </div>
        <fieldset class="chips" aria-label="Categories">
          <CategoryChips type="checkbox" name="categories" chosen={categories} />
        </fieldset>
      </form>
    </search>
  )
}

/** The categories to choose from, in a fieldset. */
export function CategoryChips(props: { type: 'checkbox' | 'radio'; name: string; chosen: string[] }) {
  const { chosen, ...attributes } = props
  return keysOf(CATEGORY_LOOKS).map((category) => (
    <label key={category} class="chip" data-category={category}>
      <input {...attributes} value={category} checked={chosen.includes(category)} />
      {CATEGORY_LOOKS[category].label}
    </label>
  ))
}

/** Follows the form while the user types, unless the user has gone to another view. */
function followSoon({ currentTarget }: TargetedEvent<HTMLFormElement>): void {
  const current = view.value
  clearTimeout(timer)
  timer = setTimeout(() => view.value === current && follow({ currentTarget }), DEBOUNCE_MS)
}

/** Shows what the form asks for. The browser calls this for each change, and when the user leaves the search. */
function follow({ currentTarget }: { currentTarget: HTMLFormElement }): void {
  const changed = viewOf(new FormData(currentTarget))
  if (urlOf(changed) !== urlOf(view.value)) navigate(changed)
}
