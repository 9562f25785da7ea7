/** Files of jokes: a JSON array, or JSON Lines. */

/** A joke as it stands in a file, well-formed or not. */
export interface Entry {
  /** Where it begins, counted from 1. */
  line: number
  text: string
}

/** Leaves out empty lines, and comments: lines that begin with `#`. */
export function entriesOf(file: string): Entry[] {
  const lines = file
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
  return lines[0]?.text.startsWith('[') ? elementsOf(lines) : lines
}

/** The elements of an array that may span lines, told apart without parsing them: one broken one is no reason to lose the rest. */
function elementsOf(lines: Entry[]): Entry[] {
  const elements: Entry[] = []
  let depth = 0
  let element: Entry | undefined
  for (const { line, text } of lines) {
    for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{},]|[^"[\]{},\s]+|\s+/g)) {
      const isOutside = depth === (token === ']' ? 1 : 0) && '[]'.includes(token)
      const isSeparator = depth === 1 && token === ','
      if ('[{'.includes(token)) depth += 1
      if (']}'.includes(token)) depth -= 1
      if (isOutside || isSeparator) element = undefined
      else if (element !== undefined) element.text += token
      else if (token.trim() !== '') {
        element = { line, text: token }
        elements.push(element)
      }
    }
  }
  return elements
}

/** What the service assigns, so that what it has exported can be imported. */
const ASSIGNED = ['id', 'thumbsUp', 'thumbsDown', 'dateAdded']

/** How to make jokes of the service of what a file holds. */
export interface Mapping {
  /** New names of fields; empty: leave it out. */
  fields: Map<string, string>
  /** New values, by `<field>:<value>` as in the file; `<field>:` is for those without it. */
  values: Map<string, string>
}

/**
 * Reads mappings as the command line has them: `setup=joke`, `rating=`, `type:general=Classic`, `category:=Classic`.
 *
 * @throws {SyntaxError} for anything else
 */
export function parseMapping(mappings: string[]): Mapping {
  const mapping: Mapping = { fields: new Map(), values: new Map() }
  for (const sent of mappings) {
    const [, from = '', value, to = ''] = /^([^:=]+)(:[^=]*)?=(.*)$/.exec(sent) ?? []
    if (from === '') throw new SyntaxError(`--map ${sent}: it must be FIELD=NAME or FIELD:VALUE=OTHER.`)
    if (value === undefined) mapping.fields.set(from, to)
    else mapping.values.set(from + value, to)
  }
  return mapping
}

/**
 * What to send for an entry.
 *
 * @throws {SyntaxError} where it is no JSON
 */
export function toNewJoke({ text }: Entry, { fields, values }: Mapping): unknown {
  const sent: unknown = JSON.parse(text)
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  const missing = [...values.keys()].filter((key) => key.endsWith(':')).map((key) => [key.slice(0, -1), ''] as const)
  const joke = Object.entries({ ...Object.fromEntries(missing), ...sent })
    .filter(([field]) => !ASSIGNED.includes(field))
    .map(([field, value]) => [fields.get(field) ?? field, values.get(`${field}:${value}`) ?? value] as const)
    .filter(([field]) => field !== '')
  return Object.fromEntries(joke)
}
