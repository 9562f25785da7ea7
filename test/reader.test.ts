import { spawnSync } from 'node:child_process'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CATEGORIES } from '../shared/joke.ts'
import { CannotContinue } from '../tools/commandLine.ts'
import { Mapping } from '../tools/mapping.ts'
import { readJokes } from '../tools/reader.ts'

/** Reads a file as `import NAME OPTIONS` does. Returns jokes as `joke/punchline/category`, or the reason against one. */
function read(command: string | string[], file: string | Buffer) {
  const [name = '', ...args] = Array.isArray(command) ? command : command.split(' ')
  const valuesOf = (option: string) => args.filter((_, index) => args[index - 1] === `--${option}`)
  const mapping = new Mapping(valuesOf('map'), valuesOf('category'))
  const [[at], [delimiter], blocks] = [valuesOf('at'), valuesOf('delimiter'), args.includes('--blocks')]
  const { rows, notes } = readJokes(Buffer.from(file), name, mapping, { at, delimiter, blocks })
  const jokes = rows.map(
    ({ record, fault }) => fault ?? Object.values(mapping.jokeOf(record)).filter(Boolean).join('/'),
  )
  return { jokes, notes, places: rows.map(({ place }) => place) }
}

describe('jokes are read', () => {
  it.each<[shape: string, command: string, file: string, ...jokes: string[]]>([
    ['several texts as a joke', '-', '[{"joke":["A","B"]},{"joke":["E","F","G"]}]', 'A/B', 'E\nF\nG'],
    ['an object with one list', '-', '{"n":1,"ids":[3],"by":{"x":"y"},"no":[],"a":{"b":{"c":[{"joke":"A"}]}}}', 'A'],
    ['an array without jokes', 'a.json', '[]'],
    ['one object', '-', '{"joke":"A","tags":["x","y","z"]}', 'A'],
    ['one object with other names', '- --map Body=joke', '{"id":"1","Body":"A"}', 'A'],
    ['lists by category', '-', '{"school":["A"],"Word_Game":[{"q":"B"}],"n":[]}', 'A/School', 'B/Word game'],
    ['lists by another category', '- --category sea=Classic', '{"sea":["A"],"school":["B"]}', 'A/Classic', 'B/School'],
    ['texts by id', '- --at .', '{"1":"A","2":"B"}', 'A', 'B'],
    ['absent values', '-', '[{"joke":"A","punchline":null},{"joke":"B","punchline":""}]', 'A', 'B'],
    ['fields of JokeAPI', '-', '[{"setup":"A","delivery":"B"},{"Question":"C","ANSWER":"D"}]', 'A/B', 'C/D'],
    ['posts of Reddit', '-', '{"title":"A","selftext":"B"}\n{"title":"C","selftext":"[removed]"}', 'A/B', 'C'],
    ['lines with comments', '-', '# [{ mine\n{"joke":"A"}\r\n\n  # "\n"B"\n', 'A', 'B'],
    ['a table with commas', '-', 'Joke,PUNCHLINE,Category\n"A, ""a""",B,CLASSIC\n', 'A, "a"/B/Classic'],
    ['a table with semicolons', 'a.csv', '\uFEFFjoke;n\r\n"A\r\n\r\nb";\r\n;\r\n', 'A\r\n\r\nb'],
    ['a table with tabs', 'a.txt', 'ID\tJoke Text\n1\t6" A\n', '6" A'],
    ['a table of one column', '-', 'joke\nWhy, oh; why?\n', 'Why, oh; why?'],
    ['a table with marked formulas', '-', "joke\n'=1+1\n'tis\n", '=1+1', "'tis"],
    ['columns with numbers', '- --map 2=joke --map 3=punchline', '7,Why?,a\n8,"Who,\nme?",b', 'Why?/a', 'Who,\nme?/b'],
    ['columns with numbers as names', '- --map 2=joke', '2,1\nA,B', 'A'],
    ['rows cut unevenly', '- --delimiter , --map 1=joke --map 2=punchline', 'A,B\nC', 'A/B', 'C'],
    ['lines under another name', '- --delimiter none', '"A", b\n{C\n', '"A", b', '{C'],
    ['blocks', '- --blocks', 'A\nB\n\n \nC\n\nD\r\nE\r\nF', 'A/B', 'C', 'D/E\nF'],
    ['fortunes', 'fortunes', 'A\n\tb\n%\nQ: C, d?\n%\n', 'A\n\tb', 'Q: C, d?'],
  ])('from %s', (_, command, file, ...jokes) => {
    expect(read(command, file).jokes).toEqual(jokes)
  })

  const LIKELY = [...'",;\t\n\r #{[(/_\\àРנ\u2028\u00A0\uFEFF\uFFFD%']
  const character = fc.oneof(fc.constantFrom(...LIKELY), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  // The service trims texts, and rejects the character NUL. Marks of formulas are taken away.
  const text = fc.string({ unit: character }).map((each) => each.replaceAll(/\0|^\s*'+/g, '').trim())
  const joke = fc.record({ joke: text.filter(Boolean), punchline: text, category: fc.constantFrom(...CATEGORIES) })
  const columns = ['joke', 'punchline', 'category']
  const excel = { bom: true, delimiter: ';', record_delimiter: '\r\n', quoted_match: /[\r\n]/ }

  it.each<[program: string, write: (jokes: object[]) => string]>([
    ['csv-stringify', (jokes) => stringify(jokes, { header: true, columns })],
    ['a spreadsheet with semicolons', (jokes) => stringify(jokes, { header: true, columns, ...excel })],
    ['JSON.stringify over many lines', (jokes) => JSON.stringify({ jokes }, undefined, 2)],
    ['JSON.stringify line by line', (jokes) => jokes.map((joke) => JSON.stringify(joke)).join('\n')],
  ])('as %s wrote them', (_, write) => {
    const mapping = new Mapping()
    const comeBack = (jokes: object[]) => {
      const { rows } = readJokes(Buffer.from(write(jokes)), '-', mapping)
      const found = rows.map(({ record }) => mapping.jokeOf(record))
      expect(found.map((joke) => ({ ...joke, punchline: joke.punchline ?? '' }))).toEqual(jokes)
    }
    fc.assert(fc.property(fc.array(joke, { minLength: 1 }), comeBack))
  })
})

describe('following refusals to the letter imports the right texts', () => {
  const start = fc.string({ unit: fc.constantFrom(...'aé🐔\u200B"`$;,|:=#%&<*\\.[]{}()-+@ \''), maxLength: 6 })
  /** Makes texts on one line that are no usual names. The end tells them apart, so that a refusal shows which one it is. */
  const odd = (end: string) => start.map((text) => `${text}n${end}`.replaceAll(/^\s*'+(?=[=+\-@])|\s+/g, ' ').trim())
  const category = fc.constantFrom(...CATEGORIES)
  const rowOf = (end: number) => fc.tuple(fc.constant(`${end * 10}`), odd(`J${end}`), odd(`P${end}`), category)
  const oddNames = fc.tuple(odd('i'), odd('j'), odd('p'), odd('c'))
  const usualNames = fc.constant(['id', 'Question', 'answer', 'category']).map((names) => [...names])
  const sources = fc.record({
    rows: fc.oneof(fc.tuple(rowOf(1), rowOf(2)), fc.tuple(rowOf(1), rowOf(2), rowOf(3), rowOf(4))),
    names: fc.oneof(oddNames, usualNames),
    delimiter: fc.constantFrom(',', ';', '|', '\t'),
  })
  const sourceOf = ({ rows, names, delimiter }: { rows: string[][]; names: string[]; delimiter: string }) => {
    const records = rows.map((row) => Object.fromEntries(row.map((text, column) => [names[column], text])))
    const [jokes, punchlines] = [rows.map((row) => `${row[1]}`), rows.map((row) => `${row[2]}`)]
    return { rows, names, delimiter, id: `${names[0]}`, records, jokes, punchlines }
  }
  type Source = ReturnType<typeof sourceOf>

  // Letters say what is imported: joke, punchline, category. The pattern says which headings of refusals are true.
  it.each<[shape: string, fields: string, truth: RegExp, make: (source: Source) => unknown, name?: string]>([
    ['an array', 'jpc', /the joke/, ({ records }) => records],
    ['JSON Lines', 'jpc', /the joke/, ({ records }) => records.map((each) => JSON.stringify(each)).join('\n')],
    ['a list', 'jpc', /one place|the joke/, ({ records, id }) => ({ [id]: { 'a.b': records, c: ['x'] } })],
    ['objects by id', 'jpc', /one place|the joke/, ({ records }) => ({ ...records })],
    ['texts by id', 'j', /one place/, ({ jokes }) => ({ ...jokes })],
    ['lists by category', 'jc', /categories/, ({ jokes }) => Object.fromEntries(jokes.map((joke) => [joke, [joke]]))],
    [
      'a table',
      'jpc',
      /names the columns|by what|the joke/,
      ({ names, rows, ...how }) => stringify([names, ...rows], how),
    ],
    ['a table without names', 'jpc', /each row|by what/, ({ rows, ...how }) => stringify(rows, how)],
    ['lines', 'j', /each line/, ({ jokes }) => jokes.join('\r\n')],
    ['lines in .txt', 'j', /each line/, ({ jokes }) => jokes.join('\r'), 'a.txt'],
    ['blocks', 'jp', /empty lines/, ({ rows }) => rows.map(([, joke, answer]) => `${joke}\n${answer}\n`).join('\n')],
    ['fortunes', 'j', /^never/, ({ jokes }) => jokes.join('\n%\n')],
  ])('from %s', (_, fields, truth, make, name = '-') => {
    const property = (source: Source) => {
      const made = make(source)
      const file = typeof made === 'string' ? made : JSON.stringify(made)
      const wanted = source.rows.map((row) =>
        row.filter((_, column) => fields.includes('-jpc'[column] ?? '')).join('/'),
      )
      expect(follow([name], file, truth, source.rows)).toEqual(wanted)
    }
    fc.assert(fc.property(sources.map(sourceOf), property), { numRuns: 10 })
  })

  function follow(command: string[], file: string, truth: RegExp, rows: string[][]): string[] {
    try {
      return read(command, file).jokes
    } catch (error) {
      if (/\.csv or \.txt/.test(`${error}`)) return follow(['a.csv', ...command.slice(1)], file, truth, rows)
      const added = error instanceof CannotContinue ? optionsIn(error.message, truth, rows) : []
      if (added.length === 0 || command.length > 20) throw error
      return follow([...command, ...added], file, truth, rows)
    }
  }

  /** Chooses options as somebody who knows the jokes: by the value behind each, and by whether the heading is true. */
  function optionsIn(message: string, truth: RegExp, rows: string[][]): string[] {
    let heading = ''
    const chosen = message.split('\n').flatMap((line) => {
      if (!line.startsWith('  ')) heading = line
      const [, option, value = ''] = /^ {2}(.*) {2}# (.*)$/.exec(line) ?? []
      const row = truth.test(heading) ? rows.find((row) => row.includes(value)) : undefined
      const field = ['', 'joke', 'punchline', 'category'][row?.indexOf(value) ?? 0]
      return row && field ? [{ option, field, category: row[3] }] : []
    })
    const script = chosen.map(({ option }) => `printf '%s\\n' ${option}; echo`).join('\n')
    const options = `${spawnSync('bash', ['-c', script]).stdout}`.split('\n\n').flatMap((words, index) => {
      const { field, category } = chosen[index] ?? {}
      const change = (word: string) => word.replace(/=joke$/, `=${field}`).replace(/=Classic$/, `=${category}`)
      return words ? [words.split('\n').map(change)] : []
    })
    return options[0]?.length === 2 && options[0][0] === '--at' ? options[0] : options.flat()
  }
})

it.each<[what: string, command: string, file: string | Buffer, message: string]>([
  ['Windows-1252', 'a.csv', Buffer.from('joke\rTea\rCaf\xE9\r', 'latin1'), 'Line 3 is not valid UTF-8. '],
  ['NUL', 'a.csv', 'joke\nA\0\n', 'Line 2 is not valid UTF-8. '],
  ['UTF-16', 'a.csv', Buffer.from('\uFEFFjoke\n', 'utf16le'), 'The file is UTF-16. Save it as UTF-8.'],
  ['gzip', 'a.csv', Buffer.from('\x1F\x8B\x08', 'latin1'), 'The file is compressed. Decompress it with gunzip.'],
  ['a spreadsheet', 'a.xlsx', Buffer.from('PK\x03\x04\0\xFF', 'latin1'), 'Save the spreadsheet as CSV UTF-8'],
  ['nothing', 'a.csv', ' \n', 'The file is empty.'],
  ['YAML', '-', '- joke: Why, oh why?\n', 'The file is YAML. Convert it to JSON'],
  ["DynamoDB's JSON", '-', '{"Items":[{"joke":{"S":"A"},"n":{"N":"1"}}]}', "DynamoDB's JSON. Convert it: jq -c '"],
  ['broken JSON', 'a.json', '[\n"A",\n"B"\n"C"\n]', 'The file is not JSON: '],
  ['settings', 'a.json', '{"n":"A","numbers":[34892]}', 'If it is one joke, write [ before it and ] behind it.'],
  ['paired lists', '-', '{"setups":["A"],"ends":["B"]}', 'convert the file to a list of objects'],
  ['objects in objects', '-', '[{"data":{"joke":"A"}}]', 'If none holds it, convert the file'],
  ['rows in JSON', '-', '{"values":[["joke"],["A"]]}', 'convert the file to a list of objects'],
  ['a list beside a known name', '-', '{"q":"x","results":[{"joke":"A"}]}', '--at results  # A'],
  ['objects by id beside a list', '-', '{"tags":["x"],"all":{"7":{"q":"A"}}}', '--at all  # A'],
  ['another place', '- --at c', '{"a":["A"],"b":["C"]}', '--at b  # C'],
  [
    'fields for the same',
    '-',
    '[{"joke":"A","text":"B"}]',
    'Several fields of joke 1 may be the joke.\nChoose the joke',
  ],
  ['another field', '- --map b=punchline', '[{"joke":"A","B":"C"}]', 'No joke has a field b. Leave out its --map.'],
  ['an unpaired quotation mark', 'a.csv', 'joke,n\n"A\r\n",X\n"B" or not,X', 'Line 4 or above: write a quotation'],
  ['a column named twice', 'a.csv', 'joke,a,joke\nA,B,C', 'The column joke is named twice.'],
  ['a title', 'a.csv', 'Exported on 4 May\nid,joke\n1,A', 'Delete the lines above the names'],
  ['numbers beside names', 'a.csv --map 1=joke', 'Witz,answer\nA,B', '--map Witz=joke  # A'],
  ['a name that is a value', 'a.csv', '1,joke,A\n2,joke,B', '--map 3=joke  # A'],
  ['lines cut unevenly', '-', 'Why, oh why?\nA, b, c', '--delimiter ,  # A'],
  ['blocks', 'a.txt', 'A\nB\n\nC\nD', '2 blocks between empty lines have several lines.'],
  ['more than ten fields', '-', JSON.stringify([Object.fromEntries([...'abcdefghijk'].entries())]), '  … and 1 more'],
  ['another delimiter', '- --delimiter :', 'a:b', '--delimiter must be one of , ; | tab none.'],
  ['a map without a field', '- --map setup', '["A"]', '--map setup: write NAME=joke'],
  ['an unknown category', '- --category pun=Puns', '["A"]', '--category pun=Puns: the categories are Word game'],
])('a file is refused with what to do: %s', (_, command, file, message) => {
  expect(() => read(command, file)).toThrow(message)
})

it('a broken joke is reported alone, at its place', () => {
  const table = read('a.csv', 'joke,category\n"A\nB",School\nC, or not,School\nD,School')
  expect(table.jokes).toEqual(['A\nB/School', expect.stringMatching(/more cells/), 'D/School'])
  expect(table.places).toEqual(['row 2', 'line 4', 'line 5'])
  const lines = read('a.jsonl', '# line 7: a reason\n{"joke":"B\n{"joke":"C"}')
  expect(lines.jokes).toEqual([expect.stringMatching(/not JSON/), 'C'])
  expect(lines.places).toEqual(['line 2', 'line 3'])
})

it('--map and --category win over usual names and values', () => {
  const file = '[{"title":"A","Body":"B","joke":"C","kind":"school","id":2},{"joke":"D","kind":"Pun"},{"joke":"E"}]'
  const maps = '--map title=joke --map Body=punchline --map kind=category'
  const { jokes, notes } = read(`- ${maps} --category pun=KnockKnock --category Classic`, file)
  expect(jokes).toEqual(['A/B/School', 'D/KnockKnock', 'E/Classic'])
  expect(notes).toEqual(['2 fields left out: joke, id.'])
})

it('notes count texts with HTML, garbled characters and Markdown, and name the place of the jokes', () => {
  const texts = ['&quot;A&quot;', 'B<br>b', 'Câ€™c', 'CafÃ©', 'Tea & <3 at <b', 'Ça, São, NÃO', '- **Why?**']
  const { jokes, notes } = read('-', JSON.stringify({ data: { all: texts.map((joke) => ({ joke, id: 'x' })) } }))
  expect(jokes).toEqual(texts)
  expect(notes).toEqual([
    'The jokes are read from data.all.',
    '1 field left out: id.',
    '4 jokes contain HTML or garbled characters; the first is joke 1.',
    '1 joke contains Markdown; the first is joke 7.',
  ])
})
