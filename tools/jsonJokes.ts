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

/** An array or object whose end is not known yet, or the file. */
interface Open {
  end: '}' | ']' | ''
  start: number
  line: number
  /** How many jokes were found before. */
  before: number
  fields: Set<string>
  isJoke: boolean
  /** Whether a joke is in it, and whether one is a value of it. */
  isAroundJokes: boolean
  hasJoke: boolean
  /** Whether an object is in it that is, or is in, an element of an array. */
  isAroundLists: boolean
  fault?: string
}

/**
 * Finds the jokes in JSON values that follow each other: objects with a certain field, other objects beside them, and the
 * elements of arrays. Objects around these are passed over, and so are arrays without objects. Whatever is broken is found,
 * too. Takes linear time.
 *
 * @param isJokeField whether an object with this field is a joke, and not one around jokes
 */
export function findJsonJokes(file: string, isJokeField: (name: string) => boolean): FoundJoke[] {
  const text = file.replaceAll(COMMENT, '')
  const found: { joke: FoundJoke; beside?: Open }[] = []
  let line = 1
  let top = containerAt(0, '')
  const open = [top]
  /** Tokens that are neither brackets nor separators, since the last of these, and where they are. */
  let piece: string[] = []
  let pieceStart = { offset: 0, line }
  let pieceEnd = 0

  function containerAt(start: number, end: Open['end']): Open {
    const flags = { isJoke: false, isAroundJokes: false, hasJoke: false, isAroundLists: false }
    return { end, start, line, before: found.length, fields: new Set(), ...flags }
  }

  /** A field of an object; otherwise a text or number, or something broken. */
  function endPiece(): void {
    const [token = ''] = piece
    if (top.end === '}' && isField(piece)) {
      const name = token.slice(1, -1)
      if (top.fields.has(name)) top.fault = `It has the field ${name} twice.`
      top.fields.add(name)
      top.isJoke ||= isJokeField(name)
    } else if (token) found.push({ joke: { json: text.slice(pieceStart.offset, pieceEnd), line: pieceStart.line } })
    piece = []
  }

  function close(end: number): void {
    const closed = top
    open.pop()
    top = open.at(-1) ?? closed
    const isObject = closed.end === '}'
    const isValue = top.end === '}' && !closed.isJoke
    const isOnlyAround = isObject ? closed.isAroundJokes && !closed.isJoke : !isValue
    if (!isOnlyAround && !(isValue && closed.isAroundLists)) {
      found.length = closed.before
      const joke = { json: text.slice(closed.start, end), line: closed.line, fault: closed.fault }
      if (isObject) found.push(isValue ? { joke, beside: top } : { joke })
    }
    top.hasJoke ||= closed.isJoke
    top.isAroundJokes ||= closed.isJoke || closed.isAroundJokes
    top.isAroundLists ||= closed.isAroundLists || (isObject && top.end !== '}')
  }

  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const end = index + token.length
    if (token === ',') endPiece()
    else if (token === '\n') {
      if (top.end !== '}') endPiece()
      line += 1
    } else {
      if (token === '{' || token === '[') {
        const isValue = piece.length === 2 && isField(piece)
        endPiece()
        // An object lacks its end.
        while (top.end === '}' && !isValue) close(pieceEnd)
        top = containerAt(index, token === '{' ? '}' : ']')
        open.push(top)
      } else if (token === '}' || token === ']') {
        endPiece()
        if (top.end !== token && open.at(-2)?.end === token) close(pieceEnd)
        if (top.end === token) close(end)
      } else {
        if (piece.length === 0) pieceStart = { offset: index, line }
        piece.push(token)
      }
      pieceEnd = end
    }
  }
  endPiece()
  while (open.length > 1) close(pieceEnd)
  return found
    .filter(({ beside }) => !beside || beside.hasJoke)
    .map(({ joke }) => ({ ...joke, json: joke.json.replaceAll(/[\r\n]\s*/g, ' ') }))
}

function isField([name, colon, , more]: string[]): boolean {
  return name?.startsWith('"') === true && colon === ':' && more === undefined
}
