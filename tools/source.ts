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

  /** Refuses the file with a sentence that begins with its name, and a program that converts its standard input. */
  refuse(found: string, program?: string, ending = this.ending): never {
    const [name, input, stem] =
      this.#path === '-'
        ? ['Standard input', '', 'stdin']
        : [printable(this.#path), ` < ${quoted(this.#path)}`, this.#path]
    const output = quoted(`${stem}-converted${ending}`)
    const advice = program ? ` Convert it, and import the new file:\n  ${program}${input} > ${output}` : ''
    throw new CannotContinue(`${name} ${found}${advice}`)
  }
}
