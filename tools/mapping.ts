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

/** A joke in a file: its place, such as `joke 2`, `line 3` or `row 4`, its fields, and why it is broken. */
export interface Row {
  place: string
  record: Record<string, unknown>
  fault?: string
  /** The line that is no JSON. */
  line?: string
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
      Object.keys(REDDIT).every((name) => names.includes(name)) &&
      this.#mapped.values().every((field) => field === 'category')
    const find = (field: Field) => {
      const mapped = names.filter((name) => this.#mapped.get(name) === field)
      const others = names.filter((name) => !this.#mapped.has(name))
      const isUsual = (name: string) => USUAL[field].includes(keyOf(name)) || (isReddit && REDDIT[name] === field)
      return mapped.length > 0 ? mapped : others.filter(isUsual)
    }
    const found = { joke: find('joke'), punchline: find('punchline'), category: find('category') }
    this.#named.set(key, found)
    return found
  }

  /** Whether a value is one joke, because it has a name of the joke with a text. */
  isJoke = (value: unknown): boolean =>
    isObject(value) && this.namesOf(Object.keys(value)).joke.some((name) => typeof value[name] === 'string')

  /** Returns the joke to add. Its values are as they are in the file, so they may be invalid. */
  jokeOf(record: Row['record']): Record<Field, unknown> {
    const names = this.namesOf(Object.keys(record))
    const find = (field: Field) => names[field].map((name) => record[name]).find(isPresent)
    const [joke, punchline, given] = [find('joke'), find('punchline'), find('category')]
    const category = this.#categories.get(keyOf(`${given}`)) ?? this.#otherwise ?? given
    if (!Array.isArray(joke) || punchline !== undefined || !joke.every((line) => typeof line === 'string'))
      return { joke, punchline, category }
    return joke.length === 2
      ? { joke: joke[0], punchline: joke[1], category }
      : { joke: joke.join('\n'), punchline, category }
  }
}

export const isPresent = (value: unknown): boolean => !ABSENT.includes(value)

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return isContainer(value) && !Array.isArray(value)
}

/** Returns the fields of an object. Any other value is a joke. */
export function recordOf(value: unknown): Row['record'] {
  return isObject(value) ? value : { joke: value }
}

/** Lower-case letters and digits, if there are any: `Word_Game` and `word-game` are the same. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || name
}
