/** Checks the fields of all jokes of a file before they are imported. */
import { printable, quoted } from './commandLine.ts'
import { fieldsOf, isPresent, type Mapping, type Row } from './mapping.ts'
import { plural } from './plural.ts'
import { type Choice, refuse } from './refusal.ts'

/** UTF-8 that was read as Windows-1252, and the character that stands for lost ones. */
const GARBLED = /â€|ðŸ|[ÂÃÅÐÑ][\u0080-\u00BF€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|\uFFFD/
const HTML = /&(?:#\w+|[a-z]+);|<\/?(?:br|p|b|i|em|strong|div|span|a)\b[^>]*>/i
const MARKDOWN = /^\s*(?:#{1,6} |[-*+] |\d+[.)] |> |-{3,}\s*$)|\*\*.+\*\*|\[.+\]\(.+\)/m
const ODDITIES = [
  { what: 'HTML or garbled characters', isIn: (text: string) => HTML.test(text) || GARBLED.test(text) },
  { what: 'Markdown', isIn: (text: string) => MARKDOWN.test(text) },
]

/** A field of DynamoDB's JSON has the name of its type, such as `joke.S`. */
const DYNAMODB = /\.(?:S|N|B|BOOL|NULL|M|L|SS|NS|BS)(?:\.|$)/
/** Makes JSON Lines of a scan or an export of DynamoDB. */
const FROM_DYNAMODB = "jq -c '(.Items[]?, .Item // empty) | map_values(.S // .N)'"

const MOST_NAMES = 10

/** @throws {CannotContinue} if it is uncertain which field is the joke, the punchline or the category */
export function checkFields(rows: Row[], file: string, mapping: Mapping): void {
  const sound = rows.filter(({ fault }) => fault === undefined)
  const fields = new Map<string, { value: unknown; length: number }>()
  for (const { place, record } of sound) {
    const values = fieldsOf(record)
    for (const [field, names] of Object.entries(mapping.namesOf([...values.keys()]))) {
      const rivals = names.filter((name) => isPresent(values.get(name)))
      const options = rivals.map((name) => [name, values.get(name)] as const)
      if (rivals.length > 1) refuse(`Several fields of ${place} may be the ${field}.`, choiceOf(options, field))
    }
    for (const [name, value] of values) {
      const { value: first, length = 0 } = fields.get(name) ?? {}
      const added = typeof value === 'string' ? value.length : 0
      fields.set(name, { value: isPresent(first) ? first : value, length: length + added })
    }
  }
  if (fields.size === 0) return
  if (fields.keys().every((name) => DYNAMODB.test(name)))
    refuse(`The file is DynamoDB's JSON. Convert it: ${FROM_DYNAMODB} ${quoted(file)} > converted.jsonl`)
  const sorted = [...fields].toSorted(([, one], [, other]) => other.length - one.length)
  const choice = choiceOf(sorted.map(([name, { value }]) => [name, value] as const))
  const missing = mapping.mapped.find((name) => !fields.has(name))
  if (missing !== undefined) refuse(`No joke has a field ${printable(missing)}. Leave out its --map.`, choice)
  if (!sound.some(({ record }) => mapping.hasJoke(record))) refuse('No field is known as the joke.', choice)
}

function choiceOf(values: (readonly [name: string, value: unknown])[], field = 'joke'): Choice {
  const options = values.map(([name, value]) => [`--map ${quoted(`${name}=${field}`)}`, value] as const)
  const others = field === 'joke' ? ', and perhaps others as =punchline and =category' : ''
  return { heading: `Choose one as the ${field}${others}:`, options }
}

/** Returns notes on fields that are left out, and on texts that may not be plain. */
export function notesOn(rows: Row[], mapping: Mapping): string[] {
  const sound = rows.filter(({ fault }) => fault === undefined)
  const names = new Set<string>()
  for (const { record } of sound) {
    const all = [...fieldsOf(record).keys()]
    const used = Object.values(mapping.namesOf(all)).flat()
    for (const name of all) if (!used.includes(name)) names.add(name)
  }
  const shown = printable([...names].slice(0, MOST_NAMES).join(', '))
  const more = names.size > MOST_NAMES ? ' and others' : ''
  const notes = names.size > 0 ? [`${plural(names.size, 'field')} left out: ${shown}${more}.`] : []
  for (const { what, isIn } of ODDITIES) {
    const odd = sound.filter(({ record }) => {
      const { joke, punchline } = mapping.jokeOf(record)
      return [joke, punchline].some((text) => typeof text === 'string' && isIn(text))
    })
    const [first] = odd
    const contain = odd.length === 1 ? 'contains' : 'contain'
    const place = first?.place.replace(/^(?!joke)/, 'in ')
    if (first) notes.push(`${plural(odd.length, 'joke')} ${contain} ${what}; the first is ${place}.`)
  }
  return notes
}
