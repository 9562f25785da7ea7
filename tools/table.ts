/** Reads CSV with one of four delimiters. */
import { CsvError, parse } from 'csv-parse/sync'
import { printable, quoted } from './commandLine.ts'
import { choiceOf } from './fields.ts'
import { unmarked } from './formulas.ts'
import type { Mapping, Row } from './mapping.ts'
import { type Choice, refuse } from './refusal.ts'
import { LINE_END } from './textOf.ts'

/** A row before its cells have names. */
interface Line {
  place: string
  cells: string[]
}

/** A table as one delimiter cuts it, up to the first mistake. */
interface Reading {
  /** The word of the delimiter. */
  word: string
  table: Line[]
  mistake?: string
}

/** The delimiters, by the words of `--delimiter`. */
const DELIMITERS = new Map([',', ';', '|', 'tab'].map((word) => [word, word === 'tab' ? '\t' : word]))
/** Cuts no line, because no file with it is read. */
const NEVER = '\0'
/** Number of rows that are enough to see the names of columns. */
const HEAD = 10
/** Longer names of columns are not suggested. */
const LONGEST_NAME = 100

const NO_NAMES = `The first line names no column that is known as the joke. Delete the lines above the names, or write a line of
names, such as joke,punchline, or choose columns.`

/** Reads CSV whose first line has a known name or one of `--map`. Returns `undefined` if it has none. */
export function namedCsv(text: string, mapping: Mapping, word?: string): Row[] | undefined {
  const named = wordsOf(word)
    .map((each) => read(text, each, HEAD))
    .filter(({ table }) => isNamed(table, mapping))
  const wide = named.filter(({ table: [first] }) => widthOf(first) > 1)
  if (wide.length > 1) refuse('Several delimiters give names of columns.', choiceOfDelimiter(wide))
  if (named.length === 0) return undefined
  const { table, mistake } = read(text, wide[0]?.word)
  const [first, ...lines] = table
  const names = first?.cells ?? []
  const twice = names.find((name, column) => name !== '' && names.indexOf(name) < column)
  if (twice !== undefined) refuse(`The column ${printable(twice)} is named twice. Rename one in the first line.`)
  return mistake ? refuse(mistake) : rowsOf(lines, names)
}

/**
 * Reads CSV whose columns `--map` names by number.
 *
 * @param others what the file may be instead
 */
export function numberedCsv(text: string, mapping: Mapping, word: string | undefined, others: Choice[]): Row[] {
  const isCut = ({ mistake, table }: Reading) => mistake !== undefined || table.some((line) => widthOf(line) > 1)
  const isEven = ({ mistake, table }: Reading) => !mistake && table.every((line) => widthOf(line) === widthOf(table[0]))
  // An iterator reads one table after the other, because many rows take much memory.
  const readings = wordsOf(word)
    .values()
    .map((each) => read(text, each))
  const cut = readings.filter(isCut).toArray()
  const even = cut.filter(isEven)
  const likely = even.length > 0 ? even : cut
  const [{ table, mistake } = read(text)] = likely
  if (mistake) refuse(mistake, ...others)
  if (likely.length > 0 && even.length !== 1 && word === undefined)
    refuse(NO_NAMES, choiceOfDelimiter(likely), ...others)
  const [first, second] = table
  const names = first?.cells ?? []
  const numbers = names.map((_, column) => `${column + 1}`)
  if (mapping.mapped.length > 0 && mapping.mapped.every((name) => numbers.includes(name))) return rowsOf(table, numbers)
  // A name that is a number wins over the number of a column.
  const isFree = ([number]: [string, unknown]) => !names.includes(number)
  const isShort = ([name]: [string, unknown]) => name !== '' && name.length <= LONGEST_NAME
  const columns = (keys: string[], line?: Line) =>
    keys.map((key, column): [string, unknown] => [key, line?.cells[column]])
  return refuse(
    NO_NAMES,
    choiceOf('If each row is a joke, choose its column', columns(numbers, first).filter(isFree)),
    choiceOf('If the first line names the columns, choose that of the joke', columns(names, second).filter(isShort)),
    ...others,
  )
}

const widthOf = (line: Line | undefined) => line?.cells.length ?? 0

/** Whether the first line names columns. A known letter may be a value, and so may a name that the second line repeats. */
function isNamed([first, second]: Line[], mapping: Mapping): boolean {
  const names = first?.cells ?? []
  const { joke, ...others } = mapping.namesOf(names)
  const known = [joke, ...Object.values(others)].flat()
  return (
    known.some((name) => /\w.*\w/.test(name) || joke.includes(name) || mapping.mapped.includes(name)) &&
    known.every((name) => second?.cells[names.indexOf(name)] !== name)
  )
}

function rowsOf(lines: Line[], names: string[]): Row[] {
  return lines.map(({ place, cells }) => {
    const fields = cells.map((cell, column) => [names[column] || `column ${column + 1}`, cell])
    const filled = fields.filter(([, cell]) => cell !== '')
    const isTooLong = cells.slice(names.length).some(Boolean)
    const record = Object.fromEntries(filled)
    return isTooLong ? { place, record, fault: 'It has more cells than the first line.' } : { place, record }
  })
}

function wordsOf(word?: string): string[] {
  const all = [...DELIMITERS.keys()]
  if (word !== undefined && !all.includes(word)) refuse(`--delimiter must be one of ${all.join(' ')} none.`)
  return word === undefined ? all : [word]
}

function choiceOfDelimiter(readings: Reading[]): Choice {
  const options = readings.map(({ word, table: [first, second = first] }) => {
    return [`--delimiter ${quoted(word)}`, second?.cells] as const
  })
  return { heading: 'If columns are separated, choose by what:', options }
}

/** @param to the number of rows to read, if not all */
function read(text: string, word = 'none', to = -1): Reading {
  const delimiter = DELIMITERS.get(word) ?? NEVER
  const table: Line[] = []
  let row = 1
  let line = 1
  const on_record = (cells: string[]) => {
    const place = row === line ? `row ${row}` : `line ${line}`
    if (cells.some(Boolean)) table.push({ place, cells: cells.map(unmarked) })
    row += 1
    line += cells.join(' ').split(LINE_END).length
    return null
  }
  const tolerant = { relax_column_count: true, relax_quotes: true, trim: true, record_delimiter: ['\r\n', '\n', '\r'] }
  try {
    parse(text, { ...tolerant, delimiter, to, on_record })
    return { word, table }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const mistake = `Line ${line} or above: write a quotation mark in a cell twice, as in "Say ""hi""!"`
    return { word, table, mistake }
  }
}
