/** Makes a change of an operator: a decision about the item that was read, and one conditional write. */
import type { CallOptions } from '../attempts.ts'
import type { Item } from '../item.ts'
import { readItem } from '../reads.ts'
import type { Store } from '../store.ts'
import { touch, update } from '../writes.ts'

/** The attributes that a change sets and removes. */
export interface Change {
  set: Item
  remove?: string[]
}

/** A change, or why there is none: it is done already, or the state of the joke does not allow it. */
export type Decision = Change | 'done already' | 'left'

export interface ChangeResult {
  result: 'changed' | 'done already' | 'left'
  /** The item before the change, or the present one if nothing was changed. `undefined` if no item has this id. */
  item: Item | undefined
}

/** The joke cannot be changed. The message says why. */
export class CannotChange extends Error {}

/** Makes a change of an item, unless it has changed since it was read. @returns whether it was made */
type Write = (store: Store, item: Item, change: Change, options: CallOptions) => Promise<boolean>

/** Operators do not change one joke so often at the same time. */
const MAX_CONFLICTS = 10

/**
 * Reads an item, decides what to change, and writes that. If somebody else has changed the item in between, it begins
 * again. If an attempt made the change, although its response was lost, the change counts as made.
 *
 * @param decide is given an empty item if no item has this id
 * @param write by default, only another change of an operator stops it. An upvote does not
 * @throws {CannotChange} if others change the joke all the time
 */
export async function change(
  store: Store,
  id: string,
  decide: (item: Item) => Decision | Promise<Decision>,
  write: Write = updateUnlessEdited,
): Promise<ChangeResult> {
  /** The item before an attempt that may have changed it. */
  let before: Item | undefined
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
    const item = await readItem(store, id)
    const decision = await decide(item ?? {})
    if (!item || decision === 'left') return { result: 'left', item }
    if (decision === 'done already') {
      if (!before) return { result: decision, item }
      await touch(store, item)
      return { result: 'changed', item: before }
    }
    const onUncertain = () => {
      before = item
    }
    if (await write(store, item, decision, { onUncertain })) return { result: 'changed', item }
  }
  throw new CannotChange(`Others change the joke ${id} all the time. Repeat the command later.`)
}

/**
 * Updates an item, unless an operator has changed it since. `edits` counts their changes. So an attempt that arrives late
 * changes nothing that was changed again in between.
 */
async function updateUnlessEdited(
  store: Store,
  { id, feed, edits }: Item,
  { set, remove = [] }: Change,
  options: CallOptions,
): Promise<boolean> {
  const isEdited = edits !== undefined
  const condition = `feed = :feed AND ${isEdited ? 'edits = :edits' : 'attribute_not_exists(edits)'}`
  const values = { ':feed': feed, ...(isEdited && { ':edits': edits }) }
  const updated = await update(store, String(id), { condition, values, set, add: { edits: 1 }, remove }, options)
  return updated !== undefined
}
