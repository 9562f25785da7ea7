/** Reads JSON and JSON Lines. JSON of another shape is refused with a jq command that makes a list of its jokes. */
import { messageOf } from '../infra/local/causes.ts'
import { printable, quoted } from './commandLine.ts'
import { isSentence, knownAs } from './names.ts'
import { LINE_END, type Row, type Source } from './source.ts'

const TEXTS_OF_CHAT = '.messages[] | select(.text_entities != []) | {joke: [.text_entities[].text] | add}'
const JOKES_AS_NAMES = /^\s*\{\s*"[^"]+[.?!]":\s*"/
const TWO_LISTS = /^\s*\{\s*"(?:joke|setup|question)s":\s*\[\s*"[^\]]*\],\s*"(?:punchline|answer)s":/i
const LISTS_IN_LIST = /(?:^|\[)\s*\[\s*["\d]/m

/** Reads an array of objects or texts, the only list in an object, or JSON Lines, in which `#` begins a comment. */
export function readJson(text: string, source: Source): Row[] {
  const toLines = (found: string, filter: string) => source.refuse(found, `jq -c ${quoted(filter)}`, '.jsonl')
  if (/:\s*\{\s*"S":\s*"/.test(text))
    toLines("is DynamoDB's JSON.", '(.Items[]?, .Item // empty) | map_values(.S // .N)')
  if (/"text_entities":/.test(text)) toLines('is a chat of Telegram.', TEXTS_OF_CHAT)
  const rows = rowsOf(text, source)
  const fields = (rows ?? []).flatMap(({ record }) => Object.entries(record))
  const mayBeJokes = rows?.length === 0 || fields.some(([name, text]) => knownAs(name) || isSentence(text))
  if (rows && mayBeJokes) return rows

  const name = jokeNameAmong(Array.from(text.matchAll(/"([^"\\]+)":\s*"/g), ([, each = '']) => each))
  if (name !== undefined)
    toLines('has its jokes inside other values.', `.. | objects | select(.${JSON.stringify(name)} | strings)`)
  if (JOKES_AS_NAMES.test(text)) toLines('has jokes as its names.', 'to_entries[] | {joke: .key, punchline: .value}')
  if (TWO_LISTS.test(text)) toLines('has two lists.', '[.[] | arrays] | transpose[] | {joke: .[0], punchline: .[1]}')
  if (LISTS_IN_LIST.test(text)) source.refuse('has lists in a list.', "jq -r '.. | arrays | @csv?'", '.csv')
  return source.refuse('has no list of jokes. Write it as an array of objects: [{"joke": "…", "category": "School"}].')
}

function rowsOf(text: string, source: Source): Row[] | undefined {
  const { value, fault } = parsed(text)
  const areLines = source.ending === '.jsonl'
  if (fault === undefined && !areLines) return listIn(value)?.map((item, index) => rowOf(`item ${index + 1}`, item))
  const rows = text.split(LINE_END).flatMap((line, index): Row[] => {
    if (/^\s*(#|$)/.test(line)) return []
    const place = `line ${index + 1}`
    const { value, fault } = parsed(line)
    return [fault ? { place, record: {}, line, fault } : rowOf(place, value)]
  })
  return areLines || !rows[0]?.fault ? rows : source.refuse(`cannot be read. ${fault} Correct it there.`)
}

/** Returns an array, or the only list in an object, unless texts beside it may be jokes, too. */
function listIn(value: unknown): unknown[] | undefined {
  if (!isObject(value)) return Array.isArray(value) ? value : undefined
  if (jokeNameAmong(Object.keys(value).filter((name) => typeof value[name] === 'string'))) return [value]
  const [list, ...others] = Object.values(value).filter(Array.isArray)
  const isAlone = !Object.values(value).some((beside) => typeof beside === 'string' || isObject(beside))
  return others.length === 0 && (isAlone || !list?.some((item) => typeof item === 'string')) ? list : undefined
}

/** Returns the name of a joke or its punchline. A title may be that of a list. */
function jokeNameAmong(names: string[]): string | undefined {
  const known = names.filter((name) => !/^title$/i.test(name))
  return known.find((name) => knownAs(name) === 'joke') ?? known.find((name) => knownAs(name) === 'punchline')
}

function rowOf(place: string, value: unknown): Row {
  if (isObject(value)) return { place, record: value }
  if (typeof value === 'string') return { place, record: { joke: value } }
  return { place, record: {}, line: JSON.stringify(value), fault: 'It is neither an object nor a text.' }
}

function parsed(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: `It is not JSON: ${printable(messageOf(error))}.` }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
