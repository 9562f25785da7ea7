/** Reads JSON and JSON Lines. JSON of another shape is refused with a jq command that makes a list of its jokes. */
import { messageOf } from '../infra/local/causes.ts'
import { printable } from './commandLine.ts'
import { knownAs } from './fields.ts'
import { type Field, isObject, isSentence, LINE_END, type Row, type Source } from './source.ts'

/** Shapes of well-known programs, and the jq filters that make JSON Lines of them. */
const PROGRAMS = [
  {
    sign: /"Items?":\s*\[?\s*\{\s*"[^"]+":\s*\{\s*"(?:S|N|B|BOOL|NULL|M|L|SS|NS|BS)":/,
    found: "is DynamoDB's JSON, which names the type of each value.",
    filter: '(.Items[]?, .Item // empty) | map_values(.S // .N)',
  },
  {
    sign: /"text_entities":/,
    found: 'is a chat exported from Telegram, whose texts have several parts.',
    filter: '.messages[] | select(.text_entities != []) | {joke: [.text_entities[].text] | add}',
  },
]

/** Reads an array of objects or texts, the only list in an object, or JSON Lines. */
export function readJson(text: string, source: Source): Row[] {
  const { value, error } = parsed(text)
  const [first = ''] = text.split(LINE_END).filter(isFilled)
  if (error !== undefined && parsed(first).error === undefined) return readJsonLines(text, source)
  if (error !== undefined) source.refuse(`is not JSON: ${error}. Correct it there.`)
  refusePrograms(text, source)
  const list = Array.isArray(value) ? value : isObject(value) ? onlyListOf(value) : undefined
  if (list?.length === 0) source.refuse('has an empty list, so there is nothing to import.')
  const isRead = list?.every(isText) || (list?.some(mayBeJoke) && !list.some(Array.isArray))
  return list && isRead ? list.map((item, index) => rowOf(item, `item ${index + 1}`)) : refuseShape(value, source)
}

/** Reads an object or a text from each line. Comments are in files of rejected jokes. */
export function readJsonLines(text: string, source: Source): Row[] {
  refusePrograms(text, source)
  const lines = text.split(LINE_END).map((line, index) => ({ line, place: `line ${index + 1}`, ...parsed(line) }))
  const filled = lines.filter(({ line }) => isFilled(line))
  const values = filled.flatMap(({ error, value }) => (error === undefined ? [value] : []))
  if (filled.length > 0 && values.length === 0) source.refuse('has no line that is JSON. Is it a .txt or .csv file?')
  if (values.length > 0 && values.every(Array.isArray))
    source.convert('has an array on each line.', "jq -r '@csv'", '.csv')
  if (values.length > 0 && !values.some((value) => isText(value) || mayBeJoke(value))) refuseShape(values, source)
  return filled.map(({ line, place, value, error }) =>
    error === undefined ? rowOf(value, place) : { place, record: {}, line, fault: `It is not JSON: ${error}.` },
  )
}

/** Returns the only list in an object, unless the object may be a joke itself, and its list holds something else. */
function onlyListOf(object: Record<string, unknown>): unknown[] | undefined {
  const lists = Object.values(object).filter(Array.isArray)
  const isAlone = Object.values(object).every((value) => Array.isArray(value) || !(isText(value) || isObject(value)))
  const [list = []] = lists
  return lists.length === 1 && !jokeNameOf(object) && (isAlone || !list.some(isText)) ? list : undefined
}

function rowOf(value: unknown, place: string): Row {
  if (isObject(value)) return { place, record: value }
  if (isText(value)) return { place, record: { joke: value } }
  return { place, record: {}, line: JSON.stringify(value), fault: 'It is neither an object nor a text.' }
}

/** Returns the name under which an object has a joke or its punchline. A title may be that of a list. */
function jokeNameOf(object: Record<string, unknown>): string | undefined {
  const names = Object.keys(object).filter((name) => isText(object[name]) && !/^title$/i.test(name))
  return names.find((name) => knownAs(name) === 'joke') ?? names.find((name) => knownAs(name) === 'punchline')
}

/** Whether an object has a known name, or a text under another one. */
function mayBeJoke(value: unknown): boolean {
  return (
    isObject(value) && Object.entries(value).some(([name, text]) => knownAs(name) !== undefined || isSentence(text))
  )
}

function refusePrograms(text: string, source: Source): void {
  for (const { sign, found, filter } of PROGRAMS)
    if (sign.test(text)) source.convert(found, `jq -c '${filter}'`, '.jsonl')
}

function refuseShape(value: unknown, source: Source): never {
  const toLines = (found: string, filter: string) => source.convert(found, `jq -c '${filter}'`, '.jsonl')
  const name = nestedName([value])
  if (name !== undefined)
    toLines('is not a list of jokes, but holds them.', `.. | objects | select(${keyOf(name)} | type == "string")`)
  const entries = isObject(value) ? Object.entries(value) : []
  if (entries.length > 1 && entries.every(([key, text]) => isSentence(key) && isText(text)))
    toLines('has jokes as its names.', 'to_entries[] | {joke: .key, punchline: .value}')
  const lists = Array.isArray(value) ? [['', value] as const] : entries.filter(([, list]) => Array.isArray(list))
  const listOf = (field: Field) => lists.find(([key]) => knownAs(key.replace(/s$/, '')) === field)?.[0]
  const [joke, punchline] = [listOf('joke'), listOf('punchline')]
  if (joke !== undefined && punchline !== undefined)
    toLines(
      'has setups and punchlines in two lists.',
      `[${keyOf(joke)}, ${keyOf(punchline)}] | transpose[] | {joke: .[0], punchline: .[1]}`,
    )
  const [[key, list] = ['', []], ...others] = lists
  const items: unknown[] = Array.isArray(list) && others.length === 0 ? list : []
  const each = `${key ? keyOf(key) : '.'}[]`
  if (items.length > 0 && items.every(Array.isArray))
    source.convert('has lists in a list.', `jq -r '${each} | @csv'`, '.csv')
  if (items.length > 0 && items.every(isText)) toLines('has a list of texts beside other texts.', each)
  return source.refuse(
    'has no list of jokes. Write it as an array of objects, such as [{"joke": "…", "category": "School"}].',
  )
}

/** Returns the name of the joke in the outermost objects that have one. */
function nestedName(values: unknown[], depth = 0): string | undefined {
  const name = values.map((value) => isObject(value) && jokeNameOf(value)).find(Boolean)
  const inner = values.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  return name || (inner.length > 0 && depth < 10 ? nestedName(inner, depth + 1) : undefined)
}

/** Returns the path of a key for jq. An apostrophe would end the filter. */
function keyOf(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? `.${name}` : `.[${JSON.stringify(name).replaceAll("'", '\\u0027')}]`
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isFilled(line: string): boolean {
  return !/^\s*(?:#|$)/.test(line)
}

function parsed(text: string): { value?: unknown; error?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: printable(messageOf(error)) }
  }
}
