/** Reads tables: CSV with one of four delimiters, and lists of lists in JSON. */
import { CsvError, parse } from 'csv-parse/sync'
import { printable, quoted } from './commandLine.ts'
import { unmarked } from './formulas.ts'
import type { Mapping, Row } from './mapping.ts'
import { type Choice, refuse } from './refusal.ts'
import { LINE_END } from './textOf.ts'

/** A row before its cells have names. */
interface Line {
  place: string
  cells: unknown[]
}

/** A table as one delimiter cuts it. */
interface Reading {
  /** Chooses the delimiter, if it is uncertain. */
  option: string
  delimiter: string
  table: Line[]
  mistake?: string
}

/** The delimiters, by the words of `--delimiter`. */
const DELIMITERS = { ',': ',', ';': ';', '|': '|', tab: '\t' }
/** Cuts no line, because no file with it is read. */
const NEVER = '\0'
/** Number of rows among which names of columns are looked for. */
const HEAD = 10
/** Longer names of columns are not suggested. */
const LONGEST_NAME = 100

/** Reads CSV whose first line names the joke. Returns `undefined` if it does not. */
export function namedCsv(text: string, mapping: Mapping, word?: string): Row[] | undefined {
  const named = readingsOf(text, word, HEAD)
    .filter(({ table }) => isNamed(table, mapping))
    .toArray()
  const wide = named.filter(({ table: [first] }) => widthOf(first) > 1)
  const options = wide.map(({ option, table: [first] }) => [option, first?.cells[0]] as const)
  if (wide.length > 1) refuse('Several delimiters give names of columns.', { heading: 'Choose one:', options })
  return named.length > 0 ? namedRows(read(text, wide[0]?.delimiter ?? NEVER)) : undefined
}

/**
 * Reads CSV whose columns `--map` names by number.
 *
 * @param others what the file may be instead
 * @param sentence what it probably is
 */
export function numberedCsv(
  text: string,
  mapping: Mapping,
  word: string | undefined,
  others: Choice[],
  sentence?: string,
) {
  const hasNames = (line: Line) => mapping.namesOf(namesIn(line)).joke.some((name) => !mapping.mapped.includes(name))
  const untitled = readingsOf(text, word, HEAD).filter(({ table: [first] }) => !sentence && first && !hasNames(first))
  const lower = untitled.flatMap(({ table }) => table.slice(1)).find(hasNames)
  if (lower)
    refuse(`The first line names no columns, but ${lower.place} does. Delete the lines above it.
If it is no line of names, write one above the first line, such as joke,punchline.`)
  const isCut = ({ mistake, table }: Reading) => mistake !== undefined || table.some((line) => widthOf(line) > 1)
  const cut = readingsOf(text, word).filter(isCut).toArray()
  const isEven = ({ mistake, table }: Reading) => !mistake && table.every((line) => widthOf(line) === widthOf(table[0]))
  const even = cut.filter(isEven)
  const mistake = cut.find(({ mistake }) => mistake)?.mistake
  if (mistake && even.length === 0) refuse(sentence ?? mistake, ...others)
  const likely = even.length > 0 ? even : cut
  const isCertain = likely.length === 0 || even.length === 1 || word !== undefined
  const certain = { ...(likely[0] ?? read(text, NEVER)), option: '' }
  return numberedRows(isCertain ? [certain] : likely, mapping, others, sentence)
}

/** Reads a list of lists. Returns `undefined` if some items are no lists. */
export function rowsOfLists(items: unknown[], mapping: Mapping): Row[] | undefined {
  const table = items.flatMap((cells, index) => (Array.isArray(cells) ? { place: `row ${index + 1}`, cells } : []))
  if (table.length === 0 || table.length < items.length) return undefined
  const reading = { option: '', delimiter: NEVER, table }
  return isNamed(table, mapping) ? namedRows(reading) : numberedRows([reading], mapping, [])
}

const widthOf = (line: Line | undefined) => line?.cells.length ?? 0

function namesIn(line: Line | undefined): string[] {
  return line?.cells.map((cell) => (typeof cell === 'object' ? '' : `${cell}`)) ?? []
}

/** Returns the known names in the first line. If the second line repeats one, they are values. */
function knownIn([first, second]: Line[], mapping: Mapping): string[] {
  const names = namesIn(first)
  const known = Object.values(mapping.namesOf(names)).flat()
  return known.some((name) => second?.cells[names.indexOf(name)] === name) ? [] : known
}

