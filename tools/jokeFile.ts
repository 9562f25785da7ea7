/**
 * Files of jokes: JSON, JSON Lines, or CSV. Lines and cells are split as bytes (Latin-1: a character each), because what
 * separates them is ASCII. Each is decoded on its own, so one in another encoding does not spoil the others.
 */
import { parse } from 'csv-parse/sync'
import { messageOf } from '../shared/causes.ts'
import { CATEGORIES, Joke, JokeInput } from '../shared/joke.ts'
import { CannotContinue, WrongUsage } from './commandLine.ts'

/** A joke in a file, well-formed or not. */
export interface FileEntry {
  /** Such as `line 3`, or in JSON other than JSON Lines, `joke 3`. */
  label: string
  /** On one line, with the bytes of the file. */
  json: Buffer
  /** Why it is rejected, if that is known already. */
  fault?: string | undefined
}

/** One joke cannot be added, for a reason that its author can do something about. */
export class Rejected extends CannotContinue {
  override name = 'Rejected'
}

/**
 * New names by `<field>`, empty to leave it out; new values by `<field>:<value>`, or by `<field>:` where it is absent. `*`
 * stands for all other fields or values. The keys are in lower case: names and values match in any letter case.
 */
export type Mapping = Map<string, string>

/** What `--map` does with the files of other collections, by their names. */
export const MAPPINGS: Record<string, string[]> = {
  official_joke_api: ['setup=joke', 'type=category', 'type:knock-knock=KnockKnock', 'type:*=Classic', '*='],
  JokeAPI: ['setup=joke', 'delivery=punchline', 'category:pun=Word game', 'category:*=Classic', '*='],
  icanhazdadjoke: ['category:=Classic', '*='],
  reddit: [
    ...['title=joke', 'body=punchline', 'selftext=punchline', 'category:=Classic', '*='],
    // What is left of a text that was taken back.
    ...['body', 'selftext'].flatMap((field) => [`${field}:[deleted]=`, `${field}:[removed]=`]),
  ],
}

/**
 * Splits a file into its jokes. CSV is read while the caller iterates.
 *
 * @throws {CannotContinue} if the file is in UTF-16, or neither JSON nor CSV
 */
export function entriesOf(file: Buffer, mapping: Mapping): Iterable<FileEntry> {
  const text = file.toString('latin1')
  // Without a mark, one of the first two bytes is 0: all that these files begin with is ASCII.
  if (/^(\xFF\xFE|\xFE\xFF|.?\0)/s.test(text)) throw new CannotContinue('The file is in UTF-16. Save it as UTF-8.')
  const bytes = file.subarray(text.startsWith('\xEF\xBB\xBF') ? 3 : 0)
  if (JSON_OR_EMPTY.test(text)) return jsonEntriesOf(bytes)
  const isJoke = (cell: string) => nameOf(Buffer.from(cell, 'latin1').toString(), mapping) === 'joke'
  // Excel reads such a line, and other programs write it.
  const [separatorLine = '', separator] = /^sep=(.)\r?\n/i.exec(bytes.toString('latin1', 0, 7)) ?? []
  const rows = bytes.subarray(separatorLine.length)
  const delimiter = [separator ?? ',', ';', '\t'].find((each) => readRow(rows, each).cells.some(isJoke))
  if (delimiter !== undefined) return csvEntriesOf(rows, delimiter, separator === undefined ? 1 : 2)
  throw new WrongUsage('The file is neither JSON nor CSV whose first line names a column joke. --map translates names.')
}

/**
 * Reads the mappings of a command line: `setup=joke`, `rating=`, `type:general=Classic`, `category:=Classic`, or a name of
 * {@link MAPPINGS}. Of two for the same, the later one counts.
 *
 * @throws {CannotContinue} for anything else
 */
export function parseMapping(mappings: string[]): Mapping {
  const named = new Map(Object.entries(MAPPINGS).map(([name, parts]) => [name.toLowerCase(), parts]))
  return new Map(
    mappings
      .flatMap((sent) => named.get(sent.toLowerCase()) ?? sent)
      .map((sent) => {
        const [, from, to = ''] = /^([^:=]+(?::[^=]*)?)=(.*)$/s.exec(sent) ?? []
        if (from !== undefined) return [from.toLowerCase(), to]
        const names = Object.keys(MAPPINGS).join(', ')
        throw new CannotContinue(`--map ${sent}: it must be FIELD=NAME, FIELD:VALUE=OTHER, or one of ${names}.`)
      }),
  )
}

/**
 * The joke of an entry, with mapped fields and values, to be sent to the service.
 *
 * @throws {Rejected} if the entry is faulty, or not JSON in UTF-8
 */
