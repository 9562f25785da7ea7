/**
 * Files of jokes: JSON, JSON Lines, or CSV. Lines and cells are split as bytes (Latin-1: a character each), because what
 * separates them is ASCII. Each is decoded on its own, so one in another encoding does not spoil the others.
 */
import { parse } from 'csv-parse/sync'
import { messageOf } from '../shared/causes.ts'
import { Joke, JokeInput } from '../shared/joke.ts'
import { CannotContinue, WrongUsage } from './commandLine.ts'

/** A joke in a file, well-formed or not. */
export interface Entry {
  /** Such as `line 3`, or in JSON other than JSON Lines, `joke 3`. */
  place: string
  /** On one line, with the bytes of the file. */
  json: Buffer
  /** Why it is rejected, if that is known already. */
  fault?: string | undefined
}

/** One joke cannot be added, for a reason that its author can do something about. */
export class Rejected extends CannotContinue {
  override name = 'Rejected'
}

/** New names by `<field>`, empty to leave it out; new values by `<field>:<value>`, or by `<field>:` where it is absent. */
export type Mapping = Map<string, string>

/**
 * Splits a file into its jokes. CSV is read while the caller iterates.
 *
 * @throws {CannotContinue} if the file is in UTF-16, or neither JSON nor CSV
 */
export function entriesOf(file: Buffer, mapping: Mapping): Iterable<Entry> {
  const text = file.toString('latin1')
  if (/^(\xFF\xFE|\xFE\xFF)/.test(text)) throw new CannotContinue('The file is in UTF-16. Save it as UTF-8.')
  const bytes = file.subarray(text.startsWith('\xEF\xBB\xBF') ? 3 : 0)
  if (JSON_OR_EMPTY.test(text)) return jsonEntriesOf(bytes)
  const isJoke = (cell: string) => {
    const name = Buffer.from(cell, 'latin1').toString().trim()
    return (mapping.get(name) ?? name) === 'joke'
  }
  const delimiter = [',', ';', '\t'].find((each) => readRow(bytes, each).cells.some(isJoke))
  if (delimiter !== undefined) return csvEntriesOf(bytes, delimiter)
  throw new WrongUsage('The file is neither JSON nor CSV whose first line names a column joke. --map translates names.')
}

/**
 * Reads the mappings of a command line: `setup=joke`, `rating=`, `type:general=Classic`, `category:=Classic`.
 *
 * @throws {CannotContinue} for anything else
 */
export function parseMapping(mappings: string[]): Mapping {
  return new Map(
    mappings.map((sent) => {
      const [, from, to = ''] = /^([^:=]+(?::[^=]*)?)=(.*)$/s.exec(sent) ?? []
      if (from === undefined) throw new CannotContinue(`--map ${sent}: it must be FIELD=NAME or FIELD:VALUE=OTHER.`)
      return [from, to]
    }),
  )
}

/**
 * The joke of an entry, with mapped fields and values, to be sent to the service.
 *
 * @throws {Rejected} if the entry is faulty, or not JSON in UTF-8
 */
export function toJokeInput({ json, fault }: Entry, mapping: Mapping): unknown {
  if (fault !== undefined) throw new Rejected(fault)
  const sent = parseJson(json)
  if (!isObject(sent)) return sent
  const absent = [...mapping.keys()].filter((key) => key.endsWith(':')).map((key) => [key.slice(0, -1), ''])
  const fields = Object.entries({ ...Object.fromEntries(absent), ...sent }).map(([key, value]) => {
    const field = key.trim()
    const name = ASSIGNED.includes(field) ? '' : (mapping.get(field) ?? field)
    // The service trims the other fields.
    const known = name === 'category' && typeof value === 'string' ? value.trim() : value
    return [name, mapping.get(`${field}:${known}`) ?? known]
  })
  return Object.fromEntries(fields.filter(([name]) => name !== ''))
}

