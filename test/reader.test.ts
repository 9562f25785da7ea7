import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CATEGORIES } from '../shared/joke.ts'
import { Mapping } from '../tools/mapping.ts'
import { readJokes } from '../tools/reader.ts'

/** Reads a file. Returns its jokes as `joke/punchline/category`, or the reason why one cannot be sent. */
function read(name: string, file: string | Buffer, maps: string[] = [], categories: string[] = []) {
  const mapping = new Mapping(maps, categories)
  const { entries, notes } = readJokes(Buffer.from(file), name, mapping)
  const jokes = entries.map(
    ({ fields, fault }) => fault ?? Object.values(mapping.jokeOf(fields)).filter(Boolean).join('/'),
  )
  return { jokes, notes, labels: entries.map(({ label }) => label) }
}

describe('jokes are read', () => {
  it.each<[shape: string, name: string, file: string, ...jokes: string[]]>([
    ['an array of objects', 'a', '[{"joke":"A","punchline":"B","category":"school"}]', 'A/B/School'],
    ['an array of texts', 'a.json', '["A", "B"]', 'A', 'B'],
    ['arrays of two texts', 'a.json', '[["A","B"], {"joke":["C","D"]}]', 'A/B', 'C/D'],
    ['an object with one array', 'a', '{"n":1,"ids":[3],"results":[{"joke":"A"}]}', 'A'],
    ['an object whose other field is named like a joke', 'a', '{"q":"x","results":[{"joke":"A"}]}', 'A'],
    ['one object', 'a', '{"joke":"A","tags":["x","y","z"]}', 'A'],
    ['texts by category', 'a', '{"school":["A"],"sea":[["B","C"]],"none":[]}', 'A/School', 'B/C/sea'],
    ['texts of one category', 'a', '{"Word_Game":["A"]}', 'A/Word game'],
    ['objects by id', 'a', '{"x1":{"q":"A","a":"B"},"x2":{"q":"C"}}', 'A/B', 'C'],
    ['texts by id', 'a', '{"1":"A","2":["B","C"]}', 'A', 'B/C'],
    ['absent values', 'a', '[{"joke":"A","punchline":null,"category":null},{"joke":"B","punchline":""}]', 'A', 'B'],
    ['fields of JokeAPI', 'a', '{"jokes":[{"setup":"A","delivery":"B"},{"Question":"C","ANSWER":"D"}]}', 'A/B', 'C/D'],
    ['posts of Reddit', 'a', '{"title":"A","selftext":"B"}\n{"title":"C","selftext":"[removed]"}', 'A/B', 'C'],
    ['categories in an array', 'a', '[{"joke":"A","category":["old","school"]}]', 'A/School'],
    ['lines with comments', 'a', '# [{ mine\n{"joke":"A"}\r\n\n  # "\n"B"\n', 'A', 'B'],
    ['a table with commas', 'a', 'Joke,PUNCHLINE,Category\n"A, ""a""",B,CLASSIC\n', 'A, "a"/B/Classic'],
    ['a table with semicolons', 'a.csv', '\uFEFFjoke;category\r\n"A\r\n\r\nb";School\r\n;\r\n', 'A\r\n\r\nb/School'],
    ['a table with tabs', 'a.tsv', 'ID\tJoke Text\n1\t6" A\n', '6" A'],
    ['a table with pipes', 'a', 'id|setup|punchline\n1|A|B, c\n', 'A/B, c'],
    ['a table with a line for Excel', 'a.csv', 'sep=;\r\njoke;category\r\nA;School', 'A/School'],
    ['a table that begins with a bracket', 'a.csv', '[Id],joke\n1,A', 'A'],
    ['lines of text', 'a.txt', 'A, b\r\n\r\n[C]\r\n', 'A, b', '[C]'],
    ['fortunes', 'fortunes', 'A\n\tb\n%\nQ: C, d?\n%\n', 'A\n\tb', 'Q: C, d?'],
    ['no jokes', 'a.json', '{"jokes":[]}'],
    ['an empty table', 'a.csv', 'joke,category\n'],
  ])('from %s', (_, name, file, ...jokes) => {
    expect(read(name, file).jokes).toEqual(jokes)
  })

  it.each([
    ['a,b', '2,Why?,Because.\n3,Who?,', 'Why?/Because.,Who?', ['column 2 is the joke, column 3 is the punchline']],
    [
      'categories',
      'Why?;school\nWho?;CLASSIC',
      'Why?/School,Who?/Classic',
      ['column 1 is the joke, column 2 is the category'],
    ],
    ['one column', '"Why, Ann?"\nWho?', 'Why, Ann?,Who?', ['column 1 is the joke']],
  ])('from a table without a header: %s', (_, file, jokes, [columns]) => {
    const { notes, ...found } = read('a.csv', file)
    expect(found.jokes.join(',')).toBe(jokes)
    expect([found.labels[0], notes[0]]).toEqual(['row 1', `The first line names no columns: ${columns}.`])
  })

  const LIKELY = [...'",;\t\n\r #{[(/_\\àРנ\u2028\u00A0\uFEFF\uFFFD%']
  const character = fc.oneof(fc.constantFrom(...LIKELY), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  // The service trims texts, and rejects the character NUL.
  const text = fc.string({ unit: character }).map((each) => each.replaceAll('\0', '').trim())
  const joke = fc.record({ joke: text.filter(Boolean), punchline: text, category: fc.constantFrom(...CATEGORIES) })
  const columns = ['joke', 'punchline', 'category']
  const excel = { bom: true, delimiter: ';', record_delimiter: '\r\n', quoted_match: /[\r\n]/ }

  it.each<[program: string, write: (jokes: object[]) => string]>([
    ['csv-stringify', (jokes) => stringify(jokes, { header: true, columns })],
    ['a spreadsheet with all cells quoted', (jokes) => stringify(jokes, { header: true, columns, quoted: true })],
    ['a spreadsheet with semicolons', (jokes) => stringify(jokes, { header: true, columns, ...excel })],
    ['a spreadsheet with tabs', (jokes) => stringify(jokes, { header: true, columns, delimiter: '\t' })],
    ['JSON.stringify', (jokes) => JSON.stringify(jokes)],
    ['JSON.stringify over many lines', (jokes) => JSON.stringify({ jokes }, undefined, 2)],
    ['JSON.stringify line by line', (jokes) => jokes.map((joke) => JSON.stringify(joke)).join('\n')],
  ])('as %s wrote them', (_, write) => {
    const mapping = new Mapping()
    const comeBack = (jokes: object[]) => {
      const { entries } = readJokes(Buffer.from(write(jokes)), 'a', mapping)
      const found = entries.map(({ fields }) => mapping.jokeOf(fields))
      expect(found.map((joke) => ({ ...joke, punchline: joke.punchline ?? '' }))).toEqual(jokes)
    }
    fc.assert(fc.property(fc.array(joke, { minLength: 1 }), comeBack))
  })
})

describe('a broken joke is reported alone', () => {
  it.each([
    ['a.csv', 'joke,category\nA,School\nB, or not,School\nC,School', 'A/School', /more cells/, 'C/School'],
    ['a.jsonl', '{"joke":"A"}\n{"joke":"B\n{"joke":"C"}', 'A', /not JSON/, 'C'],
  ])('in %s', (name, file, one, fault, three) => {
    const { jokes, labels } = read(name, file)
    expect(jokes).toEqual([one, expect.stringMatching(fault), three])
    expect(labels[1]).toMatch(/^(row 3|line 2)$/)
  })

  it('even if it is alone in a file of rejected jokes', () => {
    expect(read('a.jsonl.invalid.jsonl', '# line 2: a reason\noops\n').jokes).toEqual([
      expect.stringMatching(/not JSON/),
    ])
  })
})

describe('a file is refused with what to do', () => {
  it.each<[what: string, name: string, file: string | Buffer, message: string]>([
    ['Windows-1252', 'a.csv', Buffer.from('joke\nTea\nCaf\xE9\n', 'latin1'), 'Line 3 is no text in UTF-8. Convert'],
    ['UTF-16', 'a.csv', Buffer.from('\uFEFFjoke\n', 'utf16le'), 'Line 1 is no text in UTF-8. Convert'],
    ['a spreadsheet', 'a.xlsx', Buffer.from('PK\x03\x04\0\xFF', 'latin1'), 'save a spreadsheet as CSV UTF-8'],
    ['YAML', 'a.yml', '- name: joke\n  desc: Why, oh why?\n', 'convert it, or name it .txt if each line is a joke'],
    ['prose with commas', 'a.csv', 'Why? Because.\nWell, no', 'Name the columns in a first line: joke,punchline,'],
    ['an unpaired quotation mark', 'a.csv', 'joke,category\nA,X\n"B" or not,X', 'Line 3 or above: write a quotation'],
    ['broken JSON', 'a.json', '[\n"A",\n"B"\n"C"\n]', 'The file is not JSON: '],
    ['two arrays', 'a.json', '{"n":1,"tags":["x"],"jokes":["A"]}', 'This has the arrays tags, jokes'],
    ['settings', 'a.json', '{"telemetry":false,"numbers":[34892]}', 'none holds texts'],
    ['other names in JSON', 'a', '[{"id":"a b","title":"Cow","body":"A cow?"}]', "--map 'body=joke'"],
    ['a column named for a shell', 'a.csv', "id,it's $HOME\n1,Why so?", "--map 'it'\\''s $HOME=joke'"],
    ['a column of links', 'a.csv', 'link,content,n\nhttp://jokes.example/a-long-one,Why so?,5', "--map 'content=joke'"],
    ['a column of long numbers', 'a.csv', '#,Votes,Witz\n1,123456789012,Wer da?', "--map 'Witz=joke'"],
  ])('%s', (_, name, file, message) => {
    expect(() => read(name, file)).toThrow(message)
  })
})

describe('options', () => {
  it('--map names fields, and wins over the usual names', () => {
    const file = '[{"title":"A","Body":"B","joke":"C","kind":"school","x":1,"id":2}]'
    const { jokes, notes } = read('a', file, ['title=joke', 'body=punchline', 'kind=category'])
    expect([jokes, notes]).toEqual([['A/B/School'], ['Left out: the fields x.']])
    expect(read('a', '[{"setup":"A","joke":"B"}]', ['joke=punchline']).jokes).toEqual(['A/B'])
    expect(read('a.csv', 'Witz\nA', ['Witz=joke']).jokes).toEqual(['A'])
  })

  it('--category translates one value, or all that are absent or unknown', () => {
    const file =
      '[{"joke":"A","category":"Pun"},{"joke":"B","category":"old"},{"joke":"C"},{"joke":"D","category":"school"}]'
    expect(read('a', file, [], ['pun=word game', 'Classic']).jokes).toEqual([
      'A/Word game',
      'B/Classic',
      'C/Classic',
      'D/School',
    ])
    expect(read('a', file, [], ['pun=Word game']).jokes.slice(0, 2)).toEqual(['A/Word game', 'B/old'])
    expect(read('a', '{"sea":["A"],"x":["B"]}', [], ['sea=School']).jokes).toEqual(['A/School', 'B/x'])
  })

  it.each([
    [['setup'], [], '--map setup: write FIELD=joke, FIELD=punchline or FIELD=category.'],
    [['a=rating'], [], '--map a=rating: write FIELD=joke'],
    [[], ['pun=Puns'], '--category pun=Puns: the categories are Word game, Classic'],
  ])('--map %j and --category %j are refused', (maps, categories, message) => {
    expect(() => new Mapping(maps, categories)).toThrow(message)
  })
})

it('notes name omitted fields, and count texts with HTML or wrong letters', () => {
  const texts = ['&quot;A&quot;', 'B<br>b', 'Câ€™c', 'CafÃ©', 'Tea & <3 at <b', 'Ça, São, NÃO']
  const { jokes, notes } = read('a', JSON.stringify(texts.map((joke) => ({ joke, rating: 5, id: 'x' }))))
  expect(jokes).toEqual(texts)
  expect(notes).toEqual(['Left out: the fields rating.', 'HTML or wrong letters: 4 jokes, the first is joke 1.'])
})
