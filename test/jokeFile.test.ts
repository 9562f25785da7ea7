import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import Papa from 'papaparse'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { CATEGORIES, JokeInput } from '../shared/joke.ts'
import { entriesOf, parseMapping, toJokeInput } from '../tools/jokeFile.ts'

const plain = parseMapping([])
const UTF16 = 'The file is in UTF-16. Save it as UTF-8.'
const NOT_UTF8 = 'This is not UTF-8: save the file in this encoding.'

describe('a file of jokes', () => {
  const one = { joke: 'One, [two] {three}', category: 'School' }
  const two = { joke: 'Deux « é » \\ "', punchline: '🐔', category: 'Classic' }
  const jokes = [one, two]

  it.each([
    ['a JSON array with Windows line ends', JSON.stringify(jokes, undefined, 2).replaceAll('\n', '\r\n')],
    ['a damaged JSON array with a line for each joke', `[\n  ${JSON.stringify(one)},\n  ${JSON.stringify(two)},\n]\n`],
    ['JSON Lines with comments', `\uFEFF\n# mine\n\n${JSON.stringify(one)}\r\n# 2\n${JSON.stringify(two)}`],
    ['an object that wraps an array', JSON.stringify({ total: 2, meta: ['me'], jokes, next: null })],
    [
      'CSV of a spreadsheet',
      '\uFEFF"category"; joke ;punchline\r\nSchool;One, [two] {three};\r\n\r\n;;\r\n Classic;"Deux « é » \\ """;🐔\r\n',
    ],
    ['CSV in any letter case', 'Joke,PUNCHLINE,Category\n"One, [two] {three}",,school\n"Deux « é » \\ """,🐔,CLASSIC'],
    ['CSV after sep=', 'sep=|\njoke|punchline|category\nOne, [two] {three}||School\n"Deux « é » \\ """|🐔|Classic'],
    ['a JSON array without its end, on one line', `{"x": ["x"], "y": [${JSON.stringify(one)},${JSON.stringify(two)}, `],
    ['CSV of an old Mac', 'joke,punchline,category\r"One, [two] {three}",,School\r"Deux « é » \\ """,🐔,Classic\r'],
    ['CSV with tabs', 'joke\tpunchline\tcategory\nOne, [two] {three}\t\tSchool\n"Deux « é » \\ """\t🐔\tClassic'],
  ])('may be %s', (_, text) => {
    expect(read(text)).toEqual(jokes)
  })

  const LIKELY = [...'",;\t\n\r #{[(/_\\àРנ\u2028\u00A0\uFEFF\uFFFD']
  const character = fc.oneof(fc.constantFrom(...LIKELY), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  const text = fc.string({ unit: character })
  const category = fc.constantFrom(...CATEGORIES)
  const joke = fc.record({ joke: fc.string({ unit: character, minLength: 1 }), punchline: text, category })
  const columns = ['joke', 'punchline', 'category']

  it.each<[string, (written: object[]) => string]>([
    ['csv-stringify, quoted as needed', (written) => stringify(written, { header: true, columns })],
    ['Papa Parse, all quoted', (written) => Papa.unparse(written, { columns, quotes: true })],
    ['a spreadsheet, with semicolons', (written) => `\uFEFF${Papa.unparse(written, { columns, delimiter: ';' })}\r\n`],
    ['JSON.stringify', (written) => JSON.stringify(written)],
    ['JSON.stringify over many lines', (written) => JSON.stringify({ jokes: written }, undefined, 2)],
    ['JSON.stringify line by line', (written) => written.map((each) => JSON.stringify(each)).join('\n')],
  ])('comes back byte for byte from %s', (_, write) => {
    const comesBack = (written: object[]) => {
      // Empty cells count as absent.
      expect(read(write(written)).map((each) => Object.assign({ punchline: '' }, each))).toEqual(written)
    }
    fc.assert(fc.property(fc.array(joke, { minLength: 1 }), comesBack))
  })

  it.each([
    ['a broken line', '{"joke": "A"}\n{"joke": "B\n{"joke": "C"}\noops\n', '1 A, 2 fault, 3 C, 4 fault'],
    ['broken within an array', '[\n{"joke": "A"},\n{"joke": "a "B" c"},\n{"joke": "C"}\n]', '2 A, 3 fault, 4 C'],
    ['cut off within an array', '[\n{"joke": "A"},\n{"joke": "B",\n{"joke": "C"}', '2 A, 3 fault, 4 C'],
    ['cut off on one line', '[{"joke": "A"}, {"a": {"joke": [1]}, "joke": "B"}, {"joke": "C', '1 A, 2 B, 3 fault'],
    ['broken over several lines', '[\n {\n  "joke": "A"\n  "x": 1\n },\n {\n  "joke": "B"\n }\n]', '1 fault, 2 B'],
    ['broken within an object', '{"all": [{"joke": "A" 1}, {"joke": "B"}], "x": {"y": {"z": 1}}}', '1 fault, 2 B'],
    ['after sep=', 'sep=;\njoke;category\n"B" or not;X\nC;X', '3 fault, 4 C'],
    ['no object', '{"joke": "A"}\n7\nnull\n{"joke": "C"}', '1 A, 2 7, 3 null, 4 C'],
    ['a row that is too long', 'joke,category\nA,School\nB, or not,School\nC,School', '2 A, 3 B, 4 C'],
    ['a row with a quotation mark that is never closed', 'joke,category\n"A\n",X\n\n"B,X\nC,X', '2 A\n, 5 fault, 6 C'],
    ['… that another one closes', 'joke,category\nA,X\n"B,X\nC "x" y,X\nD,X', '2 A, 3 fault, 4 C "x" y, 5 D'],
    ['a row with a cell that is quoted in part', 'joke,category\n"B" or not,X\nC,X', '2 fault, 3 C'],
    ['text after its quotes, in two lines', 'joke,category\n"He said "B"\nor not",X\nC,X', '2 fault, 3 fault, 4 C'],
    ['a row with an unpaired quotation mark', 'joke,category\nA 6" B,School\nC,School', '2 fault, 3 C'],
  ])('loses no other jokes because of %s', (_, text, expected) => {
    const entries = Array.from(entriesOf(Buffer.from(text), plain), (entry) => {
      expect(entry.json.includes('\n')).toBe(false)
      try {
        const input = toJokeInput(entry, plain)
        return `${entry.label} ${v.is(v.object({ joke: v.string() }), input) ? input.joke : input}`
      } catch {
        return `${entry.label} fault`
      }
    })
    expect(entries.join(', ').replaceAll(/(line|joke) /g, '')).toBe(expected)
  })

  it('may have quotation marks within an unquoted cell, and cells without a column, which the service rejects', () => {
    expect(read('joke,,category\nHe said "hi",,School\n"""Hi"" he said",B,School,C')).toEqual([
      { joke: 'He said "hi"', category: 'School' },
      { joke: '"Hi" he said', 'column 2': 'B', category: 'School', 'column 4': 'C' },
    ])
  })

  it.each([
    ['JSON Lines', '{"joke":"Caf\xE9"}\n{"joke":"Tea"}'],
    ['a JSON array', '[\n{"joke":"Caf\xE9"},\n{"joke":"Tea"}\n]'],
    ['CSV', 'joke\nCaf\xE9\nTea'],
  ])('rejects lines of %s in another encoding, keeps their bytes, and accepts the others', (_, text) => {
    const [first, second] = entriesOf(Buffer.from(text, 'latin1'), plain)
    expect(first?.json.toString('latin1')).toBe('{"joke":"Caf\xE9"}')
    expect(() => first && toJokeInput(first, plain)).toThrow(NOT_UTF8)
    expect(second && toJokeInput(second, plain)).toEqual({ joke: 'Tea' })
  })

  it('may have a joke of any size', () => {
    const joke = 'a "b\\", c\n'.repeat(100_000)
    const lines = `${JSON.stringify({ joke })}\n{}`
    for (const text of [JSON.stringify([{ joke }, one]), lines, stringify([['joke'], [joke]])])
      expect(read(text)[0]).toEqual({ joke })
  })

  it.each([
    ['in UTF-16', Buffer.from('\uFEFF[]', 'utf16le'), UTF16],
    ['in UTF-16 without a mark', Buffer.from('joke,category', 'utf16le'), UTF16],
    ['in UTF-16 in the other byte order', Buffer.from('[]', 'utf16le').swap16(), UTF16],
    ['prose', '# Jokes\n\n"Mine":\n\n{"joke": "A"}\n', 'neither JSON nor CSV whose first line names a column joke'],
    ['prose that begins with a link', '[![CI](x)](y)\n\n# Jokes\nin {a}\n{b} in', 'This is not JSON: Unexpected token'],
    ['broken JSON', '{\n  "joke": "A"\n  "category": "School"\n}', '(line 3 column 3).'],
    ['JSON in another encoding', Buffer.from('{\n"joke": "Caf\xE9"\n}', 'latin1'), NOT_UTF8],
  ])('is rejected as a whole, in a sentence, if it is %s', (_, file, message) => {
    expect(() => entriesOf(Buffer.from(file), plain)).toThrow(message)
  })

  it('may have other names and values, in any letter case, and fields that are left out', () => {
    const mapping = ['Setup=joke', 'type=category', 'rating=', 'type:General=Classic', 'type:=School', 'x:*=Y']
    const file =
      '[{"id": 1, "TYPE": " general ", "setup": "One", "Rating": 5}, {"dateadded": 2, "setup": "Two", "x": "z"}, {"type": 3}]'
    expect(read(file, mapping)).toEqual([
      { joke: 'One', category: 'Classic', x: 'Y' },
      { joke: 'Two', category: 'School', x: 'Y' },
      { category: 3, x: 'Y' },
    ])
    expect(read('{"title": "A"}', ['reddit', 'category:=School'])).toEqual([{ joke: 'A', category: 'School' }])
    for (const sent of ['setup', ':setup=joke'])
      expect(() => parseMapping([sent])).toThrow(
        `--map ${sent}: it must be FIELD=NAME, FIELD:VALUE=OTHER, or one of official_joke_api, JokeAPI, `,
      )
  })

  it.each<[name: string, file: unknown, jokes: string[]]>([
    ['official_joke_api', { type: 'general', setup: 'A', punchline: 'a', id: 1 }, ['A/a/Classic']],
    ['official_joke_api', { type: 'knock-knock', setup: 'B', punchline: 'b', id: 2 }, ['B/b/KnockKnock']],
    ['JokeAPI', { error: false, category: 'Pun', type: 'single', joke: 'A', flags: {}, id: 1 }, ['A//Word game']],
    ['jokeapi', { category: 'Misc', type: 'twopart', setup: 'B', delivery: 'b', id: 2 }, ['B/b/Classic']],
    [
      'icanhazdadjoke',
      { current_page: 1, results: [{ id: 'R7UfaahVfFd', joke: 'A' }], search_term: '', status: 200 },
      ['A//Classic'],
    ],
    ['icanhazdadjoke', { id: 'R7UfaahVfFd', joke: 'A', status: 200 }, ['A//Classic']],
    ['reddit', [{ body: 'a', id: '5tz52q', score: 1, title: 'A' }], ['A/a/Classic']],
    ['reddit', ['[deleted]', '[removed]'].map((body) => ({ body, title: 'A' })), ['A//Classic', 'A//Classic']],
  ])('may come from %s', (name, file, jokes) => {
    const inputs = read(JSON.stringify(file), [name]).map((input) => v.parse(JokeInput, input))
    expect(inputs.map(({ joke, punchline, category }) => [joke, punchline, category].join('/'))).toEqual(jokes)
  })

  it('may be empty', () => {
    expect(['', '\n', '[]', '[\n]', 'joke,category\n'].map((text) => read(text))).toEqual([[], [], [], [], []])
  })
})

function read(text: string, mappings: string[] = []): unknown[] {
  const mapping = parseMapping(mappings)
  return Array.from(entriesOf(Buffer.from(text), mapping), (entry) => toJokeInput(entry, mapping))
}
