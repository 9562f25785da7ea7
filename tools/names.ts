/** Names by which files call joke, punchline and category, and how a name differs from a text. */
import { MAX_TEXT_LENGTH } from '../shared/clientLimits.ts'

export const FIELDS = ['joke', 'punchline', 'category'] as const
export type Field = (typeof FIELDS)[number]

/** Known names of texts that may be half a joke or its title. They name the joke only beside a punchline. */
export const HALVES = ['setup', 'question', 'title', 'body', 'text', 'content', 'selftext', 'headline']

/** Known names, as {@link lettersOf} gives them. A single letter names nothing: in quotes, `a` is the author. */
const KNOWN: Record<Field, string[]> = {
  joke: ['joke', 'joketext', ...HALVES],
  punchline: ['punchline', 'answer', 'delivery'],
  category: ['category'],
}

/** Several words, or the end of a sentence, or letters of a script without spaces. */
const SENTENCE =
  /\p{L}\S*\s+.*\p{L}|\p{L}.*[.?!…。？！]["'”’»]?$|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{4}/su

/** Returns the field that a name is known for. */
export function knownAs(name: string): Field | undefined {
  return FIELDS.find((field) => KNOWN[field].includes(lettersOf(name)))
}

/** Whether a value may be a joke or half of one. */
export function isSentence(value: unknown): value is string {
  // Longer texts are no jokes, and would take long.
  return typeof value === 'string' && SENTENCE.test(value.trim().slice(0, MAX_TEXT_LENGTH))
}

/** Whether a text is short enough to name a column, and no sentence. An index may have no name. */
export function isName(text: string): boolean {
  return text.length <= 40 && !/[.?!…。？！]\W*$/u.test(text) && text.trim().split(/\s+/).length <= 4
}

/** Whether a line names columns, at least one of them by a known name. */
export function isHeader(cells: string[]): boolean {
  return cells.every(isName) && cells.some((name) => knownAs(name) !== undefined)
}

/** Returns lower-case letters and digits, if there are any: `Word_Game` and `word game` are the same. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '') || name
}
