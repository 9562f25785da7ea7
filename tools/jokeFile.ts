/**
 * Files of jokes: JSON in any layout, or CSV. They are read byte by byte, as Latin-1: the structure of JSON and CSV is
 * ASCII, so text in a wrong encoding does not disturb the text around it, and keeps its bytes.
 */
import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse/sync'
import * as v from 'valibot'
import { Joke, JokeInput } from '../shared/joke.ts'
import { CannotContinue } from './commandLine.ts'

/** A joke in a file, well-formed or not. */
export interface Entry {
  /** The line on which it begins, counted from 1. */
  line: number
  /** JSON, its bytes as Latin-1. */
  text: string
  /** Why it cannot be read, if that is known already. */
  fault?: string
}

/** How to turn the fields and values of a file into those of the service. */
export interface Mapping {
  /** New names of fields; empty: leave the field out. */
  fields: Map<string, string>
  /** New values, by `<field>:<value>` as in the file. `<field>:` is the key for jokes without the field. */
  values: Map<string, string>
}

/**
 * Splits a file into its jokes: the elements of the first array of objects, wherever it is, otherwise a sequence of
 * values such as JSON Lines; or the rows of CSV whose first line names a column `joke`. Entries are not parsed, so a
 * broken one does not spoil the others.
 *
 * @throws {CannotContinue} if the file is in UTF-16, or neither JSON nor CSV
 */
