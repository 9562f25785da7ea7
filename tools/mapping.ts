/** Translates the fields and values of a file into those of a joke. */
import { parseTree } from 'jsonc-parser'
import { messageOf } from '../shared/causes.ts'
import { InvalidInput } from '../shared/errors.ts'
import { CATEGORIES, Joke, JokeInput } from '../shared/joke.ts'
import { CannotContinue } from './commandLine.ts'

/**
 * Translations by key, in lower case. The key `<field>` has the new name of a field, or an empty text to leave it out.
 * The key `<field>:<value>` has the new value. The key `<field>:` has the value where the field is absent, empty or
 * null. An asterisk stands for all other fields or values.
 */
export type Mapping = Map<string, string>

/** Values of `--map` for the files of other collections, by the collection's name. */
export const MAPPINGS: Record<string, string[]> = {
  official_joke_api: ['setup=joke', 'type=category', 'type:knock-knock=KnockKnock', 'type:*=Classic', '*='],
  JokeAPI: ['setup=joke', 'delivery=punchline', 'category:pun=Word game', 'category:*=Classic', '*='],
  icanhazdadjoke: ['category:=Classic', '*='],
  reddit: [
    ...['title=joke', 'body=punchline', 'selftext=punchline', 'category:=Classic', '*='],
    // Reddit shows these in place of a deleted text.
    ...['body', 'selftext'].flatMap((field) => [`${field}:[deleted]=`, `${field}:[removed]=`]),
  ],
}

/** Reads the values of `--map`. Of two values for the same key, the later one counts. @throws {CannotContinue} */
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

/** Translates an entry into the joke that is sent to the service. @throws {InvalidInput} if it is broken or ambiguous */
export function toJokeInput({ json, fault }: { json: string; fault?: string | undefined }, mapping: Mapping): unknown {
  if (fault !== undefined) throw faultyJoke(fault)
  const sent = parseJson(json)
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  const present = Object.keys(sent).map((key) => key.trim().toLowerCase())
  const absent = [...mapping.keys()]
    .filter((key) => /:\*?$/.test(key))
    .map((key) => key.replace(/:.*/, ''))
    .filter((field) => !present.includes(field))
  const fields = new Map<string, { key: string; value: unknown }>()
  for (const [key, value] of [...Object.entries(sent), ...absent.map((field) => [field, ''] as const)]) {
    const name = nameOf(key, mapping)
    // Only the category is trimmed here, because the service trims the texts.
    const known = name === 'category' && typeof value === 'string' ? value.trim() : value
    const text = typeof known === 'object' ? JSON.stringify(known ?? undefined) : String(known)
    const [exact, any] = [text ?? '', '*'].map((sought) => mapping.get(`${key.trim()}:${sought}`.toLowerCase()))
    const category = name === 'category' ? CATEGORY_NAMES.get(`${text}`.toLowerCase()) : undefined
    const field = { key, value: exact ?? any ?? category ?? known }
    const other = fields.get(name)
    if (name === '' || (other && field.value === '')) continue
    if (other && other.value !== '' && other.value !== field.value)
      throw faultyJoke(`${other.key} and ${key} are both ${name}: leave one of them out with --map ${key}=`)
    fields.set(name, field)
  }
  return Object.fromEntries(Array.from(fields, ([name, { value }]) => [name, value]))
}

/** Categories, by their names in lower case. */
const CATEGORY_NAMES = new Map(CATEGORIES.map((name) => [name.toLowerCase(), name]))
const FIELD_NAMES = Object.keys(JokeInput.entries)

/** Returns the name under which a field is sent to the service, or an empty text if it is left out. */
export function nameOf(key: string, mapping: Mapping): string {
  const trimmed = key.trim()
  const field = trimmed.toLowerCase()
  if (ASSIGNED.includes(field)) return ''
  return mapping.get(field) ?? (FIELD_NAMES.includes(field) ? field : (mapping.get('*') ?? trimmed))
}

/** Fields that the service assigns, in lower case. They are left out, so that an export can be imported. */
const ASSIGNED = Object.keys(Joke.entries)
  .filter((field) => !FIELD_NAMES.includes(field))
  .map((field) => field.toLowerCase())

/** Makes the error for a fault of the joke as a whole. */
export function faultyJoke(detail: string): InvalidInput {
  return new InvalidInput([{ field: '', code: 'invalid', detail }])
}

/** Whether a value has more than a hundred levels. Thousands would exhaust the stack, here and in the service. */
function isDeep(value: unknown, levels = 100): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeep(each, levels - 1))
}

function parseJson(json: string): unknown {
  try {
    const sent = JSON.parse(json)
    if (isDeep(sent)) throw faultyJoke('It has too many levels.')
    const names = parseTree(json)?.children?.map(({ children: [key] = [] }) => key?.value) ?? []
    const twice = names.find((name, index) => name !== undefined && names.indexOf(name) < index)
    if (twice !== undefined && !Array.isArray(sent)) throw faultyJoke(`It has the field ${twice} twice.`)
    return sent
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw faultyJoke(`This is not JSON: ${messageOf(error).replace(' (line 1 ', ' (')}.`)
  }
}
