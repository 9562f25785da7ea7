/** Files of jokes: JSON, JSON Lines, or CSV. */
import { CsvError, type Options, parse } from 'csv-parse/sync'
import { CannotContinue, printable, WrongUsage } from './commandLine.ts'
import { findJsonJokes } from './jsonJokes.ts'
import { type Mapping, nameOf } from './mapping.ts'

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
  const text = textOf(file)
  const isJoke = (name: string) => nameOf(name, mapping) === 'joke'
  if (JSON_OR_EMPTY.test(text))
    return findJsonJokes(text, isJoke).map((joke, index) => ({
      ...joke,
      label: `joke ${index + 1}, line ${joke.line}`,
    }))
  // Excel reads such a line, and other programs write it.
  const [separatorLine = '', separator] = /^sep=(.)\r?\n/i.exec(text) ?? []
  const rows = Buffer.from(text.slice(separatorLine.length))
  const delimiter = [separator ?? ',', ';', '\t'].find((each) => firstRow(rows, each)?.some(isJoke))
  if (delimiter !== undefined) return csvEntriesOf(rows, delimiter, separator === undefined ? 1 : 2, mapping)
  throw new WrongUsage('The file is neither JSON nor CSV whose first line names a column joke. --map translates names.')
}

/** Comments, which begin with `#`, may come first. */
const JSON_OR_EMPTY = /^(?:\s|#[^\n]*\n)*(?:[[{]|$)/

/** How spreadsheets (.xlsx, .ods, .xls) and archives begin, in Latin-1. */
const OTHER_FILES = ['PK\x03\x04', '\xD0\xCF\x11\xE0', '\x1F\x8B']

function textOf(file: Buffer): string {
  const start = file.toString('latin1', 0, 4)
  if (OTHER_FILES.some((each) => start.startsWith(each)))
    throw new CannotContinue(
      'The file is a spreadsheet or an archive. Save the sheet as CSV in UTF-8, or unpack the archive.',
    )
  // Without a mark, one of the first two bytes is 0: all that these files begin with is ASCII.
  const isBigEndian = /^(\xFE\xFF|\0)/.test(start)
  const encoding = isBigEndian ? 'utf-16be' : /^(\xFF\xFE|[^\0]\0)/.test(start) ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(file)
  } catch {
    const [valid = ''] = new TextDecoder(encoding).decode(file).split('\uFFFD', 1)
    throw new CannotContinue(
      `The file is not in UTF-8: see line ${countLines(valid) + 1}. Save it in this encoding, as "CSV UTF-8" in Excel. Nothing was imported.`,
    )
  }
}

/** Leaves out empty cells. Those beyond the header get names of their own, which the service rejects. */
function* csvEntriesOf(bytes: Buffer, delimiter: string, line: number, mapping: Mapping): Generator<FileEntry> {
  let columns: string[] | undefined
  for (const { cells, lines, fault } of rowsOf(bytes, delimiter)) {
    const joke = cells.flatMap((cell, index) => (cell ? [[columns?.[index] || `column ${index + 1}`, cell]] : []))
    const json = JSON.stringify(Object.fromEntries(joke))
    if (columns && joke.length > 0) yield { label: `line ${line}`, json, fault }
    columns ??= eachOnce(cells, mapping)
    line += lines
  }
}

function eachOnce(columns: string[], mapping: Mapping): string[] {
  const names = columns.map((column) => column.trim().toLowerCase())
  const twice = columns.find((column, index) => names.indexOf(names[index] ?? '') < index && nameOf(column, mapping))
  if (twice) throw new CannotContinue(`Two columns are named ${printable(twice.trim())}. Rename or delete one of them.`)
  return columns
}

const CSV: Options = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true, relax_quotes: true }

function firstRow(bytes: Buffer, delimiter: string): string[] | undefined {
  const [row] = parse(bytes, { ...CSV, delimiter, skip_records_with_error: true, to: 1 })
  return row
}

/** Reads rows up to the first unclear quotation mark, then its line alone, and so on: no quotation mark swallows rows. */
function* rowsOf(bytes: Buffer, delimiter: string): Generator<{ cells: string[]; lines: number; fault?: string }> {
  const latin1 = bytes.toString('latin1')
  const line = /[^\r\n]*(?:\r\n|\n|\r|$)/y
  for (let start = 0; start < bytes.length; start = line.lastIndex) {
    const rows: { cells: string[]; lines: number }[] = []
    const first = start
    const add = (cells: string[], info: { bytes: number }) => {
      const text = bytes.toString('utf8', start, first + info.bytes)
      // The parser returns a cell as it is if it only begins with a quotation mark.
      const isClear = (cell: string) => !cell.startsWith('"') || text.includes(`"${cell.replaceAll('"', '""')}"`)
      if (!cells.every(isClear) || text.split('"').length % 2 === 0) throw new Unclear()
      rows.push({ cells, lines: countLines(text) })
      start = first + info.bytes
      return null
    }
    try {
      parse(bytes.subarray(start), { ...CSV, delimiter, on_record: add })
      start = bytes.length
    } catch (error) {
      if (!(error instanceof CsvError || error instanceof Unclear)) throw error
    }
    yield* rows
    line.lastIndex = start
    const [text = ''] = line.exec(latin1) ?? []
    const cells = Buffer.from(text, 'latin1').toString().trimEnd().split(delimiter)
    if (text !== '') yield { cells, lines: countLines(text), fault: 'Its quotation marks are not paired as in CSV.' }
  }
}

class Unclear extends Error {}

function countLines(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}
