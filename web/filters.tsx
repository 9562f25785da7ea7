/** The search field, the order and the categories. */
import { MAX_SEARCH_LENGTH } from '../shared/inputLimits.ts'
import { Icon } from './icon.tsx'
import { isKey, keysOf } from './keys.ts'
import { navigate, navigateSoon, view } from './navigation.ts'
import { FILTER_LABELS, type FilterCategory, ORDERS } from './urlState.ts'

export function Filters() {
  const { search, order } = view.value
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
            placeholder="Find a joke"
            autocomplete="off"
            enterkeyhint="search"
            onInput={({ currentTarget: { value } }) => navigateSoon('search', value)}
          />
          <Icon name="search" />
        </label>
        <label class="field">
          <span>Order</span>
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
        </label>
      </div>
      <fieldset class="categories">
        <legend>Category</legend>
        <div class="chips">
          <Chip name={undefined} label="All" />
          {keysOf(FILTER_LABELS).map((name) => (
            <Chip key={name} name={name} label={FILTER_LABELS[name]} />
          ))}
        </div>
      </fieldset>
    </search>
  )
}

function Chip({ name, label }: { name: FilterCategory | undefined; label: string }) {
  const { category, id } = view.value
  return (
    <label class="chip">
      <input
        id={`category-${label.replaceAll(/\W+/g, '-')}`}
        type="radio"
        name="category"
        checked={category === name}
        onClick={({ currentTarget }) => {
          if (category === name && id === undefined) return
          // With arrow keys, the user passes other categories on the way.
          if (currentTarget.matches(':focus-visible')) navigateSoon('category', name)
          else navigate({ category: name, id: undefined })
        }}
      />
      <span data-category={name}>{label}</span>
    </label>
  )
}
