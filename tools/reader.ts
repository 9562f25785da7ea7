/** Reads files of jokes: JSON, JSON Lines, tables or texts, as their content shows. Notes tell what it has guessed. */
import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { messageOf } from '../shared/causes.ts'
import { CannotContinue, printable } from './commandLine.ts'
import { unmarked } from './formulas.ts'
import type { Fields, Mapping } from './mapping.ts'
import { plural } from './plural.ts'

/** A joke in a file: its place, such as `joke 2`, `line 3` or `row 4`, its JSON on one line, and why it cannot be sent. */
export interface Entry {
  label: string
  json: string
  fields: Fields
  fault?: string | undefined
}

/** @throws {CannotContinue} if the file as a whole cannot be read. The message says what to do */
export function readJokes(file: Buffer, name: string, mapping: Mapping): { entries: Entry[]; notes: string[] } {
  const notes: string[] = []
  const entries = entriesOf(textOf(file), name.toLowerCase(), mapping, notes)
  const isUnnamed = ({ fields, fault }: Entry) => !fault && !mapping.hasJoke(Object.keys(fields))
  if (entries.length > 0 && entries.every(isUnnamed)) throw new CannotContinue(adviceOn(entries))
  const others = new Set(entries.flatMap(({ fields }) => mapping.leftOut(fields)))
  if (others.size > 0) notes.push(`Left out: the fields ${printable([...others].join(', ')).slice(0, 500)}.`)
  const isOdd = ({ joke, punchline }: Fields) => ODD.test(`${joke}\n${punchline}`)
  const [odd, ...more] = entries.filter(({ fields }) => isOdd(mapping.jokeOf(fields)))
  if (odd) notes.push(`HTML or wrong letters: ${plural(more.length + 1, 'joke')}, the first is ${odd.label}.`)
  return { entries, notes }
}

