/** The search field, the sort order and the categories. */
import { MAX_SEARCH_LENGTH } from '../shared/clientLimits.ts'
import { Icon } from './icon.tsx'
import { isKey, keysOf } from './keys.ts'
import { navigate, navigateSoon, view } from './navigation.ts'
import { CATEGORY_LABELS, ORDERS } from './urlState.ts'

export function Filters() {
  const { search, categories, order } = view.value
  return (
    <search class="filters">
      <div class="find">
        <label class="field">
          <span>Search</span>
          <input
            id="search"
            type="search"
            value={search}
            maxLength={MAX_SEARCH_LENGTH}
            placeholder="Search jokes"
            autocomplete="off"
            dir="auto"
            enterkeyhint="search"
            onInput={({ currentTarget: { value } }) => navigateSoon('search', value)}
          />
          <Icon name="search" />
        </label>
        <label class="field">
          <span>Sort by</span>
          <select
            id="order"
            value={order}
            onChange={({ currentTarget: { value } }) => isKey(ORDERS, value) && navigateSoon('order', value)}
          >
            {keysOf(ORDERS).map((name) => (
              <option key={name} value={name}>
                {ORDERS[name].label}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </label>
      </div>
      <fieldset>
        <legend>Categories</legend>
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
