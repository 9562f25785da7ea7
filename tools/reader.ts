/** Reads files of jokes: JSON, JSON Lines, tables or texts. What is not certain is refused, with options to choose. */
import { messageOf } from '../shared/causes.ts'
import { printable } from './commandLine.ts'
import { checkFields, notesOn } from './fields.ts'
import type { Mapping, Row } from './mapping.ts'
import { isContainer, itemsIn } from './places.ts'
import { type Choice, refuse } from './refusal.ts'
import { namedCsv, numberedCsv, rowsOfLists } from './table.ts'
import { LINE_END, textOf } from './textOf.ts'

/** The options that decide the shape of a file. */
export interface Shape {
  at?: string | undefined
  delimiter?: string | undefined
  blocks?: boolean | undefined
}

/**
 * @param name of the file. Its ending decides only what the content leaves open
 * @returns the jokes, and notes on what is left out or looks wrong
 * @throws {CannotContinue} if anything is uncertain. The message shows the options that decide it
 */
export function readJokes(file: Buffer, name: string, mapping: Mapping, shape: Shape = {}) {
  const { rows, places } = rowsIn(textOf(file), name, mapping, shape)
  checkFields(rows, name, mapping)
  const notes = places ? [`The jokes are read from ${places.map(printable).join(', ')}.`] : []
  return { rows, notes: [...notes, ...notesOn(rows, mapping)] }
}

function rowsIn(text: string, name: string, mapping: Mapping, shape: Shape): { rows: Row[]; places?: string[] } {
  const lines = text.split(LINE_END)
  const json = jsonIn(text, lines, name)
  if (json && (shape.blocks || shape.delimiter)) refuse('The file is JSON. Leave out --blocks and --delimiter.')
  if (shape.at && !(json && 'root' in json)) refuse('The file is not a single value of JSON. Leave out --at.')
  if (!json) return { rows: plainRows(text, lines, name, mapping, shape) }
  if ('rows' in json) return json
  const { items, ...found } = itemsIn(json.root, mapping, shape.at)
  const rows = items.map((record, index) => ({ place: `joke ${index + 1}`, record }))
  return { ...found, rows: rowsOfLists(items, mapping) ?? rows }
}

/** Files that are not JSON Lines, even if their lines are JSON. */
const PLAIN = /\.(?:txt|csv|tsv)$/i

/** Empty lines and comments of JSON Lines. */
const IGNORED = /^\s*(?:#|$)/

/** Returns the rows of JSON Lines, or the value of other JSON, or `undefined` if the file is not JSON. */
function jsonIn(text: string, lines: string[], name: string): { rows: Row[] } | { root: unknown } | undefined {
  const isOther = PLAIN.test(name)
  const whole = parsed(text)
  if (isContainer(whole.value) || (whole.value !== undefined && !isOther)) return { root: whole.value }
  const isFilled = (line: string) => !IGNORED.test(line)
  const isText = (line: string) => typeof parsed(line).value === 'string'
  const first = lines.find(isFilled) ?? ''
  const areTexts = !isOther && isText(first) && lines.filter(isFilled).every(isText)
  if (/\.(?:jsonl|ndjson)$/i.test(name) || isContainer(parsed(first).value) || areTexts)
    return { rows: lines.flatMap(jsonRow) }
  return /\.json$/i.test(name) ? refuse(`The file is not JSON: ${whole.error}.`) : undefined
}

function jsonRow(line: string, index: number): Row[] {
  if (IGNORED.test(line)) return []
  const { value, error } = parsed(line)
  const row = { place: `line ${index + 1}`, record: value }
  return error ? [{ ...row, record: line.trim(), fault: `This is not JSON: ${error}.` }] : [row]
}

function parsed(text: string): { value?: unknown; error?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: printable(messageOf(error)) }
  }
}

const BLANK = /^\s*$/
const BETWEEN_FORTUNES = /^%+[ \t]*$/

/** The beginnings of other files. */
const CONVERTIBLE: [start: RegExp, sentence: string][] = [
  [/^\s*[[{]/, 'The file begins as JSON, but it is not JSON.'],
  [/^\s*<[!?a-z]/i, 'The file is HTML or XML. Convert it to JSON or CSV.'],
  [/^(?:---\s|%YAML|- [\w-]+: |[\w-]+:\s*[\r\n])/, 'The file is YAML. Convert it to JSON, for example with yq.'],
]

/** Reads tables and texts. Options decide first, then a line of names, then the ending of the file's name. */
function plainRows(text: string, lines: string[], name: string, mapping: Mapping, { blocks, delimiter }: Shape): Row[] {
  const byBlock = groupsOf(lines, BLANK)
  if (blocks)
    return byBlock.map(({ place, lines: [joke, ...more] }) => ({ place, record: { joke, punchline: more.join('\n') } }))
  if (delimiter === 'none') return lineRows(lines)
  const named = namedCsv(text, mapping, delimiter)
  if (named) return named
  const long = byBlock.filter(({ lines }) => lines.length > 1)
  const [block] = byBlock.length > 1 ? long : []
  const choices: Choice[] = [
    { heading: 'If each line is a joke:', options: [['--delimiter none', lines.find((line) => !BLANK.test(line))]] },
    { heading: 'If empty lines separate jokes:', options: block ? [['--blocks', block.lines[0]]] : [] },
  ]
  if (mapping.mapped.length === 0 && delimiter === undefined) {
    if (lines.some((line) => BETWEEN_FORTUNES.test(line)))
      return groupsOf(lines, BETWEEN_FORTUNES).map(({ place, lines }) => ({ place, record: lines.join('\n').trim() }))
    if (/\.txt$/i.test(name) && long.length < 2) return lineRows(lines)
    if (/\.txt$/i.test(name)) refuse(`${long.length} blocks between empty lines have several lines.`, ...choices)
  }
  const [, sentence] = (!PLAIN.test(name) && CONVERTIBLE.find(([start]) => start.test(text))) || []
  return numberedCsv(text, mapping, delimiter, choices, sentence)
}

function lineRows(lines: string[]): Row[] {
  return lines.flatMap((line, index) => (BLANK.test(line) ? [] : { place: `line ${index + 1}`, record: line.trim() }))
}

/** Returns what stands between separators, such as empty lines. */
function groupsOf(lines: string[], separator: RegExp): { place: string; lines: string[] }[] {
  const ends = lines.flatMap((line, index) => (separator.test(line) ? [index] : []))
  const groups = [-1, ...ends].map((start, index) => {
    return { place: `line ${start + 2}`, lines: lines.slice(start + 1, ends[index]) }
  })
  return groups.filter(({ lines }) => !lines.every((line) => BLANK.test(line)))
}