/** HTML, and UTF-8 that was read as Windows-1252. */
const ODD = /&(?:#\w+|[a-z]+);|<\/?(?:br|p|b|i|em|strong|div|span|a)\b[^>]*>|â€|ðŸ|[ÂÃ][\u0080-\u00BF]/i

/** Suggests the field with the longest texts. A text has letters, and a space or a letter that is not ASCII. */
function adviceOn(entries: Entry[]): string {
  const lengths = new Map<string, number>()
  for (const [name, value] of entries.flatMap(({ fields }) => Object.entries(fields)))
    if (typeof value === 'string' && /\p{L}/u.test(value) && /[^!-~]/.test(value))
      lengths.set(name, (lengths.get(name) ?? 0) + value.length)
  const [longest] = [...lengths].toSorted(([, one], [, other]) => other - one)
  if (!longest) return 'No field is named joke, and none holds texts. Import another file.'
  return `No field is named joke. Say which one it is: --map '${printable(longest[0]).replaceAll("'", "'\\''")}=joke'.`
}

function textOf(file: Buffer): string {
  const text = new TextDecoder().decode(file)
  if (isUtf8(file) && !text.includes('\0')) return text
  const [before = ''] = text.split(/[\0\uFFFD]/, 1)
  const line = before.split('\n').length
  throw new CannotContinue(`Line ${line} is no text in UTF-8. Convert the file, or save a spreadsheet as CSV UTF-8.`)
}

function entriesOf(text: string, name: string, mapping: Mapping, notes: string[]): Entry[] {
  const isTable = /\.[ct]sv$/.test(name)
  const isLines = /\.(?:jsonl|ndjson)$/.test(name)
  if (isLines || name.endsWith('.json') || (!isTable && /^(?:\s|#.*\n)*[[{]/.test(text)))
    return jsonOf(text, isLines, mapping)
  const heads = [',', ';', '\t', '|'].map((delimiter) => ({ delimiter, head: rowsOf(text, delimiter, 1)[0] ?? [] }))
  const named = heads.find(({ head }) => mapping.hasJoke(head))
  if (named) return tableOf(rowsOf(text, named.delimiter))
  if (BETWEEN_FORTUNES.test(text)) return textsOf(text.split(BETWEEN_FORTUNES))
  if (name.endsWith('.txt')) return textsOf(text.split(LINE_END))
  if (!isTable) throw new CannotContinue(NEITHER)
  const widest = heads.reduce((one, other) => (other.head.length > one.head.length ? other : one))
  const rows = rowsOf(text, widest.delimiter)
  return widest.head.every((cell) => HEADING.test(cell))
    ? tableOf(rows)
    : tableOf([namesOf(rows, mapping, notes), ...rows], 1)
}

const BETWEEN_FORTUNES = /^%+[ \t]*$/m
const LINE_END = /\r\n|\n|\r/
const NEITHER = 'No JSON, and no table with a column joke: convert it, or name it .txt if each line is a joke.'
const UNNAMED = 'Name the columns in a first line: joke,punchline,category. If each line is a joke, name the file .txt.'

const NUMBER = /^[-+\d.,]+$/
/** A short text that neither is a number nor ends like a sentence. */
const HEADING = /^(?![-+\d.,]+$).{0,30}(?<![.?!…"])$/

/** Names the columns of a table without a header. @throws {CannotContinue} if it has no text, or more than two */
function namesOf(rows: string[][], mapping: Mapping, notes: string[]): string[] {
  const [first = [], ...others] = rows.filter((row) => row.some(Boolean))
  const left = ['joke', 'punchline']
  const names = first.map((_, column) => {
    const cells = rows.flatMap((row) => row[column] || [])
    if (cells.every((cell) => NUMBER.test(cell))) return ''
    return cells.every(mapping.isCategory) ? 'category' : (left.shift() ?? 'another')
  })
  if (others.some((row) => row.length !== first.length) || names.includes('another') || !names.includes('joke'))
    throw new CannotContinue(UNNAMED)
  const taken = names.flatMap((name, column) => (name ? `column ${column + 1} is the ${name}` : []))
  notes.push(`The first line names no columns: ${taken.join(', ')}.`)
  return names
}

function textsOf(texts: string[]): Entry[] {
  return texts.map((text, index) => entryOf(`text ${index + 1}`, text.trim())).filter(({ fields }) => fields.joke)
}

function rowsOf(text: string, delimiter: string, to = -1): string[][] {
  const lines = {
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    trim: true,
    cast: unmarked,
  }
  try {
    return parse(text.replace(/^sep=.\r?\n/i, ''), { ...lines, delimiter, to })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (to > 0) return []
    throw new CannotContinue(
      `Line ${error.lines} or above: write a quotation mark in a cell twice, as in "Say ""hi""!"`,
    )
  }
}

/** @param added the number of rows that the file lacks */
function tableOf([names = [], ...rows]: string[][], added = 0): Entry[] {
  return rows.flatMap((cells, index) => {
    const named = cells.map((cell, column) => [names[column] || `column ${column + 1}`, cell] as const)
    const fields = Object.fromEntries(named.filter(([, cell], column) => cell !== '' || names[column]))
    const fault = cells.slice(names.length).some(Boolean) ? 'It has more cells than the first line.' : undefined
    return cells.some(Boolean) ? { ...entryOf(`row ${index + 2 - added}`, fields), fault } : []
  })
}

function jsonOf(text: string, isLines: boolean, mapping: Mapping): Entry[] {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch (error) {
    const lines = text.split(LINE_END).flatMap(lineEntry)
    // Some lines of other JSON, such as the last text of an array, are JSON too.
    if (isLines || lines.filter(({ fault }) => fault === undefined).length * 2 > lines.length) return lines
    throw new CannotContinue(`The file is not JSON: ${printable(messageOf(error))}.`)
  }
  return itemsIn(root, mapping).map((item, index) => entryOf(`joke ${index + 1}`, item))
}

/** Finds jokes in an array, in the only array of an object, or in an object that has them by category or by id. */
function itemsIn(root: unknown, mapping: Mapping): unknown[] {
  if (Array.isArray(root)) return root
  const all = Object.entries(fieldsOf(root))
  const lists = all.flatMap(([key, value]) => (Array.isArray(value) && !value.some(isNumber) ? [{ key, value }] : []))
  if (mapping.hasJoke(all.map(([key]) => key)) && !lists.some(({ value }) => value.some(isObject))) return [root]
  const itemOf = (key: string, item: unknown, isGroup: boolean) =>
    isGroup || mapping.isCategory(key) ? { category: key, ...fieldsOf(item) } : item
  const isById = all.every(([key, value]) => isObject(value) || (/^\d+$/.test(key) && ![value].flat().some(isObject)))
  if (isById && all.length > 0) return all.map(([key, value]) => itemOf(key, value, false))
  if (lists.length === 0) return [root]
  if (lists.length === 1 || lists.length === all.length)
    return lists.flatMap(({ key, value }) => value.map((item) => itemOf(key, item, lists.length > 1)))
  const names = printable(lists.map(({ key }) => key).join(', '))
  throw new CannotContinue(`JSON must have its jokes in one array. This has the arrays ${names}: delete the others.`)
}

/** Reads a line of JSON Lines. A line that begins with `#` is a comment. */
function lineEntry(line: string, index: number): Entry[] {
  const json = line.trim()
  const label = `line ${index + 1}`
  if (json === '' || json.startsWith('#')) return []
  try {
    return [entryOf(label, JSON.parse(json))]
  } catch (error) {
    return [{ label, json, fields: {}, fault: `This is not JSON: ${messageOf(error)}.` }]
  }
}

function entryOf(label: string, item: unknown): Entry {
  return { label, json: JSON.stringify(item), fields: fieldsOf(item) }
}

function fieldsOf(item: unknown): Fields {
  return isObject(item) ? { ...item } : { joke: item }
}

const isNumber = (value: unknown) => typeof value === 'number'
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
