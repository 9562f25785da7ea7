/** Finds joke, punchline and category among the fields of each row. What is not certain is refused. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { ProblemError } from '../shared/errors.ts'
import { CATEGORIES, type Category, JokeInput } from '../shared/joke.ts'
import { validate } from '../shared/validate.ts'
import { printable, quoted } from './commandLine.ts'
import { FIELDS, type Field, HALVES, isSentence, knownAs, lettersOf } from './names.ts'
import type { Row, Source } from './source.ts'

/** What databases write for no value. */
const NULLS: unknown[] = ['NULL', '\\N']
/** Values that stand for no value. Reddit shows the last two in place of deleted texts. */
const ABSENT: unknown[] = [undefined, null, '', ...NULLS, '[deleted]', '[removed]']
/** What some programs write for no value, although it may be a text. */
const DOUBTFUL: unknown[] = ['nan', 'NaN', 'None', 'null', 'undefined']

const CATEGORY_OF = new Map(CATEGORIES.map((category) => [lettersOf(category), category]))

/** Meanings that `--map` gives to names. */
export type Maps = Map<string, Field>
/** Categories by the values that `--category` translates. The value `''` stands for all others. */
export type Categories = Map<string, Category>

type Input = Partial<Record<Field, unknown>>

/**
 * Reads the joke of each row.
 *
 * @returns the jokes, the rejected ones, the names of fields that no joke has, and the number of absent punchlines
 * @throws {CannotContinue} if it is not certain which field is the joke, the punchline or the category
 */
export function readFields(source: Source, rows: Row[], maps: Maps = new Map(), categories: Categories = new Map()) {
  const sound = rows.filter(({ fault }) => fault === undefined)
  if (rows[0] === undefined) source.refuse('has no jokes, so there is nothing to import.')
  if (sound.length === 0) source.refuse(`has no joke that can be read. In ${rows[0].place}: ${rows[0].fault}`)
  const names = [...new Set(sound.flatMap(({ record }) => Object.keys(record)))]
  const mapped = new Set(maps.values())
  const { leftOut = [], ...namesOf } = Object.groupBy(names, (name) => {
    const known = knownAs(name)
    return maps.get(name) ?? (known === undefined || mapped.has(known) ? 'leftOut' : known)
  })
  const refuse = (found: string): never => {
    const samples = names.map((name) => ({ name, text: sound.map(({ record }) => record[name]).find(isSentence) }))
    const sentences = samples.filter(({ text }) => text !== undefined)
    const choices = (sentences.length > 0 ? sentences : samples).map(({ name, text = '' }) => {
      return `\n  --map ${quoted(`${name}=joke`)}  # ${printable(text.trim()).slice(0, 60)}`
    })
    return source.refuse(`${found} Choose the joke, and write =punchline for its punchline:${choices.join('')}`)
  }

  const fields = `${names.map(printable).join(', ')}. In a table, the first line should name the fields.`
  const missing = [...maps.keys()].find((name) => !names.includes(name))
  if (missing !== undefined) refuse(`has no field ${printable(missing)}, but ${fields}`)
  if (!namesOf.joke) refuse(`has no field that is known as the joke, but ${fields}`)
  for (const value of categories.keys()) {
    const holders = names.filter((name) => sound.some(({ record }) => lettersOf(`${record[name]}`) === value))
    if (value === '' || holders.some((name) => namesOf.category?.includes(name))) continue
    const map = quoted(`${holders[0] ?? 'NAME'}=category`)
    source.refuse(`has no joke with the category ${printable(value)}. Leave out its --category, or add --map ${map}`)
  }

  const readRow = ({ place, record }: Row) => {
    const filled = (name: string) => !ABSENT.includes(record[name])
    const input: Input = {}
    for (const field of FIELDS) {
      const [name, ...others] = namesOf[field]?.filter(filled) ?? []
      if (others.length > 0) refuse(`has several fields in ${place} that may be the ${field}.`)
      if (name !== undefined) input[field] = record[name]
    }
    // Nobody named the other texts, so one of them may be the other half of the joke.
    const isHalf = namesOf.joke?.some((name) => filled(name) && HALVES.includes(lettersOf(name)))
    const isUncertain = isHalf || leftOut.some((name) => isSentence(record[name]))
    const hasPunchline = namesOf.punchline?.some((name) => name in record)
    if (input.joke !== undefined && isUncertain && !hasPunchline && !mapped.has('joke'))
      refuse(`has no punchline in ${place}, where another field may be one.`)
    const letters = lettersOf(`${input.category ?? ''}`)
    const category = categories.get(letters) ?? CATEGORY_OF.get(letters) ?? categories.get('')
    return category === undefined ? input : { ...input, category }
  }
  const jokes: JokeInput[] = []
  const rejected: { reason: string; line: string }[] = []
  let hasCategories = false
  for (const row of rows) {
    const input = row.fault === undefined ? readRow(row) : {}
    hasCategories ||= input.category !== undefined
    const result = row.fault ?? check(input)
    if (typeof result !== 'string') jokes.push(result)
    else rejected.push({ reason: printable(`${row.place}: ${result}`), line: row.line ?? JSON.stringify(input) })
  }
  if (!hasCategories)
    source.refuse('has no categories. Add --category Classic, or name their field: --map NAME=category')
  const isNull = ({ record }: Row) => namesOf.punchline?.some((name) => NULLS.includes(record[name]))
  return { jokes, rejected, leftOut, nulls: sound.filter(isNull).length }
}

/** Returns the joke of an input, or why it is rejected. */
function check(input: Input): JokeInput | string {
  const [name, value] = Object.entries(input).find(([, text]) => DOUBTFUL.includes(text)) ?? []
  if (name !== undefined)
    return `${name} is “${value}”, which may mean that there is none. Delete it, or add a full stop.`
  try {
    return validate(JokeInput, input)
  } catch (error) {
    if (!(error instanceof ProblemError && error.members.errors)) throw error
    return error.members.errors.map(({ field, detail }) => `${field} ${detail}`).join(' ')
  }
}

/** Adds an option such as `body=joke`. */
export function parseMap(sent: string, others: Maps = new Map()): Maps {
  const field = FIELDS.find((each) => sent.length > each.length + 1 && sent.endsWith(`=${each}`))
  if (!field) throw new InvalidArgumentError('Write NAME=joke, NAME=punchline or NAME=category.')
  return others.set(sent.slice(0, -field.length - 1), field)
}

/** Adds an option such as `pun=Word game`, or `Classic`. */
export function parseCategory(sent: string, others: Categories = new Map()): Categories {
  const [, value = '', name = ''] = /^(?:(.+)=)?(.+)$/s.exec(sent) ?? []
  return others.set(lettersOf(value), categoryNamed(name))
}

/** Returns the category with a name, whose case and punctuation do not count. */
export function categoryNamed(name: string): Category {
  const category = CATEGORY_OF.get(lettersOf(name))
  if (!category) throw new InvalidArgumentError(`The categories are ${CATEGORIES.join(', ')}.`)
  return category
}
