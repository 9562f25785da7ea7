/** Names by which files call joke, punchline and category. */
import * as v from 'valibot'
import { JokeInput } from '../shared/joke.ts'

export const FIELDS = v.keyof(JokeInput).options
export type Field = (typeof FIELDS)[number]

/** Known names of what may be only the first half of a joke. */
export const SETUPS = ['setup', 'question']
const KNOWN: Record<Field, string[]> = {
  joke: ['joke', ...SETUPS],
  punchline: ['punchline', 'answer', 'delivery'],
  category: ['category'],
}

export function knownAs(name: string): Field | undefined {
  return FIELDS.find((field) => KNOWN[field].includes(lettersOf(name)))
}

/** Whether a text may name a field. A first line without names is often a joke. */
export function isName(text: string): boolean {
  return text.length <= 40 && !/[.?!…。？！]["'”’»)]?$/u.test(text) && text.split(/\s+/).length <= 4
}

/** Returns lower-case letters and digits, if there are any: `Word_Game` and `word game` are the same. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || name
}