/** The service assigns these. They are left out, so that an export can be imported. */
const ASSIGNED = Object.keys(Joke.entries).filter((field) => !(field in JokeInput.entries))

/** Comments, which begin with `#`, may come first. */
const JSON_OR_EMPTY = /^(?:\xEF\xBB\xBF)?(?:\s|#.*\n)*(?:[[{]|$)/
const UTF8 = new TextDecoder('utf-8', { fatal: true })

function jsonEntriesOf(bytes: Buffer): Entry[] {
  try {
    const jokes = jokesIn(parseJson(bytes))
    return jokes.map((joke, index) => ({ place: `joke ${index + 1}`, json: Buffer.from(JSON.stringify(joke)) }))
  } catch (error) {
    // JSON Lines, or a damaged array that has a line for each joke.
    const lines = bytes.toString('latin1').split('\n')
    const entries = lines.map((line, index) => ({ place: `line ${index + 1}`, text: line.replace(/,\s*$/, '') }))
    const jokes = entries.filter(({ text }) => !/^\s*(?:#.*|[[\]]?\s*)$/.test(text))
    if (jokes.length > 0 && !jokes.some(({ text }) => /^\s*\{.*\}\s*$/.test(text))) throw error
    return jokes.map(({ place, text }) => ({ place, json: Buffer.from(text, 'latin1') }))
  }
}

/** The elements of an array, or of the first array of objects within an object. Otherwise, the value itself. */
function jokesIn(value: unknown): unknown[] {
  const parts = isObject(value) ? Object.values(value) : []
  return [parts.find((part) => Array.isArray(part) && part.some(isObject)) ?? value].flat()
}

/** Leaves out empty cells. Those beyond the header get names of their own, which the service rejects. */
function* csvEntriesOf(bytes: Buffer, delimiter: string): Generator<Entry> {
  let columns: string[] | undefined
  let line = 1
  for (let start = 0; start < bytes.length; ) {
    const { cells, text, fault } = readRow(bytes.subarray(start), delimiter)
    const joke = cells.flatMap((cell, index) => (cell ? [[columns?.[index] || `column ${index + 1}`, cell]] : []))
    const json = Buffer.from(JSON.stringify(Object.fromEntries(joke)), 'latin1')
    if (columns !== undefined && joke.length > 0) yield { place: `line ${line}`, json, fault }
    columns ??= cells
    line += text.match(/\r\n|\n|\r/g)?.length ?? 0
    start += text.length
  }
}

/** Reads the first row, or if its quotation marks may have swallowed others, the first line without regard to them. */
function readRow(bytes: Buffer, delimiter: string): { cells: string[]; text: string; fault?: string } {
  let text = ''
  const [cells] = parse(bytes, {
    encoding: 'latin1',
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    skip_records_with_error: true,
    to: 1,
    on_record: (record, { bytes: end }) => {
      text = bytes.toString('latin1', 0, end)
      return record
    },
  })
  // `relax_quotes` returns a cell as it is if it only begins with a quotation mark.
  const isProper = (cell: string) => !cell.startsWith('"') || text.includes(`"${cell.replaceAll('"', '""')}"`)
  const isPaired = text.split('"').length % 2 === 1
  if (cells?.every(isProper) && isPaired) return { cells, text }
  ;[text = ''] = /^.*\r?\n?/.exec(bytes.toString('latin1', 0, bytes.indexOf('\n') + 1 || bytes.length)) ?? []
  const fault = 'Its quotation marks are not paired as in CSV.'
  return { cells: text.replace(/[\r\n]+$/, '').split(delimiter), text, fault }
}

/** @throws {Rejected} */
function parseJson(json: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(json))
  } catch (error) {
    if (error instanceof TypeError) throw new Rejected('This is not UTF-8: save the file in this encoding.')
    throw new Rejected(`This is not JSON: ${messageOf(error).replace(' (line 1 ', ' (')}.`)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
