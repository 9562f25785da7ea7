/** Gives names and values in a file their meaning, by usual names and by the options of an import. */
import { CATEGORIES } from '../shared/joke.ts'
import { CannotContinue } from './commandLine.ts'

const FIELDS = ['joke', 'punchline', 'category'] as const
type Field = (typeof FIELDS)[number]

/** The usual names of each field, as {@link keyOf} gives them. */
const USUAL: Record<Field, string[]> = {
  joke: ['joke', 'setup', 'question', 'q', 'joketext', 'text'],
  punchline: ['punchline', 'delivery', 'answer', 'a'],
  category: ['category'],
}

/** Names of Reddit, which count only together, because elsewhere a title is the name of a joke. */
const REDDIT: Record<string, Field> = { title: 'joke', selftext: 'punchline' }

/** Values that stand for no value. Reddit shows the last two in place of deleted texts. */
const ABSENT: unknown[] = [undefined, null, '', '[deleted]', '[removed]']

/** A joke in a file: its place, such as `joke 2`, `line 3` or `row 4`, its record or broken line, and why it is broken. */
export interface Row {
  place: string
  record: unknown
  fault?: string
}

/** The meaning of the names and values in a file. */
export class Mapping {
  readonly #mapped = new Map<string, Field>()
  readonly #categories = new Map<string, string>(CATEGORIES.map((name) => [keyOf(name), name]))
  /** Most records of a file have the same names. */
  readonly #named = new Map<string, Record<Field, string[]>>()
  #otherwise: string | undefined

  /**
   * @param maps such as `body=joke`
   * @param categories such as `pun=Word game`, or `Classic` for all that are absent or unknown
   * @throws {CannotContinue} if one of them has another form
   */
  constructor(maps: string[] = [], categories: string[] = []) {
    for (const sent of maps) {
      const field = FIELDS.find((each) => sent.endsWith(`=${each}`))
      if (!field) throw new CannotContinue(`--map ${sent}: write NAME=joke, NAME=punchline or NAME=category.`)
      this.#mapped.set(sent.slice(0, -field.length - 1), field)
    }
    for (const sent of categories) {
      const [, from, to = ''] = /^(?:(.+)=)?(.+)$/s.exec(sent) ?? []
      const category = CATEGORIES.find((name) => keyOf(name) === keyOf(to))
      if (!category) throw new CannotContinue(`--category ${sent}: the categories are ${CATEGORIES.join(', ')}.`)
      if (from === undefined) this.#otherwise = category
      else this.#categories.set(keyOf(from), category)
    }
  }

  /** The names given by `--map`. */
  get mapped(): string[] {
    return [...this.#mapped.keys()]
  }

  isCategory = (value: unknown): boolean => typeof value === 'string' && this.#categories.has(keyOf(value))

  /** Returns the names of each field. In a record with a name of `--map`, the usual names of its field do not count. */
  namesOf(names: string[]): Record<Field, string[]> {
    const key = names.join('\0')
    const known = this.#named.get(key)
    if (known) return known
    const isReddit =
      Object.keys(REDDIT).every((name) => names.includes(name) && !this.#mapped.has(name)) &&
      !names.some((name) => this.#mapped.get(name) === 'joke')
    const isUsual = (name: string, field: Field) =>
      !this.#mapped.has(name) && (USUAL[field].includes(keyOf(name)) || (isReddit && REDDIT[name] === field))
    const find = (field: Field) => {
      const mapped = names.filter((name) => this.#mapped.get(name) === field)
      return mapped.length > 0 ? mapped : names.filter((name) => isUsual(name, field))
    }
    const found = { joke: find('joke'), punchline: find('punchline'), category: find('category') }
    this.#named.set(key, found)
    return found
  }

  /** Whether a record has a name of the joke. */
  hasJoke = (record: unknown): boolean => this.namesOf([...fieldsOf(record).keys()]).joke.length > 0

  /** Whether a record is one joke for certain, because its joke is a text. */
  isJoke = (record: unknown): boolean => {
    const fields = fieldsOf(record)
    return this.namesOf([...fields.keys()]).joke.some((name) => typeof fields.get(name) === 'string')
  }

  /** Returns the joke to add. Its values are as they are in the file, so they may be invalid. */
  jokeOf(record: unknown): Record<Field, unknown> {
    const fields = fieldsOf(record)
    const names = this.namesOf([...fields.keys()])
    const find = (field: Field) => names[field].map((name) => fields.get(name)).find(isPresent)
    const given = [find('category')].flat()
    const known = this.#categories.get(keyOf(`${given.find(this.isCategory)}`))
    const category = known ?? this.#otherwise ?? given[0]
    const [joke, punchline] = [find('joke'), find('punchline')]
    const areLines = Array.isArray(joke) && punchline === undefined && joke.every((line) => typeof line === 'string')
    if (!areLines) return { joke, punchline, category }
    return joke.length === 2
      ? { joke: joke[0], punchline: joke[1], category }
      : { joke: joke.join('\n'), punchline, category }
  }
}

export const isPresent = (value: unknown): boolean => !ABSENT.includes(value)

/** Returns the fields of a record. One of an object within it has a name such as `data.title`. A text is a joke. */
export function fieldsOf(record: unknown, depth = 3): Map<string, unknown> {
  if (!isObject(record)) return new Map([['joke', record]])
  const fields = new Map<string, unknown>()
  for (const [name, value] of Object.entries(record))
    if (!isObject(value) || depth === 0) fields.set(name, value)
    else for (const [rest, each] of fieldsOf(value, depth - 1)) fields.set(`${name}.${rest}`, each)
  return fields
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Lower-case letters and digits, if there are any: `Word_Game` and `word-game` are the same. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || name
}
