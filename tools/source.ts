/** The file of an import, as sentences and commands name it. */
import { extname } from 'node:path'
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

export class Source {
  /** The ending of the name in lower case, even if `.gz` follows, or `''`: then only the content tells the format. */
  readonly ending: string
  readonly #path: string

  /** @param path as on the command line: `-` is standard input */
  constructor(path: string) {
    this.ending = extname(path.toLowerCase().replace(/\.gz$/, ''))
    this.#path = path
  }

  /** Refuses the file with a sentence that begins with its name. */
  refuse(found: string): never {
    throw new CannotContinue(`${this.#path === '-' ? 'Standard input' : printable(this.#path)} ${found}`)
  }

  /** Refuses the file with a command that converts it. The program reads standard input. */
  convert(found: string, program: string, ending = this.ending): never {
    const [input, stem] = this.#path === '-' ? ['', 'stdin'] : [` < ${quoted(this.#path)}`, this.#path]
    const command = `${program}${input} > ${quoted(`${stem}-converted${ending}`)}`
    return this.refuse(`${found} Convert it, and import the new file:\n  ${command}`)
  }
}