/** Whether the first line names the joke, or has a name of `--map`. */
function isNamed(table: Line[], mapping: Mapping): boolean {
  const known = knownIn(table, mapping)
  return mapping.namesOf(known).joke.length > 0 || known.some((name) => mapping.mapped.includes(name))
}

function namedRows({ table: [first, ...others], mistake }: Reading): Row[] {
  const names = namesIn(first)
  const twice = names.find((name, column) => name !== '' && names.indexOf(name) < column)
  if (twice !== undefined) refuse(`The column ${printable(twice)} is named twice. Rename one in the first line.`)
  return mistake ? refuse(mistake) : rowsOf(others, names)
}

/** @param readings one that is certain, or several that options choose from */
function numberedRows(readings: Reading[], mapping: Mapping, others: Choice[], sentence?: string): Row[] {
  const all = readings.flatMap(({ table: [first] }) => namesIn(first))
  const columns = readings.flatMap(({ option, table: [first, second] }) =>
    namesIn(first).map((name, column) => {
      // A name that is a number wins over a number, so that number is written in another way.
      let number = `${column + 1}`
      while (all.includes(number)) number = `0${number}`
      return { option, name, number, values: [first?.cells[column], second?.cells[column]] }
    }),
  )
  const numbers = mapping.mapped.filter((name) => /^\d+$/.test(name))
  const names = columns.map(({ number }) => numbers.find((each) => Number(each) === Number(number)) ?? number)
  const isCertain =
    numbers.length > 0 && numbers.length === mapping.mapped.length && numbers.every((number) => names.includes(number))
  // Names of one letter may be values.
  const areNames = readings.some(({ table }) => knownIn(table, mapping).some((name) => name.length > 1))
  const [reading] = readings
  if (reading?.option === '' && isCertain && !areNames) return rowsOf(reading.table, names)
  const perhaps = 'choose its column, and perhaps others as =punchline and =category:'
  return refuse(
    sentence ?? 'The first line names no column that is known as the joke.',
    {
      heading: `If each row is a joke, ${perhaps}`,
      options: areNames
        ? []
        : columns.map(({ option, number, values }) => [`${option}--map ${number}=joke`, values[0]]),
    },
    {
      heading: `If the first line names the columns, ${perhaps}`,
      options: columns
        .filter(({ name }) => name && name.length <= LONGEST_NAME)
        .map(({ option, name, values }) => [`${option}--map ${quoted(`${name}=joke`)}`, values[1]]),
    },
    ...others,
  )
}

function rowsOf(lines: Line[], names: string[]): Row[] {
  return lines.map(({ place, cells }) => {
    const fields = cells.map((cell, column) => [names[column] || `column ${column + 1}`, cell] as const)
    const record = Object.fromEntries(fields.filter(([, cell], column) => cell !== '' || names[column]))
    const isTooLong = cells.slice(names.length).some((cell) => cell !== '')
    return isTooLong ? { place, record, fault: 'It has more cells than the first line.' } : { place, record }
  })
}

/** Reads CSV with each delimiter, one after the other, because many rows take much memory. */
function readingsOf(text: string, word?: string, to?: number): IteratorObject<Reading> {
  const delimiters = Object.entries(DELIMITERS).filter(([each]) => word === undefined || word === each)
  if (delimiters.length === 0) refuse(`--delimiter must be one of ${Object.keys(DELIMITERS).join(' ')} none.`)
  return delimiters.values().map(([each, delimiter]) => {
    return { ...read(text, delimiter, to), option: `--delimiter ${quoted(each)} ` }
  })
}

/** Reads CSV up to the first mistake. @param to the number of rows to read, if not all */
function read(text: string, delimiter: string, to = -1): Reading {
  const table: Line[] = []
  // Spreadsheets understand a first line such as `sep=;`.
  let line = /^sep=.[\r\n]/i.test(text) ? 2 : 1
  let row = line
  const on_record = (cells: string[]) => {
    const place = row === line ? `row ${row}` : `line ${line}`
    if (cells.some(Boolean)) table.push({ place, cells: cells.map(unmarked) })
    row += 1
    line += cells.join(' ').split(LINE_END).length
    return null
  }
  const tolerant = { relax_column_count: true, relax_quotes: true, trim: true, record_delimiter: ['\r\n', '\n', '\r'] }
  try {
    parse(text, { ...tolerant, delimiter, to, from_line: line, on_record })
    return { option: '', delimiter, table }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const mistake = `Line ${line} or above: write a quotation mark in a cell twice, as in "Say ""hi""!"`
    return { option: '', delimiter, table, mistake }
  }
}
