/** Where the jokes in JSON are, also if some of it is broken. `JSON.parse` then reads each of them alone. */

export interface FoundJoke {
  /** On one line. What is broken is no JSON. */
  json: string
  line: number
  /** Why it is rejected, if it is not because of its JSON. */
  fault?: string | undefined
}

/**
 * Strings, which end with their line at the latest, brackets, separators, line ends, and whatever else there is. The bound
 * keeps a string of many megabytes from exhausting the stack; it is then broken.
 */
const TOKEN = /"[^"\\\n]*(?:\\[^\n][^"\\\n]*){0,1000000}"?|[{}[\],:\n]|[^\s"{}[\],:]+/g
const COMMENT = /(?<=^|\n)[ \t]*#[^\n]*/g

/** A joke with more could not be sent. */
const MAX_LEVELS = 100

/**
 * Finds the jokes in JSON values that follow each other: objects with a certain field, what is beside them, and the elements
 * of arrays. Objects around these are passed over, and so are arrays without objects. Whatever is broken is found, too. Takes
 * linear time.
 *
 * @param isJokeField whether an object with this field is a joke, and not one around jokes
 */
export function findJsonJokes(file: string, isJokeField: (name: string) => boolean): FoundJoke[] {
  const finder = new Finder(file.replaceAll(COMMENT, ''), isJokeField)
  return finder.find().map((joke) => ({ ...joke, json: joke.json.replaceAll(/[\r\n]\s*/g, ' ') }))
}

/** An array or object whose end is not known yet. */
interface Open {
  end: '}' | ']' | ''
  start: number
  line: number
  /** How many jokes were found before. */
  before: number
  fields: Set<string>
  isJoke: boolean
  /** Whether one of its elements or values is a joke. */
  hasJoke: boolean
  /** Whether there is a joke in it, however deep. */
  isAroundJokes: boolean
  /** Whether there is an object in an array in it, or if it is an array, any object. */
  isAroundLists: boolean
  levels: number
  fault?: string
}

class Finder {
  readonly #text: string
  readonly #isJokeField: (name: string) => boolean
  readonly #found: { joke: FoundJoke; beside?: Open }[] = []
  readonly #open: Open[] = []
  /** Tokens that are neither brackets nor commas, since the last of these; where they begin. */
  #tokens: string[] = []
  #start = { offset: 0, line: 1 }
  /** Where the last token ended that is no separator. */
  #end = 0
  #line = 1
  #top: Open

  constructor(text: string, isJokeField: (name: string) => boolean) {
    this.#text = text
    this.#isJokeField = isJokeField
    this.#top = this.#push('', 0)
  }

  find(): FoundJoke[] {
    for (const { 0: token, index } of this.#text.matchAll(TOKEN)) {
      if (token === '\n') this.#line += 1
      else if (token !== ',') this.#read(token, index)
      if (token === ',' || (token === '\n' && this.#top.end !== '}')) this.#endPiece()
    }
    this.#endPiece()
    while (this.#open.length > 1) this.#close(this.#end)
    return this.#found.filter(({ beside }) => !beside || beside.hasJoke).map(({ joke }) => joke)
  }

  #read(token: string, start: number): void {
    const end = start + token.length
    if (token === '{' || token === '[') {
      const isValue = this.#tokens.length === 2 && isField(this.#tokens)
      this.#endPiece()
      // An object lacks its end.
      while (this.#top.end === '}' && !isValue) this.#close(this.#end)
      this.#push(token === '{' ? '}' : ']', start)
    } else if (token === '}' || token === ']') {
      this.#endPiece()
      if (this.#top.end !== token && this.#open.at(-2)?.end === token) this.#close(this.#end)
      if (this.#top.end === token) this.#close(end)
    } else {
      if (this.#tokens.length === 0) this.#start = { offset: start, line: this.#line }
      this.#tokens.push(token)
    }
    this.#end = end
  }

  #push(end: Open['end'], start: number): Open {
    const flags = { isJoke: false, hasJoke: false, isAroundJokes: false, isAroundLists: false }
    const place = { end, start, line: this.#line, before: this.#found.length }
    this.#top = { ...place, ...flags, fields: new Set(), levels: 1 }
    this.#open.push(this.#top)
    return this.#top
  }

  /** A field of an object, an element of an array that is none of both, or something broken. */
  #endPiece(): void {
    const [token = ''] = this.#tokens
    if (this.#top.end === '}' && isField(this.#tokens)) {
      const name = token.slice(1, -1)
      if (this.#top.fields.has(name)) this.#top.fault = `It has the field ${name} twice.`
      this.#top.fields.add(name)
      this.#top.isJoke ||= this.#isJokeField(name)
    } else if (token) {
      const { offset, line } = this.#start
      this.#found.push({ joke: { json: this.#text.slice(offset, this.#end), line } })
    }
    this.#tokens = []
  }

  #close(end: number): void {
    const closed = this.#top
    this.#open.pop()
    this.#top = this.#open.at(-1) ?? closed
    const around = this.#top
    const isObject = closed.end === '}'
    const isValue = around.end === '}' && !closed.isJoke
    const isOnlyAround = isObject ? closed.isAroundJokes && !closed.isJoke : !isValue
    if (!isOnlyAround && !(isValue && closed.isAroundLists)) {
      this.#found.length = closed.before
      const fault = closed.levels > MAX_LEVELS ? `It has more than ${MAX_LEVELS} levels.` : closed.fault
      const joke = { json: this.#text.slice(closed.start, end), line: closed.line, fault }
      if (isObject) this.#found.push(isValue ? { joke, beside: around } : { joke })
    }
    around.hasJoke ||= closed.isJoke
    around.isAroundJokes ||= closed.isJoke || closed.isAroundJokes
    around.isAroundLists ||= closed.isAroundLists || (isObject && around.end !== '}')
    around.levels = Math.max(around.levels, closed.levels + 1)
  }
}

function isField([name, colon, , more]: string[]): boolean {
  return name?.startsWith('"') === true && colon === ':' && more === undefined
}
