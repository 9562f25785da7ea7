/** Gives names and values in a file their meaning, by usual names and by the options of an import. */
import { CATEGORIES, Joke } from '../shared/joke.ts'
import { CannotContinue } from './commandLine.ts'

/** An object in a file, or a row of a table. */
export type Fields = Record<string, unknown>

/** The usual names of each field, as {@link keyOf} gives them. If a joke has several, the first one counts. */
const NAMES = {
  joke: ['joke', 'setup', 'question', 'q', 'joketext', 'text'],
  punchline: ['punchline', 'delivery', 'answer', 'a'],
  category: ['category'],
}
type Field = keyof typeof NAMES

/** Values that stand for no value. Reddit shows the last two in place of deleted texts. */
const ABSENT: unknown[] = [undefined, null, '', '[deleted]', '[removed]']

/** The meaning of the names and values in a file. */
export class Mapping {
  readonly #names = structuredClone(NAMES)
  readonly #categories = new Map<string, string>(CATEGORIES.map((name) => [keyOf(name), name]))
  #otherwise: string | undefined

  /**
   * @param fields such as `body=joke`
   * @param categories such as `pun=Word game`, or `Classic` for all that are absent or unknown
   * @throws {CannotContinue} if one of them has another form
   */
  constructor(fields: string[] = [], categories: string[] = []) {
    for (const sent of fields) {
      const [, name = '', field] = /^(.+)=(joke|punchline|category)$/s.exec(sent) ?? []
      if (field === undefined)
        throw new CannotContinue(`--map ${sent}: write FIELD=joke, FIELD=punchline or FIELD=category.`)
      for (const [each, names] of Object.entries(this.#names)) {
        if (names.includes(keyOf(name))) names.splice(names.indexOf(keyOf(name)), 1)
        if (each === field) names.unshift(keyOf(name))
      }
    }
    for (const sent of categories) {
      const [, from, to = ''] = /^(?:(.+)=)?(.+)$/s.exec(sent) ?? []
      const category = CATEGORIES.find((name) => keyOf(name) === keyOf(to))
      if (!category) throw new CannotContinue(`--category ${sent}: the categories are ${CATEGORIES.join(', ')}.`)
      if (from === undefined) this.#otherwise = category
      else this.#categories.set(keyOf(from), category)
    }
  }

  hasJoke = (names: string[]): boolean => {
    const { joke } = this.#namesAmong(names)
    return names.some((name) => joke.includes(keyOf(name)))
  }

  isCategory = (value: unknown): boolean => this.#categories.has(keyOf(`${value}`))

  /** Returns the names that are neither sent nor assigned by the service. */
  leftOut = (fields: Fields): string[] => {
    const names = Object.keys(fields)
    const known = [...Object.values(this.#namesAmong(names)).flat(), ...Object.keys(Joke.entries).map(keyOf)]
    return names.filter((name) => !known.includes(keyOf(name)))
  }

  /** Returns the joke that is sent to the service, which checks it. */
  jokeOf(fields: Fields): Record<Field, unknown> {
    const present = Object.entries(fields).filter(([, value]) => !ABSENT.includes(value))
    const values = new Map(present.map(([name, value]) => [keyOf(name), value]))
    const names = this.#namesAmong(Object.keys(fields))
    const find = (field: Field) => names[field].map((name) => values.get(name)).find((value) => value !== undefined)
    const text = find('joke')
    const [joke, punchline = find('punchline')] = Array.isArray(text) && text.length < 3 ? text : [text]
    const given = [find('category')].flat()
    const known = this.#categories.get(keyOf(`${given.find(this.isCategory)}`))
    return { joke, punchline, category: known ?? this.#otherwise ?? given[0] }
  }

  /** Adds the names of Reddit, which count only together, because elsewhere a title is the name of a joke. */
  #namesAmong(names: string[]): Record<Field, string[]> {
    const { joke, punchline, category } = this.#names
    if (!names.includes('selftext')) return this.#names
    return { joke: [...joke, 'title'], punchline: [...punchline, 'selftext'], category }
  }
}

/** Lower-case letters and digits, if there are any: `Word_Game` and `word-game` are the same. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || name
}