export function entriesOf(file: Buffer, { fields }: Mapping): Entry[] {
  const text = file.toString('latin1').replace(BYTE_ORDER_MARK, '')
  if (UTF16.test(text)) throw new CannotContinue('The file is in UTF-16. Save it as UTF-8.')
  const { delimiter, columns } = headerOf(text)
  if (columns.some((column) => (fields.get(column) ?? column) === 'joke')) return csvEntriesOf(text, delimiter)
  if (/^[ \t]*[[{]/m.test(text) || text.trim() === '') return jsonEntriesOf(text)
  throw new CannotContinue(
    'The file is neither JSON nor CSV whose first line names a column joke. See --map in --help.',
  )
}

/**
 * Reads the mappings of a command line: `setup=joke`, `rating=`, `type:general=Classic`, `category:=Classic`.
 *
 * @throws {CannotContinue} for anything else
 */
export function parseMapping(mappings: string[]): Mapping {
  const mapping: Mapping = { fields: new Map(), values: new Map() }
  for (const sent of mappings) {
    const [, from = '', value, to = ''] = /^([^:=]+)(:[^=]*)?=(.*)$/.exec(sent) ?? []
    if (from === '') throw new CannotContinue(`--map ${sent}: it must be FIELD=NAME or FIELD:VALUE=OTHER.`)
    if (value === undefined) mapping.fields.set(from, to)
    else mapping.values.set(from + value, to)
  }
  return mapping
}

/**
 * The joke of an entry, with mapped fields and values, to be sent to the service.
 *
 * @throws {Error} if the entry is not JSON in UTF-8
 */
export function toJokeInput({ text, fault }: Entry, { fields, values }: Mapping): unknown {
  if (fault !== undefined) throw new Error(fault)
  const bytes = Buffer.from(text, 'latin1')
  if (!isUtf8(bytes)) throw new Error('This is not UTF-8: save the file in this encoding.')
  const sent: unknown = JSON.parse(bytes.toString())
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent

  const found = new Map<string, unknown>()
  // `--map FIELD:=VALUE` is also for jokes without the field, so it begins as empty.
  for (const key of values.keys()) if (key.endsWith(':')) found.set(key.slice(0, -1), '')
  for (const [field, value] of Object.entries(sent)) found.set(field, value)
  const joke = new Map<string, unknown>()
  for (const [field, value] of found) {
    const name = fields.get(field) ?? field
    if (name !== '' && !ASSIGNED.includes(field)) joke.set(name, values.get(`${field}:${value}`) ?? value)
  }
  return Object.fromEntries(joke)
}

/** The service assigns these. They are left out, so that an export can be imported. */
const ASSIGNED = Object.keys(Joke.entries).filter((field) => !(field in JokeInput.entries))

const BYTE_ORDER_MARK = /^\xEF\xBB\xBF/
const UTF16 = /^(\xFF\xFE|\xFE\xFF)/

/** A string, up to the end of its line at most; a bracket, comma or colon; other text; white space. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^"[\]{},:\s]+|\s+/g

/** Skips empty lines, and comments: lines that begin with `#`. */
function jsonEntriesOf(text: string): Entry[] {
  const lines: { line: number; text: string }[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const trimmed = raw.replace(/^[ \t]+|[ \t\r]+$/g, '')
    if (trimmed !== '' && !trimmed.startsWith('#')) lines.push({ line: index + 1, text: trimmed })
  }
  const splitter = new ValueSplitter(lines.length > 1 && isJson(lines[0]?.text ?? ''))
  for (const { line, text } of lines) splitter.addLine(line, text)
  return splitter.entries
}

/** Splits JSON into entries, token by token. Its brackets need not match. */
class ValueSplitter {
  readonly entries: Entry[] = []
  readonly #isJsonLines: boolean
  /** The entry that tokens are added to; undefined: the next token begins one. */
  #entry: Entry | undefined
  /** The open brackets, from the outside in. */
  #open = ''
  /** How many of the open brackets surround the entries. */
  #depth = 0
  /** Whether the entries are in an array within an object. */
  #isWrapped = false
  #previous = ''

  constructor(isJsonLines: boolean) {
    this.#isJsonLines = isJsonLines
  }

  addLine(line: number, text: string): void {
    if (this.#open === '') this.#entry = undefined
    for (const [token] of text.matchAll(TOKEN)) {
      if (!/^\s/.test(token)) this.#addToken(token, line)
      else if (this.#entry) this.#entry.text += token
    }
  }

  #addToken(token: string, line: number): void {
    if (token === '{' && this.#isUnclosed()) this.#open = this.#open.slice(0, this.#depth)
    if (token === '{' && this.#isWrapper()) {
      this.entries.pop()
      this.#isWrapped = true
      this.#depth = this.#open.length
    }
    this.#previous = token

    const isBetween = this.#open.length === this.#depth
    if (isBetween && (token === ',' || token === '{')) this.#entry = undefined
    if (this.#isAround(token, isBetween)) {
      this.#entry = undefined
      this.#open = afterToken(this.#open, token)
      this.#depth = this.#open.length
    } else if (this.#entry !== undefined || token !== ',') {
      if (this.#entry === undefined) {
        this.#entry = { line, text: '' }
        this.entries.push(this.#entry)
      }
      this.#entry.text += token
      this.#open = afterToken(this.#open, token)
    }
  }

  /** Whether the current entry was never closed: it is an object, and another object begins where no value may. */
  #isUnclosed(): boolean {
    return this.#open.length > this.#depth && this.#open.endsWith('{') && this.#previous !== ':'
  }

  /** Whether the first entry turns out to be the object that wraps all entries: an array of objects begins in it. */
  #isWrapper(): boolean {
    const beginsArray = this.#previous === '[' && /^\{+\[$/.test(this.#open)
    return beginsArray && !this.#isWrapped && !this.#isJsonLines && this.entries.length === 1
  }

  /** Whether a token is part of what surrounds the entries: their array, or the object that wraps it. */
  #isAround(token: string, isBetween: boolean): boolean {
    const isArray = isBetween && (token === ']' || (token === '[' && this.#depth === 0))
    return isArray || (this.#isWrapped && !this.#open.includes('['))
  }
}

/** The brackets that are open after a token. A bracket that closes nothing is ignored. */
function afterToken(open: string, token: string): string {
  if (token === '{' || token === '[') return open + token
  const closes = (token === '}' && open.endsWith('{')) || (token === ']' && open.endsWith('['))
  return closes ? open.slice(0, -1) : open
}

function headerOf(text: string): { delimiter: string; columns: string[] } {
  const [header = ''] = text.split(/\r?\n/, 1)
  const delimiter = [',', ';', '\t'].find((character) => header.includes(character)) ?? ','
  const columns = parseCsv(header, delimiter)[0]?.record ?? []
  return { delimiter, columns: columns.map((name) => Buffer.from(name, 'latin1').toString()) }
}

/** Empty cells count as absent. Cells beyond the header get names of their own, which the service rejects. */
function csvEntriesOf(text: string, delimiter: string): Entry[] {
  const [header, ...rows] = parseCsv(text, delimiter)
  let end = header?.end ?? 0
  const lineAfter = (start: number) => {
    const [lineEnds = ''] = /^[\r\n]*/.exec(text.slice(start)) ?? []
    return (text.slice(0, start) + lineEnds).split('\n').length
  }
  const entries: Entry[] = []
  for (const row of rows) {
    const joke = new Map<string, string>()
    for (const [index, cell] of row.record.entries())
      if (cell !== '') joke.set(header?.record[index] ?? `column ${index + 1}`, cell)
    entries.push({ line: lineAfter(end), text: JSON.stringify(Object.fromEntries(joke)) })
    end = row.end
  }
  const rest = text.slice(end).trim()
  if (rest !== '') entries.push({ line: lineAfter(end), text: rest, fault: 'A quotation mark is never closed.' })
  return entries
}

/** The rows, each with the position of its end. Stops at a row with a quotation mark that is never closed. */
function parseCsv(text: string, delimiter: string): { record: string[]; end: number }[] {
  const rows = parse(Buffer.from(text, 'latin1'), {
    encoding: 'latin1',
    delimiter,
    trim: true,
    skip_empty_lines: true,
    relax_quotes: true,
    relax_column_count: true,
    skip_records_with_error: true,
    info: true,
  })
  return v.parse(Rows, rows).map(({ record, info }) => ({ record, end: info.bytes }))
}

const Rows = v.array(v.object({ record: v.array(v.string()), info: v.object({ bytes: v.number() }) }))

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
