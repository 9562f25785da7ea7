/** Files that people import: what is read, what is refused, and where the advice leads. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { CATEGORIES } from '../shared/joke.ts'
import { CannotContinue } from '../tools/commandLine.ts'
import { writeCsv } from '../tools/csv.ts'
import { parseCategory, parseMap, readFields } from '../tools/fields.ts'
import { readRows } from '../tools/reader.ts'
import { Source } from '../tools/source.ts'
import { temporaryFolder } from './support/process.ts'

const folder = temporaryFolder(afterAll)

/** Reads a file as `import NAME OPTIONS` does. Returns jokes as `joke/punchline/category`. */
function read(name: string, content: string | Buffer, options = '') {
  const all = ['--category', 'School', ...options.split(' ')]
  const valuesOf = (option: string) => all.filter((_, index) => all[index - 1] === option)
  const maps = valuesOf('--map').reduce((others, map) => parseMap(map, others), new Map())
  const categories = valuesOf('--category').reduce((others, category) => parseCategory(category, others), new Map())
  if (options === 'no category') categories.clear()
  const source = new Source(name)
  const { jokes, ...notes } = readFields(source, readRows(source, Buffer.from(content)), maps, categories)
  const texts = jokes.map(({ joke, punchline, category }) => {
    return [joke, punchline, category]
      .filter(Boolean)
      .join('/')
      .replace(/\/School$/, '')
  })
  return { jokes: texts, ...notes }
}

