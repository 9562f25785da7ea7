/** Reads files of jokes: JSON, JSON Lines, or CSV. */
import { extname } from 'node:path'
import { CsvError, type Options, parse } from 'csv-parse/sync'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { CannotContinue, printable } from './commandLine.ts'
import { type Mapping, nameOf } from './mapping.ts'

/** A joke in a file, well-formed or not. */
export interface FileEntry {
  /** Place of the joke, such as `line 3`, or `joke 2, line 3` in JSON, where a line may have several jokes. */
  label: string
  /** Text of the joke as JSON, on one line. */
  json: string
  /** Reason for rejecting the joke, if reading the file has found one. */
  fault?: string | undefined
}

/**
 * Finds the jokes of a file. The ending of its name selects JSON or JSON Lines. With another ending, the first
 * character selects the format.
 *
 * @throws {CannotContinue} if the file as a whole cannot be read. The message says what to do about it
 */
export function entriesOf(file: Buffer, name: string, mapping: Mapping): Iterable<FileEntry> {
  const text = textOf(file)
  const start = /^(?:\s|#[^\n]*\n)*([[{]|$)/.exec(text)?.[1]
  const byStart = start === undefined ? csvOf : start === '[' ? jsonOf : linesOf
  const read = FORMATS[extname(name).toLowerCase()] ?? byStart
  if (read !== linesOf && text.trim() === '') throw new CannotContinue('The file is empty.')
  return read(text, mapping)
}

const FORMATS: Record<string, (text: string, mapping: Mapping) => Iterable<FileEntry>> = {
  '.json': jsonOf,
  '.jsonl': linesOf,
  '.ndjson': linesOf,
  '.csv': csvOf,
}

/** Reads JSON Lines. A line that begins with `#` is a comment. */
function linesOf(text: string): FileEntry[] {
  const lines = text.split(LINE_END).map((line, index) => ({ label: `line ${index + 1}`, json: line.trim() }))
  return lines.filter(({ json }) => json !== '' && !json.startsWith('#'))
}

/** Parsed JSON takes twenty times its size in memory. */
const MAX_JSON_LENGTH = 50_000_000
const TO_LINES =
  'Write each joke on a line of its own, without anything around or between them, in a file named .jsonl.'

function jsonOf(text: string): FileEntry[] {
  if (text.length > MAX_JSON_LENGTH)
    throw new CannotContinue(
      `A file of JSON may have at most ${MAX_JSON_LENGTH.toLocaleString('en')} characters. ${TO_LINES}`,
    )
  const errors: ParseError[] = []
  const root = treeOf(text, errors)
  if (errors[0]) throw syntaxError(text, errors[0])
  let line = 1
  return jokesIn(root).map(({ offset, length }, index, jokes) => {
    line += countLines(text.slice(jokes[index - 1]?.offset ?? 0, offset))
    const json = text.slice(offset, offset + length).replaceAll(/[\r\n]\s*/g, ' ')
    return { label: `joke ${index + 1}, line ${line}`, json }
  })
}

function treeOf(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true })
  } catch (error) {
    throw error instanceof RangeError ? new CannotContinue('The file has too many levels.') : error
  }
}

/** Returns the elements of the only array. */
function jokesIn(root: Node | undefined): Node[] {
  const children = root?.children ?? []
  if (root?.type === 'array') return children
  const arrays = children.filter(({ children: [, value] = [] }) => value?.type === 'array')
  const [only, other] = arrays.map(({ children: [, value] = [] }) => value?.children ?? [])
  if (only && !other) return only
  const names = arrays.map(({ children: [name] = [] }) => name?.value).join(', ')
  throw new CannotContinue(
    `JSON must be an array of jokes, or an object with one array of jokes. This has ${other ? `the arrays ${printable(names)}` : 'no array'}.`,
  )
}

