/** Reads files of jokes: JSON, JSON Lines, tables or texts. What is not certain is refused, with options to choose. */
import { messageOf } from '../infra/local/causes.ts'
import { printable, quoted } from './commandLine.ts'
import { checkFields, notesOn } from './fields.ts'
import { isContainer, type Mapping, type Row, recordOf } from './mapping.ts'
import { rowsOfJson } from './places.ts'
import { type Choice, refuse } from './refusal.ts'
import { namedCsv, numberedCsv } from './table.ts'
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
  const text = textOf(file)
  if (DYNAMODB.test(text))
    refuse(`The file is DynamoDB's JSON. Convert it: ${FROM_DYNAMODB} ${quoted(name)} > converted.jsonl`)
  const whole = parsed(text)
  const { rows, notes } = isContainer(whole.value)
    ? rowsOfJson(whole.value, mapping, shape.at)
    : { rows: rowsOfLines(text, name, mapping, shape, whole.error), notes: [] }
  checkFields(rows, mapping)
  return { rows, notes: [...notes, ...notesOn(rows, mapping)] }
}

/** In DynamoDB's JSON, each value is an object with the name of its type. */
const DYNAMODB = /"Items?":\s*\[?\s*\{\s*"[^"]+":\s*\{\s*"(?:S|N|B|BOOL|NULL|M|L|SS|NS|BS)":/
/** Makes JSON Lines of a scan or an export of DynamoDB. */
const FROM_DYNAMODB = "jq -c '(.Items[]?, .Item // empty) | map_values(.S // .N)'"

/** Files that are not JSON Lines, even if their lines are JSON. */
const PLAIN = /\.(?:txt|csv|tsv)$/i

const JSON_START = /^\s*[[{]\s*["[{]/
const YAML_START = /^(?:---\s|%YAML|- [\w-]+: |[\w-]+:\s*[\r\n])/
const IF_PLAIN = 'If it is a table or texts, give it a name that ends in .csv or .txt.'

/** Empty lines and comments of JSON Lines. */
const IGNORED = /^\s*(?:#|$)/

/** @param error why the whole file is not JSON */
function rowsOfLines(text: string, name: string, mapping: Mapping, shape: Shape, error?: string): Row[] {
  const lines = text.split(LINE_END)
  const filled = lines.filter((line) => !IGNORED.test(line))
  const isText = (line: string) => typeof parsed(line).value === 'string'
  const isPlain = PLAIN.test(name)
  const areTexts = !isPlain && filled.length > 0 && filled.every(isText)
  if (/\.(?:jsonl|ndjson)$/i.test(name) || isContainer(parsed(filled[0] ?? '').value) || areTexts)
    return lines.flatMap(jsonRow)
  if (/\.json$/i.test(name) || (!isPlain && JSON_START.test(text)))
    refuse(`The file is not JSON: ${error}. ${IF_PLAIN}`)
  if (!isPlain && YAML_START.test(text))
    refuse(`The file is YAML. Convert it to JSON, for example with yq. ${IF_PLAIN}`)
  return plainRows(text, lines, name, mapping, shape)
}

function jsonRow(line: string, index: number): Row[] {
  if (IGNORED.test(line)) return []
  const { value, error } = parsed(line)
  const place = `line ${index + 1}`
  return [
    error ? { place, record: {}, line, fault: `This is not JSON: ${error}.` } : { place, record: recordOf(value) },
  ]
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

/** Reads tables and texts. Options decide first, then a line of names, then the ending of the file's name. */
function plainRows(text: string, lines: string[], name: string, mapping: Mapping, { blocks, delimiter }: Shape): Row[] {
  const byLine = lines.map((line, index) => ({ place: `line ${index + 1}`, lines: [line] })).filter(isFilled)
  const byBlock = groupsOf(lines, BLANK)
  if (blocks)
    return byBlock.map(({ place, lines: [joke, ...more] }) => ({ place, record: { joke, punchline: more.join('\n') } }))
  if (delimiter === 'none') return textRows(byLine)
  const named = namedCsv(text, mapping, delimiter)
  if (named) return named
  const options = byBlock.length > 1 ? [['--blocks', byBlock[0]?.lines[0]] as const] : []
  const choices: Choice[] = [
    { heading: 'If each line is a joke:', options: [['--delimiter none', byLine[0]?.lines[0]]] },
    { heading: 'If empty lines separate jokes:', options },
  ]
  if (mapping.mapped.length === 0 && delimiter === undefined) {
    if (lines.some((line) => BETWEEN_FORTUNES.test(line))) return textRows(groupsOf(lines, BETWEEN_FORTUNES))
    const long = byBlock.filter(({ lines }) => lines.length > 1)
    if (/\.txt$/i.test(name) && long.length < 2) return textRows(byLine)
    if (/\.txt$/i.test(name)) refuse(`${long.length} blocks between empty lines have several lines.`, ...choices)
  }
  return numberedCsv(text, mapping, delimiter, choices)
}

/** Lines that belong together. */
interface Group {
  place: string
  lines: string[]
}

const isFilled = ({ lines }: Group) => !lines.every((line) => BLANK.test(line))

function textRows(groups: Group[]): Row[] {
  return groups.map(({ place, lines }) => ({ place, record: { joke: lines.join('\n').trim() } }))
}

/** Returns what stands between separators, such as empty lines. */
function groupsOf(lines: string[], separator: RegExp): Group[] {
  const ends = lines.flatMap((line, index) => (separator.test(line) ? [index] : []))
  const groups = [-1, ...ends].map((start, index) => {
    return { place: `line ${start + 2}`, lines: lines.slice(start + 1, ends[index]) }
  })
  return groups.filter(isFilled)
}
