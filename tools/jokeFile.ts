/** Files of jokes: JSON, JSON Lines, or CSV. */
import { isUtf8 } from 'node:buffer'
import { CsvError, type Options, parse } from 'csv-parse/sync'
import { CannotContinue, WrongUsage } from './commandLine.ts'
import { findJsonJokes } from './jsonJokes.ts'
import { type Mapping, nameOf, printable } from './mapping.ts'

/** A joke in a file, well-formed or not. */
export interface FileEntry {
  /** Such as `line 3`, or in JSON, where a line may have several, `joke 2, line 3`. */
  label: string
  /** On one line. */
  json: string
  /** Why it is rejected, if that is known already. */
  fault?: string | undefined
}

/**
 * Finds the jokes of a file, while the caller iterates.
 *
 * @throws {CannotContinue} if the file as a whole cannot be read, with what to do about it
 */
export function entriesOf(file: Buffer, mapping: Mapping): Iterable<FileEntry> {
  const bytes = toUtf8(file)
  if (JSON_OR_EMPTY.test(bytes.toString('latin1'))) return jsonEntriesOf(bytes, mapping)
  const isJoke = (cell: string) => nameOf(cell, mapping) === 'joke'
  // Excel reads such a line, and other programs write it.
  const [separatorLine = '', separator] = /^sep=(.)\r?\n/i.exec(bytes.toString('latin1', 0, 7)) ?? []
  const rows = bytes.subarray(separatorLine.length)
  const delimiter = [separator ?? ',', ';', '\t'].find((each) => firstRow(rows, each)?.some(isJoke))
  if (delimiter !== undefined) return csvEntriesOf(rows, delimiter, separator === undefined ? 1 : 2, mapping)
  throw new WrongUsage('The file is neither JSON nor CSV whose first line names a column joke. --map translates names.')
}

/** Comments, which begin with `#`, may come first. */
const JSON_OR_EMPTY = /^(?:\s|#.*\n)*(?:[[{]|$)/

/** By how they begin, in Latin-1. */
const OTHER_FILES: [start: string, advice: string][] = [
  [
    'PK\x03\x04',
    'a spreadsheet (.xlsx, .ods) or a ZIP archive. Save the sheet as CSV in UTF-8, or unpack the archive.',
  ],
  ['\xD0\xCF\x11\xE0', 'a spreadsheet (.xls). Save it as CSV in UTF-8.'],
  ['\x1F\x8B', 'compressed (gzip). Unpack it first.'],
]

function toUtf8(file: Buffer): Buffer {
  const start = file.toString('latin1', 0, 4)
  const other = OTHER_FILES.find(([each]) => start.startsWith(each))
  if (other) throw new CannotContinue(`The file is ${other[1]}`)
  // Without a mark, one of the first two bytes is 0: all that these files begin with is ASCII.
  const isLittleEndian = /^(\xFF\xFE|[^\0]\0)/.test(start)
  if (isLittleEndian || /^(\xFE\xFF|\0)/.test(start))
    return Buffer.from(new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be').decode(file))
  if (isUtf8(file)) return file.subarray(start.startsWith('\xEF\xBB\xBF') ? 3 : 0)
  const valid = file.toString().split('\uFFFD', 1).join('')
  const line = valid.split(/\r\n|\n|\r/).length
  throw new CannotContinue(
    `The file is not in UTF-8: see line ${line}. Save it in this encoding, as "CSV UTF-8" in Excel. Nothing was imported.`,
  )
}

function* jsonEntriesOf(bytes: Buffer, mapping: Mapping): Generator<FileEntry> {
  const isJoke = (value: object) => Object.keys(value).some((key) => nameOf(key, mapping) === 'joke')
  let number = 1
  for (const { line, json, fault } of findJsonJokes(bytes, isJoke))
    yield { label: `joke ${number++}${line ? `, line ${line}` : ''}`, json, fault }
}

/** Leaves out empty cells. Those beyond the header get names of their own, which the service rejects. */
function* csvEntriesOf(bytes: Buffer, delimiter: string, line: number, mapping: Mapping): Generator<FileEntry> {
  let columns: string[] | undefined
  for (const { cells, lines, fault } of rowsOf(bytes, delimiter)) {
    const joke = cells.flatMap((cell, index) => (cell ? [[columns?.[index] || `column ${index + 1}`, cell]] : []))
    const json = JSON.stringify(Object.fromEntries(joke))
    if (columns === undefined) refuseTwice(cells, mapping)
    else if (joke.length > 0) yield { label: `line ${line}`, json, fault }
    columns ??= cells
    line += lines
  }
}

function refuseTwice(columns: string[], mapping: Mapping): void {
  const names = columns.map((column) => column.trim().toLowerCase())
  const twice = columns.find((column, index) => names.indexOf(names[index] ?? '') < index && nameOf(column, mapping))
  if (twice) throw new CannotContinue(`Two columns are named ${printable(twice.trim())}. Rename or delete one of them.`)
}

interface Row {
  cells: string[]
  /** How many line ends it has. */
  lines: number
  fault?: string
}

const CSV: Options = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true }

function firstRow(bytes: Buffer, delimiter: string): string[] | undefined {
  const [row] = parse(bytes, { ...CSV, delimiter, relax_quotes: true, skip_records_with_error: true, to: 1 })
  return row
}

/** Reads rows up to the first unclear quotation mark, then its line alone, and so on: no quotation mark swallows rows. */
function* rowsOf(bytes: Buffer, delimiter: string): Generator<Row> {
  const text = bytes.toString('latin1')
  const line = /[^\r\n]*(?:\r\n|\n|\r|$)/y
  for (let start = 0; start < bytes.length; ) {
    const rows: Row[] = []
    const first = start
    try {
      const add = (cells: string[], info: { bytes: number }) => {
        rows.push({ cells, lines: countLines(text.slice(start, first + info.bytes)) })
        start = first + info.bytes
        return null
      }
      parse(bytes.subarray(start), { ...CSV, delimiter, on_record: add })
      start = bytes.length
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
    }
    yield* rows
    line.lastIndex = start
    const [broken = ''] = line.exec(text) ?? []
    if (broken !== '') yield readLine(bytes.subarray(start, start + broken.length), delimiter)
    start += broken.length
  }
}

/** Reads a line that may have quotation marks inside cells without quotes. */
function readLine(line: Buffer, delimiter: string): Row {
  const text = line.toString()
  const cells = firstRow(line, delimiter)
  // The parser returns a cell as it is if it only begins with a quotation mark.
  const isProper = (cell: string) => !cell.startsWith('"') || text.includes(`"${cell.replaceAll('"', '""')}"`)
  if (cells?.every(isProper) && text.split('"').length % 2 === 1) return { cells, lines: countLines(text) }
  const fault = 'Its quotation marks are not paired as in CSV.'
  return { cells: text.replace(/[\r\n]+$/, '').split(delimiter), lines: countLines(text), fault }
}

function countLines(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}
