/** Refuses a file, and shows the options that decide what is not certain. */
import { CannotContinue, printable } from './commandLine.ts'
import { isContainer } from './mapping.ts'

/** Options to use if the heading is true of the file, each with a value that it selects. */
export interface Choice {
  heading: string
  options: (readonly [option: string, value: unknown])[]
}

const MOST_OPTIONS = 10
const VALUE_LENGTH = 60

/**
 * Each option stands on a line of its own. The value behind it is a comment for a shell, so the line can be copied.
 *
 * @throws {CannotContinue}
 */
export function refuse(sentence: string, ...choices: Choice[]): never {
  const lines = choices.flatMap(({ heading, options }) => {
    const shown = options.slice(0, MOST_OPTIONS).map(([option, value]) => `  ${option}  # ${sampleOf(value)}`)
    const more = options.length > shown.length ? [`  … and ${options.length - shown.length} more`] : []
    return options.length > 0 ? [heading, ...shown, ...more] : []
  })
  throw new CannotContinue([sentence.replaceAll('\n', ' '), ...lines].join('\n'))
}

/** Returns the beginning of a text, or of the longest one in an object. */
function sampleOf(value: unknown): string {
  const values = isContainer(value) ? Object.values(value) : [value]
  const texts = values.map((each) => (isContainer(each) ? '…' : printable(`${each ?? ''}`).trim()))
  const [text = ''] = texts.toSorted((one, other) => other.length - one.length)
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text
}
