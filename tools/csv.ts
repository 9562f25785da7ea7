/** Reads and writes tables: CSV, or with semicolons or tabs. The first line names the columns, or `--map` numbers them. */
import { CsvError, parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { Joke, type StoredJoke } from '../shared/joke.ts'
import { printable } from './commandLine.ts'
import { CHOOSE, knownAs, type Maps } from './fields.ts'
import { type Choice, isSentence, LINE_END, type Row, type Source } from './source.ts'

/**
 * Texts that a spreadsheet would calculate. An apostrophe before them prevents that. Texts that begin with apostrophes
 * before such a text get another one, so that taking it away always gives the first text.
 */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/

export function readCsv(text: string, source: Source, maps: Maps): Row[] {
  const table = cellsOf(text, source)
  const { names, rows, firstRow } = columnsOf(table, text.split(LINE_END), source, maps)
  const twice = names.find((name, column) => name !== '' && names.indexOf(name) < column)
  if (twice !== undefined)
    source.refuse(`names the column ${printable(twice)} twice. Give one of the two another name in the first line.`)
  let isTorn = false
  return rows.flatMap((cells, index): Row[] => {
    if (!cells.some(Boolean)) return []
    const values = cells.map((cell) => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell))
    const record = Object.fromEntries(values.map((value, column) => [names[column] || `column ${column + 1}`, value]))
    const faults = [
      cells.length !== names.length && `It has ${cells.length} cells instead of ${names.length}.`,
      isTorn && 'It may be the end of the row above, which has too few cells.',
      cells.some((cell, column) => cell && cell === names[column]) && 'It has the name of a column as its value.',
    ]
    isTorn = cells.length < names.length
    const place = `row ${index + firstRow}`
    const fault = faults.find((each) => each !== false)
    return [fault ? { place, record: {}, fault, line: JSON.stringify(values) } : { place, record }]
  })
}

export function writeCsv(jokes: StoredJoke[]): string {
  const string = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
  // Without a byte order mark, spreadsheets read another encoding than UTF-8.
  return stringify(jokes, { columns: Object.keys(Joke.entries), header: true, bom: true, cast: { string } })
}

/** Finds the names of the columns. @throws {CannotContinue} if neither the first line nor `--map` names them */
function columnsOf(table: string[][], lines: string[], source: Source, maps: Maps) {
  const [first = [], ...rest] = table
  const names = first.map((name) => name.trim())
  const numbers = names.map((_, column) => `${column + 1}`)
  const mapped = [...maps.keys()]
  const areNumbers = mapped.length > 0 && mapped.every((name) => /^[1-9]\d*$/.test(name))
  const areMapped = mapped.length > 0 && mapped.every((name) => names.includes(name))
  const isNamed = isHeader(names, rest[0])
  if (areMapped && (!areNumbers || names.every(isName))) return { names, rows: rest, firstRow: 2 }
  const choicesOf = (all: string[], values: string[] = []): Choice[] =>
    all.flatMap((name, column): Choice[] =>
      isSentence(values[column]) && name !== '' ? [{ name, field: 'joke', sample: values[column] }] : [],
    )
  if (areNumbers) {
    const looksNamed = mapped.some((name) => maps.get(name) === 'joke' && !isSentence(first[Number(name) - 1]))
    if (isNamed || (looksNamed && names.every(isName)))
      source.offer('names its columns in the first line, so write names instead of numbers:', choicesOf(names, rest[0]))
    const missing = mapped.find((name) => !numbers.includes(name))
    if (missing !== undefined) source.refuse(`has no column ${missing}, but ${first.length} of them. Correct --map.`)
    return { names: numbers, rows: table, firstRow: 1 }
  }
  if (isNamed) return { names, rows: rest, firstRow: 2 }
  // Titles may stand above the names.
  const below = lines.slice(0, 10).findIndex((line) => isHeader(line.split(/[,;\t]/)))
  if (below > 0) source.convert(`names its columns in line ${below + 1}.`, `tail -n +${below + 1}`)
  const found = `has no column that is known as the joke in its first line. ${CHOOSE}`
  if (names.every(isName) && choicesOf(names, rest[0]).length > 0) source.offer(found, choicesOf(names, rest[0]))
  if (choicesOf(numbers, first).length > 0 && names.length > 1) source.offer(found, choicesOf(numbers, first))
  return source.refuse(
    'has no names of columns in its first line. If each line is a joke, write this line above them: joke\nIf a line has several columns, name them in that line, such as joke,punchline.',
  )
}

/** Whether a line names columns: it has a known name, which the next line does not repeat, and no texts. */
function isHeader(cells: string[], next: string[] = []): boolean {
  const names = cells.map((name) => name.trim())
  const known = names.filter((name) => knownAs(name) !== undefined)
  return known.length > 0 && names.every(isName) && known.every((name) => next[names.indexOf(name)] !== name)
}

/** Whether a text is short enough to name a column, and no sentence. An index may have no name. */
function isName(text: string): boolean {
  return text.length <= 40 && !/[.?!…。？！]\W*$/u.test(text) && text.split(/\s+/).length <= 4
}

function cellsOf(text: string, source: Source): string[][] {
  const [firstLine = ''] = /^("[^"]*"|[^"\r\n])*/.exec(text) ?? []
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '')
  const found = source.ending === '.tsv' ? ['\t'] : [',', ';', '\t'].filter((each) => unquoted.includes(each))
  if (found.length > 1)
    source.refuse('mixes delimiters in its first line. Write names above it with only one, such as joke;punchline.')
  if (found.length === 0 && unquoted.includes('|'))
    source.convert('has its columns between pipes.', `jq -rR 'split("|") | @csv'`, '.csv')
  // A table of one column has no delimiter, and no tabs.
  const [delimiter = '\t'] = found
  const refuseMarks = (line: number): never => {
    const what = `has a quotation mark on line ${line} or above that does not end before the end of its cell.`
    if (delimiter === '\t') source.convert(what, `jq -rR 'split("\\t") | @csv'`, '.csv')
    return source.refuse(`${what} Write each quotation mark in a cell twice, as in "Say ""hi""!".`)
  }
  const on_record = (cells: string[], { lines }: { lines: number }) => {
    if (cells.some((cell) => isSwallowing(cell, text, delimiter))) refuseMarks(lines)
    return cells
  }
  const tolerant = { ltrim: true, relax_quotes: true, relax_column_count: true }
  try {
    return parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], ...tolerant, on_record })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return refuseMarks(Number(error.lines))
  }
}

/** Whether a cell has taken in following lines, because its quotation mark was never closed or closes elsewhere. */
function isSwallowing(cell: string, text: string, delimiter: string): boolean {
  if (!/[\r\n]/.test(cell)) return false
  if (delimiter === '\t' && cell.includes('\t')) return true
  return cell.startsWith('"') && !text.includes(`"${cell.replaceAll('"', '""')}"`)
}