describe('jokes are read', () => {
  it.each<[shape: string, name: string, file: string, options: string, ...jokes: string[]]>([
    ['an array', 'a.json', '[{"Question":"A","ANSWER":"B","category":"WORD_GAME"}]', '', 'A/B/Word game'],
    ['an array of texts', '-', '\uFEFF ["A","B"]', '', 'A', 'B'],
    ['the only list', 'a.json', '{"title":"Jokes","of":{"n":1},"jokes":[{"joke":"A"}]}', '', 'A'],
    ['the only list of texts', 'a.json', '{"n":1,"jokes":["A"]}', '', 'A'],
    ['one object', 'a.json', '{"joke":"A","notes":["b c"]}', '', 'A'],
    ['lines', 'a.jsonl', '# a\r\n{"joke":"A"}\n\n"B"', '', 'A', 'B'],
    ['lines in .json', 'a.json', '{"joke":"A"}\n{"setup":"B","delivery":"C"}', '', 'A', 'B/C'],
    ['absent values', 'a.json', '[{"joke":"A","text":null,"answer":"[removed]"}]', '', 'A'],
    ['a table', 'a.csv', 'Joke, n, Category\n"A, ""a""",1,CLASSIC\n', '', 'A, "a"/Classic'],
    ['a table of Excel', 'a.csv', '\uFEFFjoke;n\r\n"A\r\n\r\nb;";1\r\n;\r\n', '', 'A\r\n\r\nb;'],
    ['a cell that begins with a quotation mark', 'a.csv', 'joke,n\n"""A""\nb",1', '', '"A"\nb'],
    ['a table with commas in its names', 'a.csv', 'joke;a,b\nA;B', '', 'A'],
    ['a table with tabs', 'a.tsv', 'ID\tJoke Text\n1\t6" A\n2\tB "b"\n', '', '6" A', 'B "b"'],
    ['one column with commas', 'a.tsv', 'Why, oh?\nHow, so?', '--map 1=joke', 'Why, oh?', 'How, so?'],
    ['a table of one column', '-', 'joke\rWhy, oh; why?\r', '', 'Why, oh; why?'],
    ['marked formulas', 'a.csv', "joke\n'=1+1\n'@a\n'tis\n", '', '=1+1', '@a', "'tis"],
    ['numbered columns', 'a.csv', '7,Why?,"a\nb"', '--map 2=joke --map 3=punchline', 'Why?/a\nb'],
    [
      'columns whose first texts stand in them again',
      'a.csv',
      'ha,ho,pun\nhi,hey,pun',
      '--map 1=joke --map 2=punchline',
      'ha/ho',
      'hi/hey',
    ],
    ['a column with a number as its name', 'a.csv', '2,1\nA,B', '--map 2=joke', 'A'],
    ['quoted columns', '-', '"joke","punchline"\n"A?","B."', '', 'A?/B.'],
    ['a survey', 'a.jsonl', '{"Your name?":"Mira","joke":"A","punchline":"B."}', '', 'A/B.'],
    ['marks in text', 'a.txt', '[laughs] A\n#MondayJoke B\n#1: C', '', '[laughs] A', '#MondayJoke B', '#1: C'],
    ['lines of text', 'a.txt', '\nWhy, oh: why?\r\n"B" | b\nC\n', '', 'Why, oh: why?', '"B" | b', 'C'],
    ['fortunes', 'a.txt', 'A\n\n\tb\n%\nQ: C, d?\n%\n', '', 'A\n\n\tb', 'Q: C, d?'],
    ['texts beside mapped ones', 'a.csv', 'Id,Title,Text\n1,A b.,C d.', '--map Text=joke', 'C d.'],
    ['other fields without sentences', 'a.csv', 'id,joke,at\n1,A,2026-05-04 08:30', '', 'A'],
    ['a picture beside a joke', 'a.csv', `png,joke\n${'x'.repeat(1_000_000)},A`, '', 'A'],
    ['mapped categories', 'a.json', '[{"t":"Pun","joke":"A"}]', '--map t=category --category pun=Classic', 'A/Classic'],
  ])('from %s', (_, name, file, options, ...jokes) => {
    expect(read(name, file, options).jokes).toEqual(jokes)
  })

  const LIKELY = [...'",;\t\n\r #{[(/_\\àРנ\u2028\u00A0\uFEFF\uFFFD%=\'']
  const character = fc.oneof(fc.constantFrom(...LIKELY), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
  // The service trims texts, and rejects control characters. Letters keep texts from being the name of their column.
  const forbidden = /\p{Cs}|(?![\t\n\r])\p{Cc}/gu
  const text = fc.string({ unit: character }).map((each) => `x${each.replaceAll(forbidden, '')}`.trim())
  const joke = fc.record({ joke: text, punchline: text, category: fc.constantFrom(...CATEGORIES) })
  const excel = { bom: true, delimiter: ';', record_delimiter: '\r\n', quoted_match: /[\r\n]/, header: true }
  const counts = { id: 'x', thumbsUp: 0, thumbsDown: 0, dateAdded: '' }
  type Joke = Record<'joke' | 'punchline' | 'category', string>

  it.each<[program: string, file: string, write: (jokes: Joke[]) => string]>([
    ['export', 'a.csv', (jokes) => writeCsv(jokes.map((joke) => ({ ...joke, ...counts })))],
    ['a spreadsheet', 'a.csv', (jokes) => stringify(jokes, { columns: ['joke', 'punchline', 'category'], ...excel })],
    ['JSON.stringify over many lines', 'a.json', (jokes) => JSON.stringify({ jokes }, undefined, 2)],
    ['JSON.stringify line by line', 'a.jsonl', (jokes) => jokes.map((joke) => JSON.stringify(joke)).join('\n')],
  ])('as %s wrote them', (_, file, write) => {
    const comeBack = (jokes: Joke[]) => {
      const source = new Source(file)
      const found = readFields(source, readRows(source, Buffer.from(write(jokes))))
      expect(found).toMatchObject({ jokes, rejected: [] })
    }
    fc.assert(fc.property(fc.array(joke, { minLength: 1 }), comeBack))
  })
})

describe('a file is refused, and following the advice imports the right texts', () => {
  const [LAMP, STOP] = ['What did the lamp say?', 'Stop circling me.']
  const [LADDER, WALKED] = ['Why was the ladder sad?', 'Everyone walked all over it.']
  const BOTH = [`${LAMP}/${STOP}`, `${LADDER}/${WALKED}`]
  const ONES = [`${LAMP} ${STOP}`, `${LADDER} ${WALKED}`]
  const texts = [LAMP, LADDER]
  const pairs = BOTH.map((both) => both.split('/'))
  const objects = (joke: string, punchline: string) => pairs.map(([a, b], id) => ({ id, [joke]: a, [punchline]: b }))
  const table = (line: (pair: string[]) => string, first = '') =>
    first + pairs.map((pair) => `${line(pair)}\n`).join('')
  const LATIN1 = Buffer.from('joke\rTea\rCaf\xE9\r', 'latin1')
  const chat = { messages: [{ text_entities: [{ text: 'A ' }, { text: 'b' }] }, { text_entities: [] }] }
  const features = { features: [{ name: 'x y' }], rows: [{ row: { joke: LAMP } }] }

  it.each<[what: string, name: string, file: unknown, found: RegExp, map: string, jokes: string[]]>([
    ['two texts', 'a.csv', table((pair) => pair.join(), 'Title,Text\n'), /several .* row 2/, 'Title Text', BOTH],
    [
      'an unknown punchline',
      'a.json',
      objects('question', 'reponse'),
      /no punchline in item 1/,
      'question reponse',
      BOTH,
    ],
    ['a reply', 'a.json', objects('joke', 'reply'), /no punchline in item 1/, 'joke reply', BOTH],
    ['a headline', 'a.json', { n: objects('headline', 'body') }, /several .* item 1/, 'headline body', BOTH],
    ['foreign names', 'a.jsonl', objects('Witz', 'Pointe')[0], /no field .* joke/, 'Witz Pointe', BOTH.slice(0, 1)],
    ['quotes', 'a.json', [{ q: LAMP, a: 'Mira Tolund' }], /no field .* joke/, 'q', [LAMP]],
    ['half a joke', 'a.jsonl', { body: LAMP }, /no punchline in line 1/, 'body', [LAMP]],
    ['columns without names', 'a.csv', table(([, b]) => `3f2b-8c1e,${b}`), /no field/, '2', [STOP, WALKED]],
    ['one column without a name', 'a.csv', 'A b.\nC d.', /no field/, '1', ['A b.', 'C d.']],
    ['a name that is a value', 'a.csv', '1,joke,A b.\n2,joke,B c.', /no field/, '3', ['A b.', 'B c.']],
    ['foreign columns', 'a.csv', table((pair) => pair.join(';'), 'Frage;Witz\n'), /no field/, 'Frage Witz', BOTH],
    ['a title above the names', 'a.csv', `On 4 May\njoke\n${LAMP}`, /its columns in line 2/, '', [LAMP]],
    ['an open quotation mark', 'a.tsv', 'setup\tanswer\n"Hi\tA\nB\tC', /mark in row 2/, '', ['"Hi/A', 'B/C']],
    ['one that closes later', 'a.tsv', 'setup\tanswer\n"Hi\tA\n"B"\tC', /mark in row 2/, '', ['"Hi/A', '"B"/C']],
    ['one that closes a cell', 'a.tsv', 'setup\tanswer\n"Hi\tA\nB"\tC', /mark in row 2/, '', ['"Hi/A', 'B"/C']],
    ['tabs in .txt', 'a.txt', table((pair) => pair.join('\t')), /is a table/, '1 2', BOTH],
    ['pipes in .txt', 'a.txt', table((pair) => pair.join(' | ')), /is a table/, '1 2', BOTH],
    ['settings', 'a.txt', table((pair) => pair.join('\t'), '#separator:tab\n'), /is a table/, '1 2', BOTH],
    ['settings above jokes', 'a.txt', `#html:true\n${texts.join('\n')}`, /settings/, '', texts],
    ['names in .txt', 'a.txt', table((pair) => pair.join(), 'setup,punchline\n'), /is a table/, '', BOTH],
    ['JSON in .txt', 'a.txt', objects('setup', 'punchline'), /is JSON/, '', BOTH],
    ['questions and answers', 'a.txt', table(([q, a]) => `Q: ${q}\r\nA: ${a}`), /names before its lines/, 'Q A', BOTH],
    ['labels', 'a.txt', table(([q, a]) => `Term: x\nJoke: ${q} ${a}\n`), /names before its lines/, '', ONES],
    ['a label on each line', 'a.txt', table(([q]) => `Joke: ${q}`), /names before its lines/, '', texts],
    ['pairs of lines', 'a.txt', table(([q, a]) => `${q}\n${a}`), /in turn/, '', BOTH],
    ['airy pairs', 'a.txt', table(([q, a]) => `${q}\n\n${a}\n\n`), /in turn/, '', BOTH],
    ['Markdown', 'a.txt', `# A\n\n- ${ONES.join('\n- ')}\n\n---\n`, /is a list/, '', ONES],
    ['blocks', 'a.txt', 'A\nB\r\n \r\nC', /empty lines. Where one stands/, '', ['A\nB', 'C']],
    ['blocks of blocks', 'a.txt', 'A\n\nB\n\n\n\nC', /empty lines. Where two stand/, '', ['A\n\nB', 'C']],
    ['jokes as names', 'a.json', { [LAMP]: STOP, [LADDER]: WALKED }, /jokes as its names/, '', BOTH],
    ['pairs in JSON', 'a.json', pairs, /lists in a list/, '1 2', BOTH],
    ['rows in JSON', 'a.json', { n: 'A1', v: [['Setup', 'Punchline'], ...pairs] }, /lists in a list/, '', BOTH],
    ['lines of rows', 'a.jsonl', table((pair) => JSON.stringify(pair)), /lists in a list/, '1 2', BOTH],
    ['lists of lists', 'a.json', objects('joke', 'answer').map((joke) => [joke]), /inside/, '', BOTH],
    ['rows in objects', 'a.json', features, /inside other values/, '', [LAMP]],
    ['a nested list', "it's a.json", { m: {}, data: { n: objects("se'tup", 'answer') } }, /inside/, '', BOTH],
    ['objects by id', '-', { 7: { joke: LAMP } }, /inside other values/, '', [LAMP]],
    ['paired lists', 'a.json', { setups: texts, answers: [STOP, WALKED] }, /has two lists/, '', BOTH],
    ["DynamoDB's JSON", 'a.json', { Items: [{ joke: { S: LAMP }, n: { N: '1' } }] }, /DynamoDB's/, '', [LAMP]],
    ["DynamoDB's lines", 'a.json', { Item: { joke: { S: LAMP } } }, /DynamoDB's JSON/, '', [LAMP]],
    ['a chat', 'a.json', chat, /Telegram/, '', ['A b']],
    ['YAML', 'a.yml', `- ${LAMP}\n- ${LADDER}`, /is YAML/, '', texts],
    ['UTF-16', 'a.csv', Buffer.from(`\uFEFFjoke\n${LAMP}`, 'utf16le'), /in UTF-16/, '', [LAMP]],
    ['Windows-1252', 'a.csv', LATIN1, /line 3 is not valid/, '', ['Tea', 'Café']],
    ['gzip on standard input', '-', gzipSync(`joke\n${LAMP}`), /compressed/, '', [LAMP]],
    ['gzip', 'a.csv.gz', gzipSync(`joke\n${LAMP}`), /compressed/, '', [LAMP]],
  ])('%s', (_, name, made, found, map, jokes) => {
    const file = Buffer.from(Buffer.isBuffer(made) || typeof made === 'string' ? made : JSON.stringify(made))
    expect(refusalOf(name, file)).toMatch(found)
    writeFileSync(join(folder, name), file)
    expect(follow(name, file, map ? map.split(' ') : [])).toEqual(jokes)
  })

  /** Runs each printed command, and chooses the names of the joke and the punchline among the printed options. */
  function follow(name: string, file: Buffer, [joke, punchline]: (string | undefined)[]): string[] {
    const refusal = refusalOf(name, file)
    const [, command, ending = ''] = /\n {2}(.+-converted(\.\w+)?'?)$/.exec(refusal) ?? []
    if (command !== undefined) {
      // Standard input is a pipe, as in a shell.
      const piped = name === '-' ? `cat ./- | ${command}` : command
      const { status, stderr } = spawnSync('bash', ['-c', piped], { cwd: folder })
      expect([status, `${stderr}`]).toEqual([0, ''])
      const converted = `${name === '-' ? 'stdin' : name}-converted${ending}`
      return follow(converted, readFileSync(join(folder, converted)), [joke, punchline])
    }
    const options = [joke && `--map ${joke}=joke`, punchline && `--map ${punchline}=punchline`].filter(Boolean)
    for (const option of options) expect(refusal).toContain(`\n  ${option}`.replace(/\w+$/, 'joke  # '))
    return read(name, file, options.join(' ')).jokes
  }
})

/** Returns why a file is refused, or `''` if it is read. */
function refusalOf(name: string, file: string | Buffer, options = ''): string {
  try {
    read(name, file, options)
    return ''
  } catch (error) {
    if (error instanceof CannotContinue || error instanceof InvalidArgumentError) return error.message
    throw error
  }
}

it.each<[what: string, name: string, file: string | Buffer, options: string, message: string]>([
  ['nothing', 'a.csv', ' \n', '', 'a.csv is empty, so there is nothing to import.'],
  ['an empty list', 'a.json', '{"jokes":[],"total":0}', '', 'a.json has no jokes, so there is nothing to import.'],
  ['only names', 'a.csv', 'joke,n\n', '', 'has no jokes'],
  ['only headings', 'a.txt', '# A\n', '', 'has only headings or settings.'],
  ['a spreadsheet', 'a.csv', Buffer.from('PK\x03\x04\0', 'latin1'), '', 'Save the spreadsheet as CSV UTF-8.'],
  ['XML', 'a.xml', '<jokes/>', '', 'first line is joke,punchline,category.'],
  ['HTML', '-', '<!DOCTYPE html>', '', 'Standard input is XML or HTML.'],
  ['another ending', 'a.md', 'A', '', 'It must be .json, .jsonl, .csv, .tsv or .txt.'],
  ['broken JSON', 'a.json', '[\n"A",\n"B"\n"C"\n]', '', 'is not JSON: '],
  ['text in .jsonl', 'a.jsonl', 'A\nB', '', 'Write it as an array of objects'],
  ['broken rows', 'a.csv', 'joke,n\nA\nB', '', 'has no joke that can be read. In row 2: It has 1 cells instead of 2.'],
  ['settings', 'a.json', '{"n":[1]}', '', 'Write it as an array of objects'],
  ['lists side by side', 'a.json', '{"a":["A b"],"b":["C d"]}', '', 'Write it as an array of objects'],
  ['a list beside texts', 'a.json', '{"by":"Mira","tags":["a","b"]}', '', 'Write it as an array of objects'],
  ['an open quotation mark', 'a.csv', 'joke,n\n"A,1\n"B",2', '', 'mark in row 2 that'],
  ['a quotation mark that ends within a cell', 'a.csv', 'joke,n\n"A" b,1', '', 'mark in row 2 that'],
  ['a column named twice', 'a.csv', 'joke,a,joke\nA,B,C', '', 'names the column joke twice.'],
  ['a column that is absent', 'a.csv', 'A b c.,D', '--map 3=joke', 'has no field 3, but 1, 2.'],
  ['fields without sentences', 'a.csv', 'id,Witz\n7,A b.', '', 'for its punchline:\n  --map Witz=joke  # A b.'],
  ['numbers beside names', 'a.csv', 'Witz,Pointe\nA b,B', '--map 1=joke', '--map Witz=joke  # A b'],
  ['numbers beside a known name', 'a.csv', 'joke,Is it funny?\nA b,B', '--map 1=joke', 'has no field 1, but joke,'],
  ['a dialogue', 'a.txt', 'Knock, knock!\nWho is there?\nLamp.', '', 'Write a line with only % between two jokes.'],
  ['two speakers', 'a.txt', 'He: A?\nShe: B.\nHe: C.', '', 'Write a line with only % between two jokes.'],
  ['a list with long items', 'a.txt', '- A\nb\n- C', '', 'Write a line with only % between two jokes.'],
  ['another field', 'a.json', '[{"joke":"A b","B":"C d"}]', '--map b=punchline', 'has no field b, but joke, B.'],
  ['another category', 'a.json', '[{"joke":"A","t":"Big pun"}]', '--category big-pun=Classic', '--map t=category'],
  ['no such category', 'a.json', '[{"joke":"A"}]', '--category pun=Classic', 'has no joke with the category pun.'],
  ['a map without a field', 'a.json', '["A"]', '--map setup', 'Write NAME=joke, '],
  ['an unknown category', 'a.json', '["A"]', '--category pun=Puns', 'The categories are Word game'],
  ['no categories', 'a.json', '["A"]', 'no category', 'Add --category Classic, or '],
])('a file is refused with a sentence: %s', (_, name, file, options, message) => {
  expect(refusalOf(name, file, options)).toContain(message)
})

it('a broken row is rejected alone, at its place', () => {
  const table = read('a.csv', 'joke,category\n"A\nB",School\nC, or not,School\njoke,School\n\nD\nE,School\nF,School')
  expect(table.jokes).toEqual(['A\nB', 'F'])
  expect(table.rejected).toEqual([
    { reason: 'row 3: It has 3 cells instead of 2.', line: '["C","or not","School"]' },
    { reason: 'row 4: It has the name of a column as its value.', line: '["joke","School"]' },
    { reason: 'row 6: It has 1 cells instead of 2.', line: '["D"]' },
    { reason: 'row 7: It may be the end of the row above, which has too few cells.', line: '["E","School"]' },
  ])
  const lines = read('a.jsonl', '# line 7: a reason\n{"joke":"B\n["x"]\n{"joke":"C"}')
  expect(lines.jokes).toEqual(['C'])
  expect(lines.rejected).toEqual([
    { reason: expect.stringMatching(/^line 2: It is not JSON/), line: '{"joke":"B' },
    { reason: 'line 3: It is neither an object nor a text.', line: '["x"]' },
  ])
})

it('NULL and \\N are no punchlines, and None may be one', () => {
  const { jokes, rejected, ...notes } = read('a.csv', 'joke,answer,id\nA,NULL,1\nB,\\N,2\nC,None,3\nnan,D,4\nE,none,5')
  expect(jokes).toEqual(['A', 'B', 'E/none'])
  const reasons = [expect.stringMatching(/^row 4: .+“None”/), expect.stringMatching(/^row 5: .+“nan”/)]
  expect(rejected.map(({ reason }) => reason)).toEqual(reasons)
  expect(notes).toEqual({ nulls: 2, leftOut: ['id'] })
})
