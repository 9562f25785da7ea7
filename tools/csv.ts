/** Reads and writes tables: CSV, or with semicolons or tabs. If the first line names no columns, they have numbers. */
import { CsvError, parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { Joke } from '../shared/joke.ts'
import { printable } from './commandLine.ts'
import { isHeader, isName, knownAs } from './names.ts'
import { LINE_END, type Row, type Source } from './source.ts'

/**
 * Texts that a spreadsheet would calculate. An apostrophe before them prevents that. Texts that begin with apostrophes
 * before such a text get another one, so that taking it away always gives the first text.
 */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/

export function readCsv(text: string, source: Source): Row[] {
  const table = cellsOf(text, source)
  const [first = []] = table
  // A title may stand above the names.
  const headerLine = text.split(LINE_END, 10).findIndex((line) => isHeader(line.split(/[,;\t]/)))
  const isKnown = first.some((name, column) => knownAs(name) !== undefined && name !== table[1]?.[column])
  if (headerLine > 0 && !isKnown)
    source.refuse(`names its columns in line ${headerLine + 1}.`, `tail -n +${headerLine + 1}`)
  // A short text that stands in its column again is a value.
  const isAgain = (name: string, column: number) =>
    name !== '' && table.findLastIndex((row) => row[column] === name) > 0
  const isNamed = isKnown || !first.some((name, column) => !isName(name) || isAgain(name, column))
  const names = first.map((name, column) => (isNamed ? name || `column ${column + 1}` : `${column + 1}`))
  const twice = names.find((name, column) => names.indexOf(name) < column)
  if (twice !== undefined)
    source.refuse(`names the column ${printable(twice)} twice. Give one of the two another name in the first line.`)
  return table.flatMap((cells, index): Row[] => {
    if (!cells.some(Boolean) || (isNamed && index === 0)) return []
    const values = cells.map((cell) => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell))
    const record = Object.fromEntries(values.map((value, column) => [names[column], value]))
    const row = { place: `row ${index + 1}`, record }
    const reject = (fault: string) => [{ ...row, fault, line: JSON.stringify(values) }]
    const above = table[index - 1] ?? []
    if (cells.length !== names.length) return reject(`It has ${cells.length} cells instead of ${names.length}.`)
    if (above.some(Boolean) && above.length < names.length)
      return reject('It may be the end of the row above, which has too few cells.')
    const repeatsHeader = isNamed && cells.some((cell, column) => cell && cell === names[column])
    return repeatsHeader ? reject('It has the name of a column as its value.') : [row]
  })
}

export function writeCsv(jokes: Joke[]): string {
  const string = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
  // Without a byte order mark, spreadsheets read another encoding than UTF-8.
  return stringify(jokes, { columns: Object.keys(Joke.entries), header: true, bom: true, cast: { string } })
}

function cellsOf(text: string, source: Source): string[][] {
  const [firstLine = ''] = /^("[^"]*"|[^"\r\n])*/.exec(text) ?? []
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '')
  const hasTabs = source.ending === '.tsv' || unquoted.includes('\t')
  // A table of one column has no delimiter, and no tabs.
  const delimiter = hasTabs ? '\t' : ([';', ','].find((each) => unquoted.includes(each)) ?? '\t')
  const refuseMarks = (row: number): never => {
    const what = `has a quotation mark in row ${row} that does not end at the end of its cell.`
    if (hasTabs) source.refuse(what, `jq -rR 'split("\\t") | @csv'`, '.csv')
    return source.refuse(`${what} Write each quotation mark in a cell twice, as in "Say ""hi""!".`)
  }
  try {
    const tolerant = { trim: true, relax_quotes: true, relax_column_count: true }
    const rows: string[][] = parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], ...tolerant })
    // A quotation mark that was never closed may end a cell of a later row.
    const isTorn = (cell: string) => hasTabs && /\t/.test(cell) && /[\r\n]/.test(cell)
    const torn = rows.findIndex((cells) => cells.some(isTorn))
    return torn < 0 ? rows : refuseMarks(torn + 1)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return refuseMarks(Number(error.records) + 1)
  }
}
