/**
 * Files of jokes: JSON in any layout, or CSV. Files are read byte by byte, as Latin-1: what marks the structure of JSON
 * and CSV is ASCII, so that text in a wrong encoding does not disturb what stands around it, and is kept as it is.
 */
import { isUtf8 } from 'node:buffer'
import { parse } from 'csv-parse/sync'
import * as v from 'valibot'
import { CannotContinue } from './commandLine.ts'

/** A joke as it stands in a file, well-formed or not. */
export interface Entry {
  /** Where it begins, counted from 1. */
  line: number
  /** JSON, its bytes as Latin-1. */
  text: string
  /** Why it cannot be read; absent: nothing is known against it. */
  fault?: string
}

/** How to make jokes of the service of what a file holds. */
export interface Mapping {
  /** New names of fields; empty: leave it out. */
  fields: Map<string, string>
  /** New values, by `<field>:<value>` as in the file; `<field>:` is for those without it. */
  values: Map<string, string>
}

/**
 * Takes apart what a file holds: the elements of the first array of objects, wherever it stands, otherwise a sequence
 * of values such as JSON Lines; or the rows of CSV whose first line names a column `joke`. Nothing is parsed further
 * than needed for that, so that one broken entry does not spoil the others.
 *
 * @throws {CannotContinue} where it is neither
 */
export function entriesOf(file: Buffer, { fields }: Mapping): Entry[] {
  const text = file.toString('latin1').replace(BYTE_ORDER_MARK, '')
  if (UTF16.test(text)) throw new CannotContinue('The file is in UTF-16. Save it as UTF-8.')
  const { delimiter, columns } = headerOf(text)
  if (columns.some((column) => (fields.get(column) ?? column) === 'joke')) return rowsOf(text, delimiter)
  if (/^[ \t]*[[{]/m.test(text) || text.trim() === '') return valuesOf(text)
  throw new CannotContinue('The file holds neither JSON nor CSV whose first line names a column joke (see --map).')
}

/**
 * Reads mappings as the command line has them: `setup=joke`, `rating=`, `type:general=Classic`, `category:=Classic`.
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
 * What to send for an entry.
 *
 * @throws {Error} where it is not JSON in UTF-8
 */
export function toJokeInput({ text, fault }: Entry, { fields, values }: Mapping): unknown {
  if (fault !== undefined) throw new Error(fault)
  const bytes = Buffer.from(text, 'latin1')
  if (!isUtf8(bytes)) throw new Error('This is not UTF-8: save the file in this encoding.')
  const sent: unknown = JSON.parse(bytes.toString())
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  const missing = [...values.keys()].filter((key) => key.endsWith(':')).map((key) => [key.slice(0, -1), ''] as const)
  const joke = Object.entries({ ...Object.fromEntries(missing), ...sent })
    .filter(([field]) => !ASSIGNED.includes(field))
    .map(([field, value]) => [fields.get(field) ?? field, values.get(`${field}:${value}`) ?? value] as const)
    .filter(([field]) => field !== '')
  return Object.fromEntries(joke)
}

/** What the service assigns, so that what it has exported can be imported. */
const ASSIGNED = ['id', 'thumbsUp', 'thumbsDown', 'dateAdded']

const BYTE_ORDER_MARK = /^\xEF\xBB\xBF/
const UTF16 = /^(\xFF\xFE|\xFE\xFF)/

/** A string, as far as its line goes; a bracket; other text; white space. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^"[\]{},:\s]+|\s+/g

/** Leaves out empty lines, and comments: lines that begin with `#`. */
function valuesOf(text: string): Entry[] {
  const lines = text
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.replace(/^[ \t]+|[ \t\r]+$/g, '') }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
  const isJsonLines = lines.length > 1 && isJson(lines[0]?.text ?? '')

  const entries: Entry[] = []
  let entry: Entry | undefined
  /** The brackets that are open, and how many of them are around the entries. */
  let open = ''
  let around = 0
  let isWrapped = false
  let previous = ''

  for (const { line, text } of lines) {
    if (open === '') entry = undefined
    for (const [token] of text.matchAll(TOKEN)) {
      if (/^\s/.test(token)) {
        if (entry) entry.text += token
        continue
      }
      // Within an object, another one can only be a value: the one before it was never closed.
      if (token === '{' && open.length > around && open.endsWith('{') && previous !== ':') open = open.slice(0, around)
      if (
        token === '{' &&
        previous === '[' &&
        /^\{+\[$/.test(open) &&
        !isWrapped &&
        !isJsonLines &&
        entries.length === 1
      ) {
        // What looked like the first entry wraps them all.
        entries.pop()
        isWrapped = true
        around = open.length
      }
      previous = token

      const isBetweenEntries = open.length === around
      const isAroundEntries =
        (isBetweenEntries && (token === ']' || (token === '[' && around === 0))) || (isWrapped && !open.includes('['))
      if (isBetweenEntries && (token === ',' || token === '{')) entry = undefined
      if (isAroundEntries) {
        entry = undefined
        open = track(open, token)
        around = open.length
      } else if (entry !== undefined || token !== ',') {
        if (entry === undefined) {
          entry = { line, text: '' }
          entries.push(entry)
        }
        entry.text += token
        open = track(open, token)
      }
    }
  }
  return entries
}

/** The brackets that are open after a token. One that closes nothing changes nothing. */
function track(open: string, token: string): string {
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

/** Empty cells count as absent. Cells beyond the header's get names of their own, so that they are noticed. */
function rowsOf(text: string, delimiter: string): Entry[] {
  const [header, ...rows] = parseCsv(text, delimiter)
  let end = header?.end ?? 0
  const lineAfter = (start: number) => {
    const [lineEnds = ''] = /^[\r\n]*/.exec(text.slice(start)) ?? []
    return (text.slice(0, start) + lineEnds).split('\n').length
  }
  const entries: Entry[] = rows.map((row) => {
    const line = lineAfter(end)
    end = row.end
    const cells = row.record.map((cell, index) => [header?.record[index] ?? `column ${index + 1}`, cell] as const)
    return { line, text: JSON.stringify(Object.fromEntries(cells.filter(([, cell]) => cell !== ''))) }
  })
  const rest = text.slice(end).trim()
  if (rest !== '') entries.push({ line: lineAfter(end), text: rest, fault: 'A quotation mark is never closed.' })
  return entries
}

/** Rows up to one with a quotation mark that is never closed, each with the place where it ends. */
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