export function toJokeInput({ json, fault }: FileEntry, mapping: Mapping): unknown {
  if (fault !== undefined) throw new Rejected(fault)
  const sent = parseJson(json)
  if (!isObject(sent)) return sent
  const present = Object.keys(sent).map((key) => key.trim().toLowerCase())
  const absent = [...mapping.keys()]
    .filter((key) => /:\*?$/.test(key))
    .map((key) => key.replace(/:.*/, ''))
    .filter((field) => !present.includes(field))
  const fields = [...Object.entries(sent), ...absent.map((field) => [field, ''] as const)].map(([key, value]) => {
    const name = nameOf(key, mapping)
    // The service trims the other fields.
    const known = name === 'category' && typeof value === 'string' ? value.trim() : value
    const [exact, any] = [known, '*'].map((each) => mapping.get(`${key.trim()}:${each}`.toLowerCase()))
    const category = name === 'category' ? CATEGORY_NAMES.get(`${known}`.toLowerCase()) : undefined
    return [name, exact ?? any ?? category ?? known]
  })
  return Object.fromEntries(fields.filter(([name]) => name !== ''))
}

/** By themselves in lower case. */
const CATEGORY_NAMES = new Map(CATEGORIES.map((name) => [name.toLowerCase(), name]))
const FIELD_NAMES = Object.keys(JokeInput.entries)

/** The name under which a field of a file is sent to the service; empty: it is left out. */
function nameOf(key: string, mapping: Mapping): string {
  const trimmed = key.trim()
  const field = trimmed.toLowerCase()
  if (ASSIGNED.includes(field)) return ''
  return mapping.get(field) ?? (FIELD_NAMES.includes(field) ? field : (mapping.get('*') ?? trimmed))
}

/** The service assigns these, here in lower case. They are left out, so that an export can be imported. */
const ASSIGNED = Object.keys(Joke.entries)
  .filter((field) => !FIELD_NAMES.includes(field))
  .map((field) => field.toLowerCase())

/** Comments, which begin with `#`, may come first. */
const JSON_OR_EMPTY = /^(?:\xEF\xBB\xBF)?(?:\s|#.*\n)*(?:[[{]|$)/
const UTF8 = new TextDecoder('utf-8', { fatal: true })

function jsonEntriesOf(bytes: Buffer): FileEntry[] {
  try {
    const jokes = jokesIn(parseJson(bytes))
    return jokes.map((joke, index) => ({ label: `joke ${index + 1}`, json: Buffer.from(JSON.stringify(joke)) }))
  } catch (error) {
    // JSON Lines, or a damaged array that has a line for each joke.
    const text = bytes.toString('latin1')
    const lines = text
      .split('\n')
      .map((line, index) => ({ label: `line ${index + 1}`, text: line.replace(/,\s*$/, '') }))
    const jokes = lines.filter((line) => !/^\s*(?:#.*|[[\]]?\s*)$/.test(line.text))
    const isLines = jokes.some((line) => /^\s*\{.*\}\s*$/.test(line.text))
    const pieces = isLines && jokes.length > 1 ? [] : piecesOf(text)
    const entries = pieces.length > 0 ? pieces : jokes
    if (jokes.length > 0 && pieces.length === 0 && !isLines) throw error
    return entries.map((entry) => ({ label: entry.label, json: Buffer.from(entry.text, 'latin1') }))
  }
}

/** The elements of an array of objects that is damaged or cut off, each on one line. */
function piecesOf(text: string): { label: string; text: string }[] {
  const [array = ''] = /(?<=\[\s*)\{.*/s.exec(text) ?? []
  const pieces: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of array.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if ('[{'.includes(token)) depth += 1
    if (']}'.includes(token)) depth -= 1
    if (depth < 0) break
    if (depth > 0 || token !== '}') continue
    pieces.push(array.slice(start, index + 1))
    start = index + 1
  }
  return [...pieces, array.slice(start)]
    .map((piece) => piece.replace(/^[,\r\n\t ]+/, '').replaceAll(/[\r\n]+/g, ' '))
    .flatMap((piece, index) => (/^(\]|$)/.test(piece) ? [] : { label: `joke ${index + 1}`, text: piece }))
}

/** The elements of an array, or of the first array of objects within an object. Otherwise, the value itself. */
function jokesIn(value: unknown): unknown[] {
  const parts = isObject(value) ? Object.values(value) : []
  return [parts.find((part) => Array.isArray(part) && part.some(isObject)) ?? value].flat()
}

/** Leaves out empty cells. Those beyond the header get names of their own, which the service rejects. */
function* csvEntriesOf(bytes: Buffer, delimiter: string, line: number): Generator<FileEntry> {
  let columns: string[] | undefined
  for (let start = 0; start < bytes.length; ) {
    const { cells, text, fault } = readRow(bytes.subarray(start), delimiter)
    const joke = cells.flatMap((cell, index) => (cell ? [[columns?.[index] || `column ${index + 1}`, cell]] : []))
    const json = Buffer.from(JSON.stringify(Object.fromEntries(joke)), 'latin1')
    if (columns !== undefined && joke.length > 0) yield { label: `line ${line}`, json, fault }
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
