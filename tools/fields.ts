/** Finds joke, punchline and category among the fields of each row. What is not certain is refused. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CATEGORIES, type Category } from '../shared/joke.ts'
import { type Field, isSentence, type Row, type Source } from './source.ts'

const FIELDS: Field[] = ['joke', 'punchline', 'category']

/** Known names, as {@link lettersOf} gives them. A single letter names nothing: in quotes, `a` is the author. */
const KNOWN: Record<Field, string[]> = {
  joke: ['joke', 'joketext'],
  punchline: ['punchline', 'answer', 'delivery'],
  category: ['category'],
}

/** Names of texts that may be half a joke or its title. They name the joke only beside a punchline. */
const HALVES = ['setup', 'question', 'title', 'body', 'text', 'content', 'selftext', 'headline']

/** Values that stand for no value. Reddit shows the last two in place of deleted texts. */
const ABSENT: unknown[] = [undefined, null, '', '[deleted]', '[removed]']
/** What databases write for no value. */
const NULLS: unknown[] = ['NULL', '\\N']
/** What some programs write for no value, although it may be a text. */
const DOUBTFUL: unknown[] = ['nan', 'NaN', 'None', 'null', 'undefined']

/** Advice that stands before options. */
export const CHOOSE = 'Choose it, and write =punchline for its punchline:'

/** Meanings that `--map` gives to names. */
export type Maps = Map<string, Field>
/** Categories by the values that `--category` translates. The value `''` stands for all others. */
export type Categories = Map<string, Category>

/** A joke as the file has it, so that its values may be invalid, and why it is rejected, if that is known. */
export interface Found {
  row: Row
  input: Partial<Record<Field, unknown>>
  fault?: string | undefined
}

/**
 * Reads the fields of each row.
 *
 * @returns the jokes, the names of fields that no joke has, and the number of punchlines that count as absent
 * @throws {CannotContinue} if it is not certain which field is the joke, the punchline or the category
 */
export function readFields(source: Source, rows: Row[], maps: Maps = new Map(), categories: Categories = new Map()) {
  if (rows.length === 0) source.refuse('has no jokes, so there is nothing to import.')
  const sound = rows.filter(({ fault }) => fault === undefined)
  const names = [...new Set(sound.flatMap(({ record }) => Object.keys(record)))]
  const isMapped = (field: Field) => [...maps.values()].includes(field)
  const hasName = (name: string, field: Field) =>
    isMapped(field) ? maps.get(name) === field : !maps.has(name) && KNOWN[field].includes(lettersOf(name))
  const isHalf = (name: string) => !isMapped('joke') && !maps.has(name) && HALVES.includes(lettersOf(name))
  const choose = (found: string, field: (name: string) => Field = () => 'joke'): never => {
    const choices = names.map((name) => ({
      name,
      field: field(name),
      sample: sound.map(({ record }) => record[name]).find(isSentence),
    }))
    return source.offer(
      found,
      choices.filter(({ sample }) => sample !== undefined),
    )
  }
  const missing = [...maps.keys()].find((name) => !names.includes(name))
  if (sound.length > 0 && missing !== undefined)
    choose(`has no field ${missing}. Leave out its --map, or choose one of these:`, (name) => maps.get(name) ?? 'joke')
  if (sound.length > 0 && !names.some((name) => hasName(name, 'joke') || isHalf(name)))
    choose(`has no field that is known as the joke. ${CHOOSE}`)

  const holds = (name: string, value: string) => sound.some(({ record }) => lettersOf(`${record[name]}`) === value)
  const isMatched = (value: string) => names.some((name) => hasName(name, 'category') && holds(name, value))
  const unmatched = [...categories.keys()].find((value) => value !== '' && !isMatched(value))
  if (unmatched !== undefined && sound.length > 0) {
    const what = `has no joke with the category ${unmatched}`
    const name = names.find((each) => holds(each, unmatched))
    if (name === undefined) source.refuse(`${what}. Leave out its --category.`)
    source.offer(`${what}. If this field holds it, choose it:`, [{ name, field: 'category', sample: unmatched }])
  }

  const used = new Set<string>()
  let nulls = 0
  const readRow = (row: Row): Found => {
    const { place, record } = row
    if (row.fault !== undefined) return { row, input: {}, fault: row.fault }
    const own = Object.keys(record)
    const find = (field: Field, known = own.filter((name) => hasName(name, field))) => {
      for (const name of known) used.add(name)
      if (field === 'punchline' && known.some((name) => NULLS.includes(record[name]))) nulls += 1
      const found = known.filter((name) => !ABSENT.includes(record[name]) && !NULLS.includes(record[name]))
      const choices = found.map((name) => ({ name, field, sample: record[name] }))
      if (found.length > 1) source.offer(`has several fields in ${place} that may be the ${field}. ${CHOOSE}`, choices)
      return { known, value: choices[0]?.sample }
    }
    const certain = own.filter((name) => hasName(name, 'joke'))
    const joke = find('joke', certain.length > 0 ? certain : own.filter(isHalf))
    const [punchline, given] = [find('punchline'), find('category')]
    // Nobody named the other texts, so one of them may be the other half of the joke.
    const others = own.filter((name) => ![...joke.known, ...given.known].includes(name) && isSentence(record[name]))
    const isUncertain = punchline.known.length === 0 && !isMapped('joke') && (certain.length === 0 || others.length > 0)
    if (joke.value !== undefined && isUncertain)
      choose('has no field that is known as the punchline. Choose it, or only the joke if there is none:', (name) =>
        joke.known.includes(name) ? 'joke' : 'punchline',
      )
    const letters = lettersOf(`${given.value ?? ''}`)
    const known = CATEGORIES.find((name) => lettersOf(name) === letters)
    const category = categories.get(letters) ?? known ?? categories.get('') ?? given.value
    const fields = Object.entries({ joke: joke.value, punchline: punchline.value, category })
    const input = Object.fromEntries(fields.filter(([, value]) => value !== undefined))
    return { row, input, fault: faultOf(input) }
  }
  const jokes = rows.map(readRow)

  if (sound.length > 0 && jokes.every(({ input }) => input.category === undefined))
    source.refuse(
      `has no categories. Add --category Classic, or another one of ${CATEGORIES.join(', ')}, or name their field: --map NAME=category`,
    )
  return { jokes, leftOut: names.filter((name) => !used.has(name)), nulls }
}

function faultOf({ joke, punchline }: Found['input']): string | undefined {
  for (const [field, text] of Object.entries({ joke, punchline }))
    if (DOUBTFUL.includes(text))
      return `${field} is “${text}”, which may mean that there is none. Delete it, or add a full stop.`
  return undefined
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
  const category = CATEGORIES.find((each) => lettersOf(each) === lettersOf(name))
  if (!category) throw new InvalidArgumentError(`The categories are ${CATEGORIES.join(', ')}.`)
  return category
}

/** Returns the field that a name is known for, even if it is only half a joke. */
export function knownAs(name: string): Field | undefined {
  return HALVES.includes(lettersOf(name)) ? 'joke' : FIELDS.find((field) => KNOWN[field].includes(lettersOf(name)))
}

/** Returns lower-case letters and digits, if there are any: `Word_Game` and `word game` are the same. */
function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || name
}
