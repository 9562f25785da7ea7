/**
 * Corrects the texts or the category of a joke. The joke keeps its id, the hash of its first text. So the id of the
 * corrected text becomes an alias: an item `{ id, state: 'alias', of: <the joke's id> }`, at which adding a joke sees
 * that it exists.
 */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { identify, JokeInput, type StoredJoke } from '../../joke.ts'
import { validate } from '../../validate.ts'
import { type Item, stateOf } from '../item.ts'
import { readItem } from '../reads.ts'
import type { Store } from '../store.ts'
import { falseIfRefused, newItem, putIfAbsent, updateOf } from '../writes.ts'
import { jokeOf } from './states.ts'

/** The fields that clients send, and operators may correct. */
const FIELDS = v.keyof(JokeInput).options

type Correction = Partial<Record<(typeof FIELDS)[number], string>>

/** The joke cannot be corrected. The message says why. */
export class CannotCorrect extends Error {}

/**
 * Corrects a joke that is listed or waits. The joke keeps its id, votes and date. Before each attempt, it calls `onPlan`
 * with the joke before and after. Another attempt follows if somebody has changed the joke.
 *
 * @returns false if it has these texts and this category already
 * @throws {CannotCorrect}
 * @throws {ProblemError} `invalid` if `POST /joke` would refuse the corrected joke
 */
export async function correct(
  store: Store,
  id: string,
  correction: Correction,
  onPlan: (before: StoredJoke, after: StoredJoke) => void,
): Promise<boolean> {
  for (let isRepeated = false; ; isRepeated = true) {
    const item = (await readItem(store, id)) ?? {}
    const before = correctable(id, item)
    // The whole joke is checked, even if only a part of it changes.
    const after = { ...before, ...validate(JokeInput, { ...fieldsOf(before), ...correction }) }
    // An attempt whose response was lost leaves nothing to change.
    if (FIELDS.every((name) => after[name] === before[name])) return isRepeated
    await reserveText(store, after)
    onPlan(before, after)
    const update = updateOf(store, id, {
      condition: ['#state = :state', ...FIELDS.map((name) => `${name} = :old_${name}`)].join(' AND '),
      set: FIELDS.map((name) => `${name} = :${name}`),
      values: { ':state': item.state, ...fieldsOf(before, ':old_'), ...fieldsOf(after, ':') },
    })
    if (await store.database.send(new UpdateCommand(update)).then(Boolean, falseIfRefused)) return true
  }
}

function fieldsOf(joke: StoredJoke, prefix = ''): Item {
  return Object.fromEntries(FIELDS.map((name) => [prefix + name, joke[name]]))
}

/** Reserves the text of a joke, so that nobody can add it. @throws {CannotCorrect} if another joke has or had this text */
export async function reserveText(store: Store, { id, joke, punchline }: StoredJoke): Promise<void> {
  const alias = newItem(store, { id: identify({ joke, punchline }), of: id }, 'alias')
  // Adding the first text of a joke always finds it.
  if (alias.id === id || (await putIfAbsent(store, alias))) return
  const existing = (await readItem(store, alias.id)) ?? {}
  // An earlier run was killed, or the joke had this text before.
  if (existing.of === id) return
  const owner = existing.of ?? alias.id
  const state = stateOf((await readItem(store, String(owner))) ?? {})
  throw new CannotCorrect(`The joke ${owner}, which is ${state}, has or had this text.`)
}

/** Returns the joke of an item that may be corrected. @throws {CannotCorrect} */
function correctable(id: string, item: Item): StoredJoke {
  if (item.id === undefined) throw new CannotCorrect(`No joke has the id ${id}.`)
  const state = stateOf(item)
  if (state === 'alias') throw new CannotCorrect(`${id} is an alias of the joke ${item.of}. Correct that joke.`)
  if (state === 'removed' || state === 'erased')
    throw new CannotCorrect(`The joke ${id} is ${state}, so it cannot be corrected.`)
  const joke = jokeOf(item)
  // A revision that was edited into something else refuses every write.
  if (joke && (item.rev === undefined || typeof item.rev === 'number')) return joke
  throw new CannotCorrect(`The item of the joke ${id} is damaged, so it cannot be corrected.`)
}
