/** Finds the jokes in a value of JSON: in an array, in the only list of an object, in lists by category, or at a place. */
import { printable, quoted } from './commandLine.ts'
import { fieldsOf, isObject, type Mapping } from './mapping.ts'
import { type Choice, refuse } from './refusal.ts'

/** A list, or an object whose values may be one. */
interface Place {
  keys: string[]
  items: unknown[]
  isList: boolean
  /** Whether an object competes with lists, because its values are jokes, or its keys are numbers. */
  isLikely: boolean
}

/** Objects are searched to this depth. */
const DEPTH = 3

/**
 * Finds the jokes.
 *
 * @param at the place that an option names
 * @returns the jokes, and their places if they are a part of the value
 * @throws {CannotContinue} if the place of the jokes is uncertain
 */
export function itemsIn(root: unknown, mapping: Mapping, at?: string): { items: unknown[]; places?: string[] } {
  const places = isObject(root) ? placesIn(root, mapping) : []
  if (at !== undefined) {
    const keys = keysOf(at)
    const value = keys.reduce(childOf, root)
    if (isContainer(value)) return { items: itemsOf(value, mapping, keys.at(-1)) }
    refuse(`The file holds no list at ${printable(at)}.`, ...choicesOf(root, places, mapping))
  }
  const filled = places.filter(({ items }) => items.length > 0)
  const rivals = (filled.length > 0 ? filled : places).filter(({ isList, isLikely }) => isList || isLikely)
  const isJoke = mapping.isJoke(root) && !rivals.some(({ items }) => items.some(isObject))
  if (!isObject(root) || isJoke || columnsIn(root, mapping)) return { items: itemsOf(root, mapping) }
  const areLists = rivals.length > 0 && rivals.every(({ isList }) => isList) && !mapping.hasJoke(root)
  if (areLists && (rivals.length === 1 || rivals.every(({ keys }) => mapping.isCategory(keys.at(-1)))))
    return {
      items: rivals.flatMap(({ items, keys }) => itemsOf(items, mapping, keys.at(-1))),
      places: rivals.map(pathOf),
    }
  const sentence =
    rivals.length > 0 ? 'Several places may hold the jokes.' : 'The file holds no list of objects or texts.'
  return refuse(sentence, ...choicesOf(root, filled, mapping))
}

/** Finds the lists of objects or texts in an object, and objects that may be lists, but not within lists. */
function placesIn(object: Record<string, unknown>, mapping: Mapping, keys: string[] = []): Place[] {
  const items = Object.values(object)
  const areObjects = items.every(isObject)
  const areTexts = items.some(isText) && items.every((item) => [item].flat().every(isText))
  const isLikely = Object.keys(object).every((key) => /^\d+$/.test(key)) || (areObjects && items.some(mapping.isJoke))
  const own = items.length > 0 && (areObjects || areTexts) ? [{ keys, items, isList: false, isLikely }] : []
  const inner = Object.entries(object).flatMap(([key, value]) => {
    const at = [...keys, key]
    if (isObject(value)) return at.length < DEPTH ? placesIn(value, mapping, at) : []
    const isList =
      Array.isArray(value) && (value.length === 0 || value.some((item) => isText(item) || isContainer(item)))
    return isList ? [{ keys: at, items: value, isList, isLikely: true }] : []
  })
  return [...own, ...inner]
}

/** @param key of the value in the file, which may name the category of all its jokes */
function itemsOf(value: unknown, mapping: Mapping, key?: string): unknown[] {
  const isOne = mapping.isJoke(value) || !isContainer(value)
  const items = (isObject(value) && columnsIn(value, mapping)) || (isOne ? [value] : Object.values(value))
  if (!mapping.isCategory(key)) return items
  return items.map((item) => ({ category: key, ...(isObject(item) ? item : { joke: item }) }))
}

/** Returns the rows of a table whose columns are lists, if `--map` names one as the joke. */
function columnsIn(object: Record<string, unknown>, mapping: Mapping): unknown[] | undefined {
  const lists = Object.entries(object).filter(([, list]) => isContainer(list))
  const mapped = lists.filter(([name]) => mapping.mapped.includes(name))
  const joke = mapped.find(([name]) => mapping.hasJoke({ [name]: '' }))
  if (!joke) return undefined
  const isAsLong = ([, list]: [string, unknown]) => lengthOf(list) === lengthOf(joke[1])
  if (!mapped.every(isAsLong))
    refuse(`The lists ${printable(mapped.map(([name]) => name).join(', '))} are columns, but have different lengths.`)
  const columns = lists.filter(isAsLong)
  return Object.keys(Object(joke[1])).map((key) =>
    Object.fromEntries(columns.map(([name, list]) => [name, childOf(list, key)])),
  )
}

function choicesOf(root: unknown, places: Place[], mapping: Mapping): Choice[] {
  const nameOf = ({ keys }: Place) => keys.at(-1) ?? ''
  const parentOf = ({ keys }: Place) => pathOf({ keys: keys.slice(0, -1) })
  const lists = places.filter(({ isList }) => isList)
  const unknown = lists.length > 1 ? lists.filter((list) => !mapping.isCategory(nameOf(list))) : []
  const inObjects = places.filter(({ keys }) => keys.length > 0)
  const siblings = Map.groupBy(inObjects, (place) => `${place.items.length} ${parentOf(place)}`)
  const columns = [...siblings.values()].filter(({ length }) => length > 1).flat()
  const within = (column: Place) => (parentOf(column) === '.' ? '' : `--at ${quoted(parentOf(column))} `)
  const optionsFor = (some: Place[], optionFor: (place: Place) => string) =>
    some.map((place) => [optionFor(place), sampleOf(place.items[0])] as const)
  const texts =
    mapping.isJoke(root) || lists.length === 0 ? [...fieldsOf(root)].filter(([, value]) => isText(value)) : []
  return [
    {
      heading: 'If one place holds the jokes:',
      options: optionsFor(places, (place) => `--at ${quoted(pathOf(place))}`),
    },
    {
      heading: 'If the lists are named after categories, choose one for each:',
      options: optionsFor(unknown, (list) => `--category ${quoted(`${nameOf(list)}=Classic`)}`),
    },
    {
      heading:
        'If the lists are columns of a table, choose that of the joke, and perhaps others as =punchline and =category:',
      options: optionsFor(columns, (column) => `${within(column)}--map ${quoted(`${nameOf(column)}=joke`)}`),
    },
    {
      heading: 'If the file is one joke:',
      options: texts.map(([name, value]) => [`--at . --map ${quoted(`${name}=joke`)}`, value]),
    },
  ]
}

/** Returns the longest text of an item, or its first value. */
function sampleOf(item: unknown): unknown {
  const values = Array.isArray(item) ? item : [...fieldsOf(item).values()]
  const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0)
  return values.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0]
}

/** Joins keys by full stops. Those in a key are escaped by a backslash. */
function pathOf({ keys }: { keys: string[] }): string {
  return keys.map((key) => key.replaceAll(/[\\.]/g, '\\$&')).join('.') || '.'
}

function keysOf(path: string): string[] {
  const keys = path === '.' ? [] : path.split(/(?<=(?:^|[^\\])(?:\\\\)*)\./)
  return keys.map((key) => key.replaceAll(/\\(.)/gs, '$1'))
}

function childOf(value: unknown, key: string): unknown {
  return isContainer(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const isText = (value: unknown) => typeof value === 'string'
const lengthOf = (list: unknown) => Object.keys(Object(list)).length
