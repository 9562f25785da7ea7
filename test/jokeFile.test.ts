import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { type Entry, entriesOf, parseMapping, toJokeInput } from '../tools/jokeFile.ts'

const plain = parseMapping([])

describe('a file of jokes', () => {
  const one = { joke: 'One, [two] {three}', category: 'School' }
  const two = { joke: 'Deux « é » \\ "', punchline: '🐔', category: 'Classic' }
  const jokes = [one, two]

  it.each([
    ['a JSON array', JSON.stringify(jokes)],
    ['a JSON array over many lines', JSON.stringify(jokes, undefined, 2)],
    ['a JSON array with Windows line ends', JSON.stringify(jokes, undefined, 2).replaceAll('\n', '\r\n')],
    ['several arrays', `[${JSON.stringify(one)}]\n[${JSON.stringify(two)}]`],
    ['JSON Lines', `${JSON.stringify(one)}\n${JSON.stringify(two)}\n`],
    [
      'JSON Lines with a byte order mark, empty lines and comments',
      `\uFEFF\n# mine\n\n${JSON.stringify(one)}\n# 2\n${JSON.stringify(two)}`,
    ],
    ['objects over many lines', jokes.map((joke) => JSON.stringify(joke, undefined, 2)).join('\n')],
    ['objects with nothing in between', jokes.map((joke) => JSON.stringify(joke)).join('')],
    ['an object that wraps an array', JSON.stringify({ total: 2, meta: { by: ['me'] }, jokes, next: null })],
    ['the same over many lines', JSON.stringify({ total: 2, meta: { by: ['me'] }, jokes, next: null }, undefined, 2)],
    ['objects within objects that wrap arrays', JSON.stringify({ data: { a: [one], b: [two] }, ok: true })],
    [
      'pages, each wrapped',
      `${JSON.stringify({ jokes: [one] }, undefined, 1)}\n${JSON.stringify({ jokes: [two] }, undefined, 1)}`,
    ],
    ['CSV', 'joke,punchline,category\n"One, [two] {three}",,School\n"Deux « é » \\ """,🐔,Classic\n'],
    [
      'CSV of a spreadsheet',
      '\uFEFFcategory; joke ;punchline\r\nSchool;One, [two] {three};\r\n\r\nClassic;"Deux « é » \\ """;🐔\r\n',
    ],
    ['CSV with tabs', 'joke\tpunchline\tcategory\nOne, [two] {three}\t\tSchool\n"Deux « é » \\ """\t🐔\tClassic'],
  ])('may be %s', (_, text) => {
    expect(read(text)).toEqual(jokes)
  })

  it.each([
    ['is not closed', '[\n{"joke": "A"},\n{"joke": "B",\n{"joke": "C"}\n]', '2 A, 3 fault, 4 C'],
    ['is closed twice', '[\n{"joke": "A"},\n{"joke": "B"}},\n{"joke": "C"}\n]', '2 A, 3 fault, 4 C'],
    ['has an open string', '[\n{"joke": "A"},\n{"joke": "B},\n{"joke": "C"}]', '2 A, 3 fault, 4 C'],
    ['has loose quotation marks', '[{"joke": "A"},\n{"joke": "a "B" c"},\n{"joke": "C"}]', '1 A, 2 fault, 3 C'],
    ['lacks a comma after it', '[{"joke": "A"}\n{"joke": "B"}, 7 {"joke": "C"}]', '1 A, 2 B, 2 fault, 2 C'],
    ['is a broken line', '{"joke": "A"}\n{"joke": "B\n{"joke": "C"}\noops\n', '1 A, 2 fault, 3 C, 4 fault'],
    ['is within a wrapper', '{"jokes": [\n{"joke": "A"},\n{"joke": "B",\n{"joke": "C"}], "n": 3}', '2 A, 3 fault, 4 C'],
    ['is a row that is too long', 'joke,category\nA,School\nB, or not,School\nC,School', '2 A, 3 B, 4 C'],
    ['is a row with an open string', 'joke,category\n"A\n",School\n\n"B,School\nC,School', '2 A\n, 5 fault'],
  ])('does not lose other jokes if one %s', (_, text, expected) => {
    const entries = entriesOf(Buffer.from(text), plain).map((entry) => `${entry.line} ${leadInOf(entry)}`)
    expect(entries.join(', ')).toBe(expected)
  })

  it('names cells without a column, so that the service rejects them', () => {
    expect(read('joke,category\nB, or not,School')).toEqual([{ joke: 'B', category: 'or not', 'column 3': 'School' }])
  })

  it('rejects lines in another encoding, and no others', () => {
    const [first, second] = entriesOf(Buffer.from('{"joke": "Caf\xE9"}\n{"joke": "Tea"}', 'latin1'), plain)
    expect(() => first && toJokeInput(first, plain)).toThrow('This is not UTF-8')
    expect(second && toJokeInput(second, plain)).toEqual({ joke: 'Tea' })
  })

  it('may be CSV with other column names', () => {
    const mapping = parseMapping(['été=joke', 'type=category'])
    const [entry] = entriesOf(Buffer.from('été,type\nA,School'), mapping)
    expect(entry && toJokeInput(entry, mapping)).toEqual({ joke: 'A', category: 'School' })
  })

  it.each([
    ['in UTF-16', Buffer.from('\uFEFF[]', 'utf16le'), 'The file is in UTF-16. Save it as UTF-8.'],
    [
      'of another kind',
      Buffer.from('Jokes,Rating\nA,5\n'),
      'neither JSON nor CSV whose first line names a column joke',
    ],
  ])('is rejected as a whole if it is %s', (_, file, message) => {
    expect(() => entriesOf(file, plain)).toThrow(message)
  })

  it('may be empty', () => {
    expect(['', '\n', '[]', '[\n]', 'joke,category\n'].map((text) => read(text))).toEqual([[], [], [], [], []])
  })
})

function read(text: string): unknown[] {
  return entriesOf(Buffer.from(text), plain).map((entry) => toJokeInput(entry, plain))
}

/** The lead-in of an entry, or `fault` if it cannot be read. */
function leadInOf(entry: Entry): string {
  try {
    return v.parse(v.object({ joke: v.string() }), toJokeInput(entry, plain)).joke
  } catch {
    return 'fault'
  }
}
