/** Search, order and categories: what the list is narrowed to. */
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { change, changeSoon, view } from './navigation.ts'
import { CATEGORY_LABELS, type FilterCategory, isKey, keysOf, MAX_SEARCH_LENGTH, ORDERS } from './view.ts'

export function Filters() {
  const { search, order } = view.value
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focusSearch = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, dialog')
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
      event.preventDefault()
      input.current?.select()
    }
    addEventListener('keydown', focusSearch)
    return () => removeEventListener('keydown', focusSearch)
  }, [])
  return (
    <search class="filters">
      <div class="find">
        <label class="field">
          <span>Search</span>
          <input
            id="search"
            type="search"
            ref={input}
            value={search}
            maxLength={MAX_SEARCH_LENGTH}
            placeholder="Find a joke"
            autocomplete="off"
            enterkeyhint="search"
            aria-keyshortcuts="/"
            onInput={({ currentTarget: { value } }) => changeSoon('search', value)}
          />
          <Icon name="search" />
        </label>
        <label class="field">
          <span>Order</span>
          <select
            id="order"
            value={order}
            onChange={({ currentTarget: { value } }) => isKey(ORDERS, value) && changeSoon('order', value)}
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
          {keysOf(CATEGORY_LABELS).map((name) => (
            <Chip key={name} name={name} label={CATEGORY_LABELS[name]} />
          ))}
        </div>
      </fieldset>
    </search>
  )
}

function Chip({ name, label }: { name: FilterCategory | undefined; label: string }) {
  const { category, id } = view.value
  return (
    <label class="chip" data-category={name}>
      <input
        id={`category-${label}`}
        type="radio"
        name="category"
        checked={category === name}
        onClick={({ currentTarget }) => {
          if (category === name && id === undefined) return
          // By arrow keys, the reader passes others on the way.
          if (currentTarget.matches(':focus-visible')) changeSoon('category', name)
          else change({ category: name, id: undefined })
        }}
      />
      <span>{label}</span>
    </label>
  )
}
