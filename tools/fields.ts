/** Checks the fields of all jokes of a file before they are imported. */
import { printable, quoted } from './commandLine.ts'
import { isPresent, type Mapping, type Row } from './mapping.ts'
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

const MOST_NAMES = 10

/** @throws {CannotContinue} if it is uncertain which field is the joke, the punchline or the category */
export function checkFields(rows: Row[], mapping: Mapping): void {
  const samples = new Map<string, unknown>()
  for (const { place, record, fault } of rows) {
    if (fault !== undefined) continue
    for (const [field, names] of Object.entries(mapping.namesOf(Object.keys(record)))) {
      const rivals = names
        .filter((name) => isPresent(record[name]))
        .map((name): [string, unknown] => [name, record[name]])
      if (rivals.length > 1)
        refuse(`Several fields of ${place} may be the ${field}.`, choiceOf(`Choose the ${field}`, rivals, field))
    }
    for (const [name, value] of Object.entries(record)) if (!isPresent(samples.get(name))) samples.set(name, value)
  }
  if (samples.size === 0) return
  const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0)
  const choice = choiceOf(
    'Choose the joke',
    [...samples].toSorted(([, one], [, other]) => lengthOf(other) - lengthOf(one)),
  )
  const missing = mapping.mapped.find((name) => !samples.has(name))
  if (missing !== undefined) refuse(`No joke has a field ${printable(missing)}. Leave out its --map.`, choice)
  const isKnown = mapping.namesOf([...samples.keys()]).joke.length > 0
  if (!isKnown)
    refuse('No field is known as the joke. If none holds it, convert the file to a list of objects.', choice)
}

/** Makes options that give a field to one of some names. */
export function choiceOf(heading: string, values: [name: string, value: unknown][], field = 'joke'): Choice {
  const others = field === 'joke' ? ', and perhaps others as =punchline and =category' : ''
  const options = values.map(([name, value]) => [`--map ${quoted(`${name}=${field}`)}`, value] as const)
  return { heading: `${heading}${others}:`, options }
}

/** Returns notes on fields that are left out, and on texts that may not be plain. */
export function notesOn(rows: Row[], mapping: Mapping): string[] {
  const sound = rows.filter(({ fault }) => fault === undefined)
  const names = new Set<string>()
  for (const { record } of sound) {
    const all = Object.keys(record)
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
    const contain = odd.length === 1 ? 'contains' : 'contain'
    const place = odd[0]?.place.replace(/^(?!joke)/, 'in ')
    if (place) notes.push(`${plural(odd.length, 'joke')} ${contain} ${what}; the first is ${place}.`)
  }
  return notes
}
