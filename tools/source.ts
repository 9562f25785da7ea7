/** The file of an import: its name, its text, and how it is refused. */
import { isUtf8 } from 'node:buffer'
import { extname } from 'node:path'
import { MAX_TEXT_LENGTH } from '../shared/clientLimits.ts'
import { CannotContinue, printable, quoted } from './commandLine.ts'

export const LINE_END = /\r\n|\n|\r/

/** A joke in a file: its place, such as `item 2`, `line 3` or `row 4`, its fields, and if it is broken, why. */
export interface Row {
  place: string
  record: Record<string, unknown>
  fault?: string
  /** The line of a broken row, for the file of rejected jokes. */
  line?: string
}

/** A field that an option of `import` can give a meaning. */
export type Field = 'joke' | 'punchline' | 'category'

/** A field of a file, the meaning that `--map` can give it, and its value in one of the jokes. */
export interface Choice {
  name: string
  field: Field
  sample: unknown
}

const MOST_CHOICES = 10
const SAMPLE_LENGTH = 60
const ARCHIVES = ['PK\x03\x04', '\xD0\xCF\x11\xE0']
const SPREADSHEET = /^\.(?:xlsx?|ods|numbers)$/

export class Source {
  /** As sentences name it. */
  readonly name: string
  /** The ending of the name in lower case, or `''` for standard input, of which only the content is known. */
  readonly ending: string
  readonly #path: string

  /** @param path as on the command line: `-` is standard input */
  constructor(path: string) {
    this.name = path === '-' ? 'Standard input' : path
    this.ending = path === '-' ? '' : extname(path).toLowerCase()
    this.#path = path === '-' ? '/dev/stdin' : path
  }

  /** Refuses the file with a sentence that begins with its name. */
  refuse(found: string): never {
    throw new CannotContinue(`${printable(this.name)} ${found}`)
  }

  /** Refuses the file with a command that converts it. The program reads standard input. */
  convert(found: string, program: string, ending = this.ending, advice = 'Convert it'): never {
    const stem = this.#path === '/dev/stdin' ? 'stdin' : this.#path.slice(0, this.#path.length - this.ending.length)
    const command = `${program} < ${quoted(this.#path)} > ${quoted(`${stem}.converted${ending}`)}`
    return this.refuse(`${found} ${advice}, and import the new file:\n  ${command}`)
  }

  /** Refuses the file with options that give its fields a meaning. Behind each, a comment shows a value. */
  offer(found: string, choices: Choice[]): never {
    const lines = choices.slice(0, MOST_CHOICES).map(({ name, field, sample }) => {
      const text = printable(`${sample}`).trim()
      const shown = text.length > SAMPLE_LENGTH ? `${text.slice(0, SAMPLE_LENGTH)}…` : text
      return `\n  --map ${quoted(`${name}=${field}`)}  # ${shown}`
    })
    const more = choices.length > MOST_CHOICES ? `\n  … and ${choices.length - MOST_CHOICES} more` : ''
    return this.refuse(`${found}${lines.join('')}${more}`)
  }

  /** Decodes the file. @throws {CannotContinue} if it is not text in UTF-8 */
  textOf(bytes: Buffer): string {
    const start = bytes.toString('latin1', 0, 4)
    if (start.startsWith('\x1F\x8B'))
      this.convert('is compressed with gzip.', 'gunzip', extname(this.#path.replace(/\.gz$/i, '')))
    if (ARCHIVES.includes(start) || SPREADSHEET.test(this.ending))
      this.refuse('is a spreadsheet or an archive. Save the spreadsheet as CSV UTF-8.')
    const isMarked = start.startsWith('\xFF\xFE') || start.startsWith('\xFE\xFF')
    const wide = isMarked ? 'UTF-16' : start[1] === '\0' ? 'UTF-16LE' : start[0] === '\0' && 'UTF-16BE'
    if (wide) this.convert('is in UTF-16.', `iconv -f ${wide} -t UTF-8`)
    if (!isUtf8(bytes)) {
      const lines = bytes.toString('latin1').split(LINE_END)
      const wrong = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
      const found = `is not in UTF-8, because line ${wrong + 1} is not valid.`
      this.convert(found, 'iconv -f WINDOWS-1252 -t UTF-8', this.ending, 'If it is in Windows-1252, convert it')
    }
    const text = new TextDecoder().decode(bytes)
    return text.trim() === '' ? this.refuse('is empty, so there is nothing to import.') : text
  }
}

/** Several words, or the end of a sentence, or letters of a script without spaces. */
const SENTENCE =
  /\p{L}\S*\s+.*\p{L}|\p{L}.*[.?!…。？！]["'”’»]?$|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{4}/su

/** Whether a value may be a joke or half of one. */
export function isSentence(value: unknown): boolean {
  // Longer texts are no jokes, and would take long.
  return typeof value === 'string' && SENTENCE.test(value.trim().slice(0, MAX_TEXT_LENGTH))
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