function syntaxError(text: string, { error, offset }: ParseError): CannotContinue {
  const lines = text.slice(0, offset).split(LINE_END)
  const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`
  const reason = printParseErrorCode(error)
  if (reason === 'EndOfFileExpected')
    return new CannotContinue(`The file has more than one JSON document: see ${place}. ${TO_LINES}`)
  const words = reason.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return new CannotContinue(`The file is not JSON. ${words} at ${place}. Nothing was imported.`)
}

function csvOf(text: string, mapping: Mapping): Iterable<FileEntry> {
  // Some programs write such a line for Excel, which reads it.
  const [separatorLine = '', separator] = /^sep=(.)\r?\n/i.exec(text) ?? []
  const rows = Buffer.from(text.slice(separatorLine.length))
  const heads = [separator ?? ',', ';', '\t'].map((delimiter) => ({ delimiter, names: firstRow(rows, delimiter) }))
  const found = heads.find(({ names }) => names.some((name) => nameOf(name, mapping) === 'joke'))
  if (found) return csvEntriesOf(rows, found.delimiter, separator === undefined ? 1 : 2, mapping)
  const { names } = heads.reduce((one, other) => (other.names.length > one.names.length ? other : one))
  if (names.join('').trim() === '')
    throw new CannotContinue('The first line is empty. It must name the columns, as in joke,punchline,category.')
  const columns = printable(names.join(', ')).slice(0, 500)
  throw new CannotContinue(
    `No column is named joke. The columns are: ${columns}. Say which one is the joke, as in --map ${columns.split(',', 1)}=joke.`,
  )
}

/** First bytes of spreadsheets (.xlsx, .ods, .xls) and archives, in Latin-1. */
const OTHER_FILES = ['PK\x03\x04', '\xD0\xCF\x11\xE0', '\x1F\x8B']

/** Node.js cannot hold longer strings. */
const MAX_BYTES = 500_000_000

function textOf(file: Buffer): string {
  if (file.length > MAX_BYTES) throw new CannotContinue('A file may have at most 500 MB. Split it.')
  const start = file.toString('latin1', 0, 4)
  if (OTHER_FILES.some((each) => start.startsWith(each)))
    throw new CannotContinue(
      'The file is a spreadsheet or an archive. Save the sheet as CSV in UTF-8, or unpack the archive.',
    )
  if (/^(..)?\0\0/s.test(start)) throw new CannotContinue('The file is in UTF-32. Save it in UTF-8.')
  // These files begin with ASCII. So in UTF-16 without a mark, one of the first two bytes is 0.
  const isBigEndian = /^(\xFE\xFF|\0)/.test(start)
  const encoding = isBigEndian ? 'utf-16be' : /^(\xFF\xFE|[^\0]\0)/.test(start) ? 'utf-16le' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(file)
  } catch {
    const [valid = ''] = new TextDecoder(encoding).decode(file).split('\uFFFD', 1)
    throw new CannotContinue(
      `The file is ${encoding === 'utf-8' ? 'not in UTF-8' : 'in UTF-16, but broken'}: see line ${countLines(valid) + 1}. Save it in UTF-8, as "CSV UTF-8" in Excel. Nothing was imported.`,
    )
  }
}

/** Leaves out empty cells. Cells beyond the header get names of their own, which the service rejects. */
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

function firstRow(bytes: Buffer, delimiter: string): string[] {
  const [row = []] = parse(bytes, { ...CSV, delimiter, skip_records_with_error: true, to: 1 })
  return row
}

/**
 * Reads rows up to the first unclear quotation mark. Makes its line a row with a fault, and reads on from the next line, so
 * that no quotation mark swallows other rows.
 */
function* rowsOf(bytes: Buffer, delimiter: string): Generator<{ cells: string[]; lines: number; fault?: string }> {
  const latin1 = bytes.toString('latin1')
  const line = /[^\r\n]*(?:\r\n|\n|\r|$)/y
  for (let start = 0; start < bytes.length; start = line.lastIndex) {
    const rows: { cells: string[]; lines: number }[] = []
    const first = start
    const add = (cells: string[], info: { bytes: number }) => {
      const text = bytes.toString('utf8', start, first + info.bytes)
      // The parser keeps the quotation marks of a cell that is quoted only in part.
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

const LINE_END = /\r\n|\n|\r/

function countLines(text: string): number {
  return text.split(LINE_END).length - 1
}
