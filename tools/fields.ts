/** Finds joke, punchline and category among the fields of each row. What is not certain is refused. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import * as v from 'valibot'
import { CATEGORIES, type Category, JokeInput } from '../shared/joke.ts'
import { printable, quoted } from './commandLine.ts'
import { refuse } from './files.ts'
import { FIELDS, type Field, isName, knownAs, lettersOf, SETUPS } from './names.ts'
import { type Row, readRows, SEE_RECIPES } from './reader.ts'

const CATEGORY_OF = new Map(CATEGORIES.map((category) => [lettersOf(category), category]))

const ABSENT: unknown[] = [undefined, null, '']
/** Texts that the service would accept, but that hardly belong to a joke. */
const FAULTS: [pattern: RegExp, reason: string][] = [
  // What programs and Reddit write for no value, and the names that joined tables repeat.
  [/^(nan|NaN|None|null|NULL|\\N|undefined|\[deleted\]|\[removed\]|joke|setup)$/, 'may be no text.'],
  [/&(#\w+|[a-z]{2,8});|<\/?(a|b|br|code|div|em|font|hr|i|img|li|ol|p|pre|span|strong|u|ul)\b[^<>]*>/i, 'has HTML.'],
  [/\uFFFD/, 'has �, in whose place another character was lost.'],
]

interface Options {
  map: Map<string, Field>
  /** Categories by values of the file. The value `''` stands for all others. */
  category: Map<string, Category>
  whole?: boolean | undefined
}

/** Reads the jokes of a file. @throws {CannotContinue} if it is not certain which field is the joke or its punchline */
export function readJokes(file: string, text: string, options: Options) {
  const rows = readRows(file, text)
  const sound = rows.filter(({ fault }) => fault === undefined)
  if (sound.length === 0) refuse(file, `has no jokes. ${rows[0] ? `${rows[0].fault} ${SEE_RECIPES}` : ''}`.trimEnd())
  const fields = fieldsIn(file, sound, options)
  const read = rows.map((row) => (row.fault === undefined ? readRow(file, row, fields, options) : row))
  const jokes = read.flatMap((row) => ('joke' in row ? [row] : []))
  const rejected = read.flatMap((row) => ('joke' in row ? [] : [row]))
  return { jokes, rejected, leftOut: fields.leftOut }
}

function fieldsIn(file: string, rows: Row[], { map, category }: Options) {
  const names = [...new Set(rows.flatMap(({ record }) => Object.keys(record)))]
  const found = Object.groupBy(names, (name) => {
    const known = knownAs(name)
    return map.get(name) ?? (known === undefined || [...map.values()].includes(known) ? 'leftOut' : known)
  })
  const { joke = [], punchline = [], category: categories = [], leftOut = [] } = found
  const [missing, field = 'joke'] = [...map].find(([name]) => !names.includes(name)) ?? []
  if (missing !== undefined) refuse(file, `has no field ${printable(missing, 60)}, but:${choices(rows, field, names)}`)
  if (joke.length === 0) {
    const options = choices(rows, 'joke', names)
    const fault = `has no field known as the joke, but ${printable(names.join(', '), 200)}.`
    // A single row may be the whole file, with the jokes inside it.
    if (rows.length === 1 || !options || !names.every(isName)) refuse(file, `${fault} ${SEE_RECIPES}`)
    refuse(file, `${fault} If these aren't names, write names above them. If they are, choose the joke:${options}`)
  }
  if (categories.length === 0 && (!category.has('') || category.size > 1)) {
    const options = choices(rows, 'category', leftOut)
    refuse(file, `has no field known as the category. Choose it, or add only --category Classic for all:${options}`)
  }
  return { joke, punchline, category: categories, leftOut }
}

/** Returns options that give a meaning to fields, each with a sample. Only texts can have one. */
function choices(rows: Row[], field: Field, names: string[]): string {
  const options = names.slice(0, 50).map((name) => {
    const sample = name.length < 200 && rows.map(({ record }) => record[name]).find((value) => !ABSENT.includes(value))
    return typeof sample === 'string' ? `\n  --map ${quoted(`${name}=${field}`)}  # ${printable(sample, 60)}` : ''
  })
  return options.join('')
}

/** Returns the joke of a row, or the row with its fault. */
function readRow(file: string, row: Row, fields: ReturnType<typeof fieldsIn>, { map, category, whole }: Options) {
  const { place, record } = row
  const [name, ...others] = FIELDS.map((field) => {
    const filled = fields[field].filter((each) => !ABSENT.includes(record[each]))
    if (filled.length < 2) return filled[0]
    return refuse(file, `has several fields in ${place} that may be the ${field}:${choices([row], field, filled)}`)
  })
  const [joke, punchline, value] = [name, ...others].map((each) => (each === undefined ? '' : record[each]))
  if (joke instanceof Object || punchline instanceof Object)
    refuse(file, `has a list or an object in place of a text in ${place}. ${SEE_RECIPES}`)
  const isHalf = SETUPS.includes(lettersOf(`${name}`)) && !map.has(`${name}`)
  const mayBeHalf = isHalf || fields.leftOut.some((other) => /\p{L}{2}/u.test(`${record[other] ?? ''}`))
  if (joke !== '' && mayBeHalf && !whole && !fields.punchline.some((other) => other in record)) {
    const options = choices([row], 'joke', fields.joke) + choices([row], 'punchline', fields.leftOut)
    refuse(file, `may lack a punchline in ${place}. Choose it, or add --whole if there is none:${options}`)
  }
  const letters = lettersOf(`${value}`)
  const known = category.get(letters) ?? CATEGORY_OF.get(letters) ?? category.get('')
  const { output, success, issues = [] } = v.safeParse(JokeInput, { joke, punchline, category: known })
  const reasons = Object.entries({ joke, punchline }).flatMap(([field, text]) => {
    return FAULTS.filter(([pattern]) => pattern.test(`${text}`)).map(([, reason]) => `${field} ${reason}`)
  })
  reasons.push(...issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`))
  if (success && reasons.length === 0) return output
  // The option --map finds its fields in the file of rejected rows, too.
  const line = JSON.stringify({ ...Object.fromEntries([...map.keys()].map((each) => [each, null])), ...record })
  return { ...row, line, fault: reasons.join(' '), unknownCategory: known ? '' : `${value}` }
}

export function parseMap(sent: string, others: Options['map'] = new Map()) {
  const field = FIELDS.find((each) => sent.length > each.length + 1 && sent.endsWith(`=${each}`))
  if (!field) throw new InvalidArgumentError('Write NAME=joke, NAME=punchline or NAME=category.')
  return others.set(sent.slice(0, -field.length - 1), field)
}

export function parseCategory(sent: string, others: Options['category'] = new Map()) {
  const [, value = '', name = ''] = /^(?:(.+)=)?(.+)$/s.exec(sent) ?? []
  return others.set(lettersOf(value), categoryNamed(name))
}

export function categoryNamed(name: string): Category {
  const category = CATEGORY_OF.get(lettersOf(name))
  if (!category) throw new InvalidArgumentError(`The categories are ${CATEGORIES.join(', ')}.`)
  return category
}
