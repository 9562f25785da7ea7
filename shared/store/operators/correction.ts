/**
 * Corrects the texts or the category of a joke. The joke keeps its id, the hash of its first text. So the id of the
 * corrected text becomes an alias: an item `{ id, state: 'alias', of: <the joke's id> }`, at which `addJoke` sees that
 * the joke exists.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { identify, JokeInput, StoredJoke } from '../../joke.ts'
import { validate } from '../../validate.ts'
import { readItem } from '../connection/readItem.ts'
import { type Item, type State, stateOf } from '../item.ts'
import type { Store } from '../store.ts'
import { change, reconcile, withCurrentWords } from './reconcile.ts'

/** The fields that clients send, and operators may correct. */
const FIELDS = v.keyof(JokeInput).options

/** The fields to change. */
export type Correction = Partial<Record<(typeof FIELDS)[number], string>>

/** The joke cannot be corrected. The message says why. */
export class CannotCorrect extends Error {}

/** States in which a joke has a text that people may still see. */
const CORRECTABLE: State[] = ['listed', 'waiting']

/**
 * Corrects a joke that is listed or waits. The joke keeps its id, votes and date. Each attempt first calls `onPlan`
 * with the joke before and after. Another attempt follows if the joke has changed.
 *
 * @returns false if it has these texts and this category already
 * @throws {CannotCorrect}
 * @throws {InvalidInput} if `POST /joke` would refuse the corrected joke
 */
export async function correct(
  store: Store,
  id: string,
  correction: Correction,
  onPlan: (before: StoredJoke, after: StoredJoke) => void,
): Promise<boolean> {
  const isChanged = await change(store, id, async (item) => {
    const before = correctable(id, item)
    const current = Object.fromEntries(FIELDS.map((name) => [name, before[name]]))
    // The whole joke is checked, even if only a part of it changes.
    const after = { ...before, ...validate(JokeInput, { ...current, ...correction }) }
    onPlan(before, after)
    const changedFields = FIELDS.filter((name) => after[name] !== before[name])
    if (changedFields.length === 0) return undefined
    const owner = await reserveText(store, after)
    if (owner) throw new CannotCorrect(await explainOwner(store, identify(after), owner))
    const changes = Object.fromEntries(changedFields.map((name) => [name, after[name]]))
    const shelf = item?.state === 'listed' && { shelf: after.category }
    return withCurrentWords({ ...item, ...changes, ...shelf })
  })
  // A killed run may have left entries to write or to delete.
  if (!isChanged) await reconcile(store, id)
  return isChanged
}

/** Reserves the text of a joke, so that nobody can add it. Returns the item that has it already, or `undefined`. */
export async function reserveText(store: Store, { id, joke, punchline }: StoredJoke): Promise<Item | undefined> {
  const alias = { id: identify({ joke, punchline }), state: 'alias' satisfies State, of: id }
  // Adding the first text of a joke always finds it.
  if (alias.id === id) return undefined
  const { jokesTable, database } = store
  const put = new PutCommand({ TableName: jokesTable, Item: alias, ConditionExpression: 'attribute_not_exists(id)' })
  try {
    await database.send(put)
    return undefined
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    const existing = (await readItem(store, alias.id)) ?? {}
    // An earlier run was killed, or the joke had this text before.
    return existing.of === id ? undefined : existing
  }
}

/** Returns the joke of an item that may be corrected. @throws {CannotCorrect} */
function correctable(id: string, item: Item | undefined): StoredJoke {
  if (item === undefined) throw new CannotCorrect(`No joke has the id ${id}.`)
  const state = stateOf(item)
  if (state === 'alias') throw new CannotCorrect(`${id} is an alias of the joke ${item.of}. Correct that joke.`)
  if (!CORRECTABLE.includes(state)) throw new CannotCorrect(`The joke ${id} is ${state}, so it cannot be corrected.`)
  const joke = v.safeParse(StoredJoke, item)
  if (joke.success) return joke.output
  throw new CannotCorrect(`The item of the joke ${id} is damaged, so it cannot be corrected.`)
}

/** Returns a sentence about the joke to which an id belongs. Since a correction, it may have another text. */
async function explainOwner(store: Store, textId: string, existing: Item): Promise<string> {
  const owner = stateOf(existing) === 'alias' ? await readItem(store, String(existing.of)) : existing
  const name = `the joke ${existing.of ?? textId}, which is ${stateOf(owner ?? {})}`
  const isEqual = v.is(StoredJoke, owner) && identify(owner) === textId
  return isEqual ? `An equal joke exists: ${name}.` : `This text belonged to ${name}.`
}
