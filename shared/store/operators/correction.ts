/**
 * Corrects the texts or the category of a joke. The joke keeps its id, the hash of its first text. So the id of the
 * corrected text becomes an alias: an item `{ id, of: <the joke's id> }`, at which adding a joke sees that it exists.
 */
import * as v from 'valibot'
import { identify, JokeInput, type StoredJoke } from '../../joke.ts'
import { validate } from '../../validate.ts'
import { type Item, stateOf } from '../item.ts'
import { readItem } from '../reads.ts'
import type { Store } from '../store.ts'
import { putIfAbsent } from '../writes.ts'
import { CannotChange, change } from './change.ts'
import { jokeOf } from './states.ts'

/** The fields that clients send, and operators may correct. */
const FIELDS = v.keyof(JokeInput).options

type Correction = Partial<Record<(typeof FIELDS)[number], string>>

/**
 * Corrects a joke that is listed or waits. The joke keeps its id, votes and date. Before each attempt, it calls `onPlan`
 * with the joke before and after. Another attempt follows if an operator has changed the joke in between.
 *
 * @returns false if it has these texts and this category already
 * @throws {CannotChange}
 * @throws {ProblemError} `invalid` if `POST /joke` would refuse the corrected joke
 */
export async function correct(
  store: Store,
  id: string,
  correction: Correction,
  onPlan: (before: StoredJoke, after: StoredJoke) => void,
): Promise<boolean> {
  const { result } = await change(store, id, async (item) => {
    const before = correctable(id, item)
    // The whole joke is checked, even if only a part of it changes.
    const after = { ...before, ...validate(JokeInput, { ...fieldsOf(before), ...correction }) }
    if (FIELDS.every((name) => after[name] === before[name])) return 'done already'
    await reserveText(store, after)
    onPlan(before, after)
    return { set: fieldsOf(after) }
  })
  return result === 'changed'
}

function fieldsOf(joke: StoredJoke): Item {
  return Object.fromEntries(FIELDS.map((name) => [name, joke[name]]))
}

/** Reserves the text of a joke, so that nobody can add it. @throws {CannotChange} if another joke has or had this text */
export async function reserveText(store: Store, { id, joke, punchline }: StoredJoke): Promise<void> {
  const alias = { id: identify({ joke, punchline }), of: id }
  // Adding the first text of a joke always finds it.
  if (alias.id === id) return
  const existing = await putIfAbsent(store, alias)
  // An earlier run was killed, or the joke had this text before.
  if (!existing || existing.of === id) return
  const owner = existing.of ?? alias.id
  const state = stateOf((await readItem(store, String(owner))) ?? {})
  throw new CannotChange(`The joke ${owner}, which is ${state}, has or had this text.`)
}

/** Returns the joke of an item that may be corrected. @throws {CannotChange} */
function correctable(id: string, item: Item): StoredJoke {
  if (item.id === undefined) throw new CannotChange(`No joke has the id ${id}.`)
  const state = stateOf(item)
  if (state === 'alias') throw new CannotChange(`${id} is an alias of the joke ${item.of}. Correct that joke.`)
  if (state === 'removed' || state === 'erased')
    throw new CannotChange(`The joke ${id} is ${state}, so it cannot be corrected.`)
  const joke = jokeOf(item)
  if (joke && state !== 'damaged') return joke
  throw new CannotChange(`The item of the joke ${id} is damaged, so it cannot be corrected.`)
}
