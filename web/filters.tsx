/** The search field, the sort order and the categories. */
import { MAX_SEARCH_LENGTH } from '../shared/clientLimits.ts'
import { navigate, navigateSoon, view } from './navigation.ts'
import { CATEGORY_LABELS, isKey, keysOf, ORDERS } from './urlState.ts'

export function Filters() {
  const { search, categories, order } = view.value
  return (
    <search class="filters">
      <div class="find">
        <div class="field">
          <input
            id="search"
            type="search"
            aria-label="Search"
            value={search}
            maxLength={MAX_SEARCH_LENGTH}
            placeholder="Search"
            autocomplete="off"
            dir="auto"
            enterkeyhint="search"
            onInput={({ currentTarget: { value } }) => navigateSoon('search', value)}
          />
        </div>
        <div class="field">
          <select
            id="order"
            aria-label="Sort by"
            value={order}
            onChange={({ currentTarget: { value } }) => isKey(ORDERS, value) && navigateSoon('order', value)}
          >
            {keysOf(ORDERS).map((name) => (
              <option key={name} value={name}>
                {ORDERS[name].label}
              </option>
            ))}
          </select>
        </div>
      </div>
      <fieldset aria-label="Categories">
        <div class="chips">
          {keysOf(CATEGORY_LABELS).map((name) => (
            <label key={name} class="chip">
              <input
                id={`category-${name.replace(' ', '-')}`}
                type="checkbox"
                checked={categories.includes(name)}
                onChange={() =>
                  navigate({
                    categories: keysOf(CATEGORY_LABELS).filter((each) => (each === name) !== categories.includes(each)),
                    id: undefined,
                  })
                }
              />
              <span data-category={name}>{CATEGORY_LABELS[name]}</span>
            </label>
          ))}
        </div>
      </fieldset>
    </search>
  )
}
