import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { CATEGORIES, JokeInput } from '../shared/joke.ts'
import { entriesOf } from '../tools/jokeFile.ts'
import { parseMapping, toJokeInput } from '../tools/mapping.ts'

const plain = parseMapping([])
const CSV_OF_A_SPREADSHEET =
  '\uFEFF"category"; joke ;punchline\r\nSchool;One, [two] {three};\r\n\r\n;;\r\n Classic;"Deux « é » \\ """;🐔\r\n'
/** The texts of a joke whose row has no surplus cell. */
const Texts = v.looseObject({
  joke: v.string(),
  punchline: v.optional(v.string(), ''),
  'column 3': v.optional(v.never()),
})

describe('a file of jokes', () => {
  const one = { joke: 'One, [two] {three}', category: 'School' }
  const two = { joke: 'Deux « é » \\ "', punchline: '🐔', category: 'Classic' }
  const jokes = [one, two]

  it.each([
    ['a.json', JSON.stringify(jokes, undefined, 2).replaceAll('\n', '\r\n')],
    ['a.JSON', `{"n": 2, "jokes": ${JSON.stringify(jokes)}}`],
    ['a.csv', CSV_OF_A_SPREADSHEET],
    ['a', 'Joke,PUNCHLINE,Category\n"One, [two] {three}",,school\n"Deux « é » \\ """,🐔,CLASSIC'],
  ])('jokes are read from a file named %s', (name, text) => {
    expect(read(name, text)).toEqual(jokes)
  })

  it.each([
    ['a.json', '[{}]', 'joke 1, line 1'],
    ['-', ' [{}]', 'joke 1, line 1'],
    ['a.jsonl', '[{}]', 'line 1'],
    ['a.ndjson', '{}', 'line 1'],
    ['-', '# [ {\n{"jokes": []}', 'line 2'],
    ['a.jsonl', 'joke\n', 'line 1'],
    ['a.txt', 'joke\nA', 'line 2'],
  ])('the ending or first character selects the format: %s with %j', (name, text, label) => {
    expect(Array.from(entriesOf(Buffer.from(text), name, plain))).toMatchObject([{ label }])
  })

  const LIKELY = [...'",;\t\n\r #{[(/_\\àРנ\u2028\u00A0\uFEFF\uFFFD']
  const character = fc.oneof(fc.constantFrom(...LIKELY), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  const text = fc.string({ unit: character })
  const category = fc.constantFrom(...CATEGORIES)
  const joke = fc.record({ joke: fc.string({ unit: character, minLength: 1 }), punchline: text, category })
  const columns = ['joke', 'punchline', 'category']

  it.each<[program: string, write: (written: object[]) => string, name?: string]>([
    ['csv-stringify with quotes where needed', (written) => stringify(written, { header: true, columns })],
    ['a spreadsheet with all cells quoted', (written) => stringify(written, { header: true, columns, quoted: true })],
    [
      'a spreadsheet with semicolons',
      (written) =>
        stringify(written, {
          bom: true,
          header: true,
          columns,
          delimiter: ';',
          record_delimiter: '\r\n',
          quoted_match: /[\r\n]/,
        }),
    ],
    ['JSON.stringify', (written) => JSON.stringify(written)],
    ['JSON.stringify over many lines', (written) => JSON.stringify({ jokes: written }, undefined, 2), 'a.json'],
    ['JSON.stringify line by line', (written) => written.map((joke) => JSON.stringify(joke)).join('\n')],
  ])('jokes written by %s are read back unchanged', (_, write, name = '-') => {
    const comesBack = (written: object[]) => {
      // Empty cells count as absent.
      expect(read(name, write(written)).map((joke) => Object.assign({ punchline: '' }, joke))).toEqual(written)
    }
    fc.assert(fc.property(fc.array(joke, { minLength: 1 }), comesBack))
  })

  const [A, B] = ['{"joke":"A","category":"School"}', '{"joke":"B","category":"School"}']
  const CSV = 'joke,category\nA,School\nB,School\n'
  const bom = '\uFEFF'
  const utf32 = (text: string) => Buffer.from(Uint32Array.from([...text], (char) => char.codePointAt(0) ?? 0).buffer)
  const IN_UTF32 = 'The file is in UTF-32. Save it in UTF-8.'
  const utf16 = Buffer.from(bom + CSV.replaceAll(',', '\t').replaceAll('\n', '\r\n'), 'utf16le')
  const twopart = '{"category":"Pun","type":"twopart","setup":"A","delivery":"a","flags":{"nsfw":false},"id":1}'
  const single = '{"category":"Misc","type":"single","joke":"B","flags":{"nsfw":false},"id":2}'
  const jokeApi = `{\n "error": false,\n "amount": 2,\n "jokes": [\n  ${twopart},\n  ${single}\n ]\n}\n`
  const official =
    '{"type":"general","setup":"A","punchline":"a","id":1},{"type":"knock-knock","setup":"B","punchline":"b"}'

  it.each<[name: string, file: string | Buffer, found: string, ...mappings: string[]]>([
    ['JSON', `[${A},\n\n${B}]`, '1:A 3:B'],
    ['an object with an array', `{"n":1,"page":{"tags":["x"]},"all":[${A},{"jok":"C"}]}`, '1:A 1:!', 'a.json'],
    ['an array in each joke', `[{"joke":"A","tags":[{"n":"x"}]}]`, '1:A', '*='],
    ['elements that are no objects', `[7, null, [${A}], "{}", ${B}]`, '1:! 1:! 1:! 1:! 1:B'],
    ['a field twice in JSON', `[{"joke":"A","joke":"C"}, {"joke":"A","Joke":"C"}, ${B}]`, '1:! 1:! 1:B'],
    ['JSON Lines with comments', `# [{ mine\n${A}\n  # "\n\n${B}`, '2:A 5:B'],
    ['JSON Lines of old Macs', `${A}\r${B}\r`, '1:A 2:B'],
    ['a field twice in JSON Lines', `{"joke":"A","joke":"C"}\n${B}`, '1:! 2:B'],
    ['a broken line', '{"joke": "A"}\n{"joke": "B\n{"joke": "C"}\noops\n', '1:A 2:! 3:C 4:!'],
    ['lines that are no objects', '{"joke": "A"}\n7\nnull\n[]\n{"joke": "C"}', '1:A 2:! 3:! 4:! 5:C'],
    ['too many levels', `{"joke":"A","x":${'['.repeat(1e5)}${']'.repeat(1e5)}}\n${A}`, '1:! 2:A', 'x='],
    // Other collections
    ['JokeAPI', jokeApi, '5:A/a 6:B', 'JokeAPI', 'a.json'],
    ['JokeAPI, line by line', `${twopart}\n${single}`, '1:A/a 2:B', 'jokeapi'],
    ['official_joke_api', `[${official}]`, '1:A/a 1:B/b', 'official_joke_api'],
    ['official_joke_api, line by line', official.replace('},', '}\n'), '1:A/a 2:B/b', 'official_joke_api'],
    [
      'icanhazdadjoke',
      '{"results":[{"id":"R","joke":"A"},{"id":"Q","joke":"B"}]}',
      '1:A 1:B',
      'icanhazdadjoke',
      'a.json',
    ],
    ['reddit', '[{"body":"a","id":"5","title":"A"},{"body":"[removed]","title":"B"}]', '1:A/a 1:B', 'reddit'],
    [
      'reddit, both texts',
      '{"title":"A","body":"a","selftext":""}\n{"title":"B","selftext":"b"}',
      '1:A/a 2:B/b',
      'reddit',
    ],
    ['reddit, equal texts', '{"title":"A","body":"a","selftext":"a"}', '1:A/a', 'reddit'],
    ['reddit, two texts', '{"title":"A","body":"a","selftext":"b"}', '1:!', 'reddit'],
    // Spreadsheets
    ['Excel, CSV UTF-8', bom + CSV.replaceAll('\n', '\r\n'), '2:A 3:B'],
    ['Excel, CSV UTF-8 with semicolons', bom + CSV.replaceAll(',', ';').replaceAll('\n', '\r\n'), '2:A 3:B'],
    ['Excel, Unicode text', utf16, '2:A 3:B'],
    ['Excel, Unicode text in the other byte order', Buffer.from(utf16).swap16(), '2:A 3:B'],
    ['UTF-16 without a mark', utf16.subarray(2), '2:A 3:B'],
    ['UTF-16 without a mark in the other byte order', Buffer.from(utf16).swap16().subarray(2), '2:A 3:B'],
    ['Excel for Mac', CSV.replaceAll('\n', '\r'), '2:A 3:B'],
    ['Excel, sep=', `sep=;\r\n${CSV.replaceAll(',', ';')}`, '3:A 4:B'],
    ['LibreOffice, all texts quoted', '"joke","category"\n"A","School"\n"B\nb","School"\n"C",\n', '2:A 3:B\nb 5:C'],
    ['LibreOffice, tabs', CSV.replaceAll(',', '\t'), '2:A 3:B'],
    ['Google Sheets', CSV.trim().replaceAll('\n', '\r\n'), '2:A 3:B'],
    ['Google Sheets with empty rows', 'category,joke,\r\nSchool,A,\r\n,,\r\n', '2:A'],
    // Broken CSV
    ['a column too many', 'joke,category\nA,School\nB, or not,School\nC,School', '2:A 3:! 4:C'],
    ['a quotation mark that is never closed', 'joke,category\n"A\n",X\n\n"B,X\nC,X', '2:A\n 5:! 6:C'],
    ['a quotation mark that a later one closes', 'joke,category\nA,X\n"B,X\nC "x" y,X\nD,X', '2:A 3:! 4:C "x" y 5:D'],
    ['a cell that is quoted in part', 'joke,category\n"B" or not,X\nC,X', '2:! 3:C'],
    ['text after its quotes, in two lines', 'joke,category\n"He said "B"\nor not",X\nC,X', '2:! 3:! 4:C'],
    ['an unpaired quotation mark', 'joke,category\nA 6" B,School\nC,School', '2:! 3:C'],
  ])('each joke of a file is read or reported: %s', (_, file, found, ...mappings) => {
    const mapping = parseMapping(mappings.filter((mapping) => mapping !== 'a.json'))
    const entries = Array.from(entriesOf(Buffer.from(file), mappings.at(-1) ?? '-', mapping), (entry) => {
      expect(entry.json).not.toMatch(/[\r\n]/)
      const [line] = /\d+$/.exec(entry.label) ?? []
      try {
        const { joke, punchline } = v.parse(Texts, toJokeInput(entry, mapping))
        return `${line}:${joke}${punchline && `/${punchline}`}`
      } catch {
        return `${line}:!`
      }
    })
    expect(entries.join(' ')).toBe(found)
  })

  it.each<[what: string, file: string | Buffer, message: string, name?: string]>([
    ['Windows-1252', Buffer.from('joke\nTea\nCaf\xE9\n', 'latin1'), 'The file is not in UTF-8: see line 3. Save it'],
    ['.xlsx', Buffer.from('PK\x03\x04rest'), 'a spreadsheet or an archive. Save the sheet as CSV in UTF-8'],
    ['.xls', Buffer.from('\xD0\xCF\x11\xE0rest', 'latin1'), 'The file is a spreadsheet or an archive.'],
    ['gzip', Buffer.from('\x1F\x8Brest', 'latin1'), 'The file is a spreadsheet or an archive.'],
    [
      'half a letter of UTF-16',
      utf16.subarray(0, -1),
      'The file is in UTF-16, but broken: see line 4. Save it in UTF-8',
    ],
    ['UTF-32', utf32(bom + CSV), IN_UTF32],
    ['UTF-32 in the other byte order', utf32(bom + CSV).swap32(), IN_UTF32],
    ['UTF-32 without a mark', utf32(CSV), IN_UTF32, 'a.csv'],
    ['UTF-32 without a mark in the other byte order', utf32(CSV).swap32(), IN_UTF32],
    ['an empty file of CSV', '\n', 'The file is empty.', 'a.csv'],
    [
      'CSV without names of columns',
      ',,\nA,School,\n',
      'The first line is empty. It must name the columns, as in joke,',
    ],
    ['CSV that ends after sep=', 'sep=;\n', 'The first line is empty. It must name the columns, as in joke,'],
    ['prose', '# Jokes\n\n"Mine":\n\n{"joke": "A"}\n', 'No column is named joke. The columns are: # Jokes. Say'],
    [
      'other columns',
      'setup;type\nA;B',
      'The columns are: setup, type. Say which one is the joke, as in --map setup=joke.',
    ],
    ['a column named twice', 'joke,category,Joke \nA,X,B', 'Two columns are named Joke. Rename'],
    ['a control character named twice', 'joke,\x1b[2J,\x1b[2J\nA,X,B', 'Two columns are named \\u001b[2J. Rename'],
    ['a comma too many', `[\n  ${A},\n]`, 'The file is not JSON. Value expected at line 3, column 1.'],
    ['quotation marks in quotation marks', '[\r\n{"joke": "a "B" c"}]', 'Invalid symbol at line 2, column 14.'],
    ['JSON that is cut off', `[${A}`, 'Close bracket expected at line 1, column 34.'],
    ['a line end in a text', '[{"joke": "A\nB"}]', 'Unexpected end of string at line 1, column 11.'],
    ['comments', `// mine\n[${A}]`, 'The file is not JSON. Invalid comment token at line 1, column 1.', 'a.json'],
    [
      'several documents',
      `[${A}]\n[${B}]`,
      'The file has more than one JSON document: see line 2, column 1. Write each',
    ],
    ['JSON Lines named .json', `${A}\n${B}`, 'more than one JSON document: see line 2, column 1. Write each', 'a.json'],
    ['an empty file of JSON', ' \n', 'The file is empty.', 'a.json'],
    ['one joke', A, 'or an object with one array of jokes. This has no array.', 'a.json'],
    ['a text', '"A"', 'or an object with one array of jokes. This has no array.', 'a.json'],
    ['two arrays', `{"all":[${A}],"all":[${B}]}`, 'This has the arrays all, all.', 'a.json'],
    ['levels without end', '['.repeat(1e5), 'The file has too many levels.', 'a.json'],
    ['much JSON', `[${' '.repeat(5e7)}]`, 'A file of JSON may have at most 50,000,000 characters. Write each'],
    ['a very large file', Buffer.alloc(5e8 + 1), 'A file may have at most 500 MB. Split it.'],
  ])('an unreadable file is rejected with what to do: %s', (_, file, message, name = '-') => {
    expect(() => Array.from(entriesOf(Buffer.from(file), name, plain))).toThrow(message)
  })

  it('a file with 20,000 unclosed quotation marks is read to its end', () => {
    const file = Buffer.from(`joke,category\n${'"A,X\n'.repeat(20_000)}`)
    expect(Array.from(entriesOf(file, '-', plain))).toHaveLength(20_000)
  })

  it('CSV keeps inner quotation marks and cells without a column', () => {
    expect(read('-', 'joke,,category\nHe said "hi",,School\n"""Hi"" he said",B,School,C')).toEqual([
      { joke: 'He said "hi"', category: 'School' },
      { joke: '"Hi" he said', 'column 2': 'B', category: 'School', 'column 4': 'C' },
    ])
  })

  it('a joke in a file may have any size', () => {
    const joke = 'a "b\\", c\n'.repeat(100_000)
    const lines = `${JSON.stringify({ joke })}\n{}`
    for (const text of [JSON.stringify([{ joke }, one]), lines, stringify([['joke'], [joke]])])
      expect(read('-', text)[0]).toEqual({ joke })
  })

  it('a mapping translates fields in any letter case', () => {
    const mapping = ['Setup=joke', 'type=category', 'rating=', 'type:General=Classic', 'type:=School', 'x:*=Y']
    const file =
      '[{"id": 1, "TYPE": " general ", "setup": "One", "Rating": 5}, {"dateadded": 2, "setup": "Two", "x": "z"}, {"type": 3}]'
    expect(read('-', file, mapping)).toEqual([
      { joke: 'One', category: 'Classic', x: 'Y' },
      { joke: 'Two', category: 'School', x: 'Y' },
      { category: 3, x: 'Y' },
    ])
    expect(read('-', '{"title": "A"}', ['reddit', 'category:=School'])).toEqual([{ joke: 'A', category: 'School' }])
    for (const file of ['joke,nsfw\nA,false', '{"joke": "A", "nsfw": "false"}', '{"joke": "A", "nsfw": false}'])
      expect(read('-', file, ['nsfw=category', 'nsfw:false=Classic'])).toEqual([{ joke: 'A', category: 'Classic' }])
    expect(read('-', 'joke,nsfw\nA,false')).toEqual([{ joke: 'A', nsfw: 'false' }])
    // The `*` covers all other values, including names of categories.
    expect(read('-', '{"category": "school"}', ['category:*=Classic'])).toEqual([{ category: 'Classic' }])
  })

  it('a value that is an object is left to the service to reject', () => {
    const sent = { joke: { toString: 1 }, category: { x: 1 } }
    expect(read('-', JSON.stringify(sent), ['category:*='])).toEqual([{ joke: sent.joke, category: '' }])
  })

  it('a mapping for absent values is used for null', () => {
    expect(read('-', '{"joke": "A", "category": null}', ['category:=Classic'])).toEqual([
      { joke: 'A', category: 'Classic' },
    ])
  })

  it('a CSV file may begin with a bracket', () => {
    expect(read('a.csv', '[Id],joke\n1,A\n', ['[Id]='])).toEqual([{ joke: 'A' }])
  })

  it('an invalid mapping is rejected with the accepted forms', () => {
    for (const sent of ['setup', ':setup=joke'])
      expect(() => parseMapping([sent])).toThrow(
        `--map ${sent}: it must be FIELD=NAME, FIELD:VALUE=OTHER, or one of official_joke_api, JokeAPI, `,
      )
  })

  it('categories of other collections become those of the service', () => {
    const categories = (collection: string, file: string, name = '-') =>
      read(name, file, [collection]).map((joke) => v.parse(JokeInput, joke).category)
    expect(categories('official_joke_api', `[${official}]`)).toEqual(['Classic', 'KnockKnock'])
    expect(categories('JokeAPI', jokeApi, 'a.json')).toEqual(['Word game', 'Classic'])
    expect(categories('icanhazdadjoke', '{"joke":"A"}')).toEqual(['Classic'])
    expect(categories('reddit', '{"title":"A"}')).toEqual(['Classic'])
  })

  it('a file may contain no jokes', () => {
    for (const text of ['', '\n', '[]', '[\n]', 'joke,category\n']) expect(read('-', text)).toEqual([])
    expect(read('a.jsonl', '')).toEqual([])
    expect(read('a.json', '{"jokes": []}')).toEqual([])
  })
})

function read(name: string, text: string, mappings: string[] = []): unknown[] {
  const mapping = parseMapping(mappings)
  return Array.from(entriesOf(Buffer.from(text), name, mapping), (entry) => toJokeInput(entry, mapping))
}
