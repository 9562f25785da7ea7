/** Reads the rows of JSON, JSON Lines and tables. Other files are refused, because their jokes would have to be guessed. */
import { extname } from 'node:path'
import { CsvError, parse } from 'csv-parse/sync'
import { messageOf } from '../infra/local/causes.ts'
import { printable } from './commandLine.ts'
import { refuse } from './files.ts'
import { knownAs } from './names.ts'

/** A joke in a file: its place, such as `item 2`, `line 3` or `row 4`, and its fields. */
export interface Row {
  place: string
  record: Record<string, unknown>
  fault?: string
  line?: string
  unknownCategory?: string
}

/** Texts that a spreadsheet would calculate, or that begin with the apostrophes that prevent it. Each gets another one. */
export const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/
const LINE_END = /\r\n|\n|\r/
export const SEE_RECIPES = 'docs/import.md shows how to convert it.'

/** Without an ending, as on standard input, a text is JSON if it begins so, and otherwise CSV. */
export function readRows(file: string, text: string): Row[] {
  const ending = extname(file).toLowerCase()
  if (!['', '.json', '.jsonl', '.csv', '.tsv'].includes(ending))
    refuse(file, `isn't .json, .jsonl, .csv or .tsv. ${SEE_RECIPES}`)
  if (/^\.[ct]sv$/.test(ending) || (!ending && !/^\s*[[{]/.test(text))) return readTable(file, text, ending === '.tsv')
  const { value, fault } = parsed(text)
  if (ending === '.jsonl' || (!ending && fault)) return readLines(text)
  if (fault) refuse(file, `isn't JSON: ${fault}. If it has an object on each line, its name must end in .jsonl.`)
  return listIn(value).map((item, index) => rowOf(`item ${index + 1}`, item))
}

export function readLines(text: string): Row[] {
  return text.split(LINE_END).flatMap((line, index): Row[] => {
    if (/^\s*(#|$)/.test(line)) return []
    const place = `line ${index + 1}`
    const { value, fault } = parsed(line)
    return [fault ? { place, record: {}, line, fault: `It isn't JSON: ${fault}.` } : rowOf(place, value)]
  })
}

/** Returns an array, or the only array in an object if it holds objects. Any other value is a row by itself. */
function listIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (!isObject(value) || Object.keys(value).some((name) => /joke|punchline/.test(knownAs(name) ?? ''))) return [value]
  const [list, ...others] = Object.values(value).filter(Array.isArray)
  return others.length === 0 && list?.some(isObject) ? list : [value]
}

function rowOf(place: string, value: unknown): Row {
  if (typeof value === 'string') return { place, record: { joke: value } }
  if (isObject(value)) return { place, record: value }
  return { place, record: {}, line: JSON.stringify(value), fault: 'It is no object.' }
}

function parsed(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: printable(messageOf(error)) }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readTable(file: string, text: string, isTsv: boolean): Row[] {
  // The library would need gigabytes.
  const long = text.split(LINE_END).findIndex((line) => line.length > 1_000_000)
  if (long >= 0) refuse(file, `has more than 1,000,000 characters in line ${long + 1}.`)
  const start = text.slice(0, 10_000).replaceAll(/"[^"]*"/g, '')
  const [firstLine = ''] = start.split(LINE_END, 1)
  // A table of one column has no delimiter, and no tabs.
  const delimiter = (!isTsv && ['\t', ';', ','].find((each) => firstLine.includes(each))) || '\t'
  const [header = [], ...table] = cellsOf(file, text, delimiter)
  const names = header.map((name, column) => name || `column ${column + 1}`)
  if (names.length === 1 && knownAs(`${names[0]}`) !== 'joke')
    refuse(file, `has one column, which must be named “joke” in the first line. ${SEE_RECIPES}`)
  const seen = new Set<string>()
  const twice = names.find((name) => seen.size === seen.add(name).size)
  if (twice !== undefined) refuse(file, `names the column ${printable(twice, 60)} twice. Rename one of the two.`)
  return table.flatMap((cells, index): Row[] => {
    if (!cells.some(Boolean)) return []
    const place = `row ${index + 2}`
    const reject = (fault: string) => [{ place, record: {}, line: JSON.stringify(cells), fault }]
    const above = table[index - 1] ?? []
    const isLong = cells.slice(names.length).some(Boolean)
    if (isLong || cells.length < names.length) return reject(`It has ${cells.length} cells, not ${names.length}.`)
    if (above.some(Boolean) && above.length < names.length) return reject('The row above has too few cells.')
    // Many programs that write tabs write quotation marks as they are.
    if (delimiter === '\t' && cells.some((cell) => /\t/.test(cell))) return reject('Quotation marks enclose a tab.')
    const values = cells.map((cell) => (FORMULA.test(cell) ? cell.replace(/^'/, '') : cell))
    return [{ place, record: Object.fromEntries(names.map((name, column) => [name, values[column]])) }]
  })
}

function cellsOf(file: string, text: string, delimiter: string): string[][] {
  try {
    return parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], trim: true, relax_column_count: true })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const advice = delimiter === '\t' ? SEE_RECIPES : 'In a cell, write it twice, as in "Say ""hi""!".'
    return refuse(file, `has a wrong quotation mark in row ${Number(error.records) + 1}. ${advice}`)
  }
}
