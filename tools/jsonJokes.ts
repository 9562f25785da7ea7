/** The jokes in JSON: in arrays, in objects around arrays, and in values that follow each other. What is broken is passed over. */
import { JSONParser } from '@streamparser/json'
import { Rejected } from './mapping.ts'

interface FoundJoke {
  json: string
  /** Where it begins, unless it is a text or number in an array. */
  line?: number | undefined
  /** Why it is rejected, if it is not because of its JSON. */
  fault?: string | undefined
}

type IsJoke = (value: object) => boolean

interface Place {
  offset: number
  line: number
}

/** Where something broken begins. */
interface Broken extends Place {
  fault?: string
}

/** Lines, and objects in a list that are on one line. A string may be cut, too. Latin-1 has a character for each byte. */
const PIECE_START = /(?<=\n)|(?=\{)(?<=[[\]},][ \t\r]*)/

/** Reading goes on at an object after something that is broken. */
const OBJECT_START = /^\s*\{/
const COMMENT = /^[ \t]*#.*/gm

const MAX_DEPTH = 100

/**
 * Finds the jokes in JSON. Those that are not in an object with jokes are the elements of arrays, and whole values.
 * Something broken becomes a joke that is no JSON, up to the next one. Takes linear time, whatever the bytes are.
 *
 * @param isJoke whether an object is a joke, and not one around jokes
 */
export function* findJsonJokes(file: Buffer, isJoke: IsJoke): Generator<FoundJoke> {
  const text = file.toString('latin1').replaceAll(COMMENT, (comment) => ' '.repeat(comment.length))
  const bytes = Buffer.from(text, 'latin1')
  let reader = new ValueReader(bytes, { offset: 0, line: 1 }, isJoke)
  let broken: Broken | undefined
  let next: Place = { offset: 0, line: 1 }
  for (const piece of text.split(PIECE_START)) {
    const place = next
    next = { offset: place.offset + piece.length, line: place.line + (piece.endsWith('\n') ? 1 : 0) }
    const isStart = OBJECT_START.test(piece)
    for (let isRead = false; !isRead && (!broken || isStart); ) {
      if (broken) {
        yield* brokenJoke(bytes, broken, place.offset)
        reader = new ValueReader(bytes, place, isJoke, '[')
      }
      const isNew = broken !== undefined
      broken = reader.read(bytes.subarray(place.offset, next.offset), place.line)
      yield* reader.take()
      // If the object before lacks its end, this one may be whole.
      isRead = isNew || !broken || broken.offset > place.offset
    }
  }
  broken ??= reader.read(undefined, next.line)
  yield* reader.take()
  if (broken) yield* brokenJoke(bytes, broken, bytes.length)
}

/** Reads values that follow each other, up to the first fault. */
class ValueReader {
  readonly #parser = new JSONParser({ separator: '', emitPartialValues: true })
  readonly #bytes: Buffer
  readonly #isJoke: IsJoke
  /** Where arrays and objects begin, and end. */
  readonly #places = new WeakMap<object, Place & { end?: number }>()
  /** Where the last token begins. */
  #last: Place
  #found: FoundJoke[] = []
  /** The arrays and objects that have no end yet, the outermost first. */
  #open: () => unknown[] = () => []

  /** @param prefix is read first: the beginning of a list whose own one was passed over */
  constructor(bytes: Buffer, start: Place, isJoke: IsJoke, prefix = '') {
    this.#bytes = bytes
    this.#isJoke = isJoke
    this.#last = start
    this.#parser.onToken = ({ offset }) => {
      this.#last = { offset: start.offset - prefix.length + offset, line: this.#last.line }
    }
    this.#parser.onValue = ({ value, key, parent, stack, partial = false }) => {
      if (stack.length > MAX_DEPTH) throw new Rejected(`It has more than ${MAX_DEPTH} levels.`)
      this.#open = () => [...stack.map((each) => each.value), parent]
      if (partial && parent && !this.#places.has(parent)) this.#places.set(parent, { ...this.#last })
      else if (partial && parent && key !== undefined && Object.hasOwn(parent, key))
        throw new Rejected(`It has the field ${key} twice.`)
      const place = isContainer(value) && this.#places.get(value)
      if (place) place.end = this.#last.offset + 1
      if (!partial && stack.length === 0) this.#find(value, undefined, this.#last)
    }
    this.#parser.write(prefix)
  }

  /**
   * Reads a part of a line, or the end of the file.
   *
   * @returns where the fault begins, if there is one
   */
  read(bytes: Buffer | undefined, line: number): Broken | undefined {
    this.#last = { ...this.#last, line }
    try {
      if (bytes) this.#parser.write(bytes)
      else this.#parser.end()
      return undefined
    } catch (error) {
      return this.#broken(error)
    }
  }

  /** Returns the jokes found since the last call. */
  take(): FoundJoke[] {
    return this.#found.splice(0)
  }

  #broken(error: unknown): Broken {
    const open = this.#open().filter(isContainer)
    if (open[0]) this.#find(open[0], new Set(open))
    const joke = open.find((each) => !Array.isArray(each) && !this.#isAround(each))
    const place = (joke && this.#places.get(joke)) ?? this.#last
    return error instanceof Rejected ? { ...place, fault: error.message } : place
  }

  /** Finds the jokes in a value, without those that are open. */
  #find(value: unknown, open = new Set<unknown>(), last?: Place): void {
    if (Array.isArray(value)) for (const part of value) this.#find(part, open)
    else if (isContainer(value) && this.#isAround(value)) {
      for (const part of Object.values(value))
        if (isListOfObjects(part) || this.#holdsJoke(part)) this.#find(part, open)
    } else if (!open.has(value)) {
      const { offset, end, line } = (isContainer(value) ? this.#places.get(value) : { ...last, end: undefined }) ?? {}
      // The parser leaves out byte order marks within a text.
      const exact = end === undefined ? value : JSON.parse(this.#bytes.toString('utf8', offset, end))
      this.#found.push({ json: JSON.stringify(exact), line })
    }
  }

  #isAround(value: object): boolean {
    return !this.#isJoke(value) && Object.values(value).some((part) => this.#holdsJoke(part))
  }

  #holdsJoke(value: unknown): boolean {
    if (Array.isArray(value)) return value.some((part) => this.#holdsJoke(part))
    return isContainer(value) && (this.#isJoke(value) || this.#isAround(value))
  }
}

/** What is between two places, on one line. */
function* brokenJoke(bytes: Buffer, { offset, line, fault }: Broken, end: number) {
  const text = bytes
    .toString('utf8', offset, end)
    .replace(/^[\s\]},[]+/, '')
    .trim()
  const json = text
    .replace(/\]$/, '')
    .trimEnd()
    .replace(/,$/, '')
    .replaceAll(/[\r\n]+/g, ' ')
  if (json !== '') yield { json, line, fault }
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.some(isContainer)
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
