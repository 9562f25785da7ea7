/** Finds the jokes in a value of JSON: in an array, in the only list of an object, in lists by category, or at a place. */
import { printable, quoted } from './commandLine.ts'
import { isObject, type Mapping, type Row, recordOf } from './mapping.ts'
import { refuse } from './refusal.ts'

/** A list, or an object that may be one. */
interface Place {
  keys: string[]
  items: unknown[]
  isList: boolean
  /** Whether it probably holds jokes. */
  isLikely: boolean
}

/** Objects are searched to this depth. */
const DEPTH = 3

/**
 * Finds the jokes.
 *
 * @param at the place that an option names
 * @returns the jokes, and a note on their places if they are a part of the value
 * @throws {CannotContinue} if the place of the jokes is uncertain
 */
export function rowsOfJson(root: unknown, mapping: Mapping, at?: string): { rows: Row[]; notes: string[] } {
  const places = placesIn(root, mapping)
  const chosen = at === undefined ? certainOf(root, places, mapping) : places.filter((place) => pathOf(place) === at)
  if (chosen.length === 0) refuseAll(places, mapping)
  const records = chosen.flatMap(({ keys, items }) => {
    const category = keys.at(-1)
    return items.map((item) => (mapping.isCategory(category) ? { category, ...recordOf(item) } : recordOf(item)))
  })
  const paths = chosen.filter(({ keys }) => keys.length > 0).map((place) => printable(pathOf(place)))
  return {
    rows: records.map((record, index) => ({ place: `joke ${index + 1}`, record })),
    notes: paths.length > 0 ? [`The jokes are read from ${paths.join(', ')}.`] : [],
  }
}

/** Returns the places of the jokes, or none if they are uncertain. */
function certainOf(root: unknown, places: Place[], mapping: Mapping): Place[] {
  const likely = places.filter(({ isLikely }) => isLikely)
  const lists = likely.filter(({ isList }) => isList)
  if (mapping.isJoke(root) && !lists.some(({ items }) => items.some(isObject))) return places.slice(0, 1)
  const areCertain = lists.length === 1 || lists.every(({ keys }) => mapping.isCategory(keys.at(-1)))
  return areCertain && lists.length === likely.length ? lists : []
}

/** Finds lists of objects or texts, and objects that may be lists, but not within lists. */
function placesIn(value: unknown, mapping: Mapping, keys: string[] = []): Place[] {
  if (Array.isArray(value)) {
    const isList = keys.length === 0 || value.some((item) => typeof item === 'string' || isObject(item))
    return isList && !value.some(Array.isArray) ? [{ keys, items: value, isList, isLikely: true }] : []
  }
  if (!isObject(value) || keys.length === DEPTH) return []
  const items = mapping.isJoke(value) ? [value] : Object.values(value)
  const mayBeList = items.length > 0 && (items.every(isObject) || items.every((item) => typeof item === 'string'))
  const isLikely = items.some(mapping.isJoke) || Object.keys(value).every((key) => /^\d+$/.test(key))
  const inner = Object.entries(value).flatMap(([key, each]) => placesIn(each, mapping, [...keys, key]))
  return mayBeList ? [{ keys, items, isList: false, isLikely }, ...inner] : inner
}

function refuseAll(places: Place[], mapping: Mapping): never {
  const unknown = places.filter(({ isList, keys }) => isList && !mapping.isCategory(keys.at(-1)))
  refuse(
    `It is uncertain where the file holds the jokes. If it is one joke, write [ before it and ] behind it. If no place holds all
texts, convert the file to a list of objects, for example with jq.`,
    {
      heading: 'If one place holds the jokes:',
      options: places.map((place) => [`--at ${quoted(pathOf(place))}`, place.items[0]]),
    },
    {
      heading: 'If the lists are named after categories, choose one for each:',
      options: unknown.map(({ keys, items }) => [`--category ${quoted(`${keys.at(-1)}=Classic`)}`, items[0]]),
    },
  )
}

function pathOf({ keys }: Place): string {
  return keys.join('.') || '.'
}
