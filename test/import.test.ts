/** Files that people import: what is read, refused and rejected. */
import { expect, it } from 'vitest'
import { parseCategory, parseMap, readJokes } from '../tools/fields.ts'

/** Reads a file as `import NAME OPTIONS` does, with `--category School` unless a category is among the options. */
function read(name: string, content: string, options = '') {
  const all = options.split(' ').map((option) => option.replaceAll('_', ' '))
  const map = new Map()
  for (const option of all.filter((each) => /=[a-z]/.test(each))) parseMap(option, map)
  const categories = new Map()
  for (const option of all.filter((each) => /=[A-Z]/.test(each))) parseCategory(option, categories)
  const category = all.includes('none') ? categories : parseCategory('School', categories)
  const { jokes, rejected, leftOut } = readJokes(name, content, { map, category, whole: all.includes('whole') })
  const texts = jokes.map((joke) => `${joke.joke}/${joke.punchline}/${joke.category}`.replace('/School', ''))
  return { jokes: texts, rejected, leftOut }
}

const QA = 'What is it?/A lamp.'
it.each<[shape: string, name: string, file: string, options: string, ...jokes: string[]]>([
  ['an array', 'a.JSON', '[{"Set_up":"A","ANSWER":"B"},{"joke":"C","answer":null}]', '', 'A/B', 'C/'],
  ['the only array', 'a.json', '{"title":"x y","of":{"n":1},"jokes":[{"joke":"A"}]}', '', 'A/'],
  ['one object', '-', ' {"joke":"A","tags":[{"joke":"no"}]}', 'whole', 'A/'],
  ['texts', 'a.json', '["A","B"]', '', 'A/', 'B/'],
  ['JSON Lines', 'a.jsonl', '# a\r\n{"joke":"A"}\n\n{"setup":"B","delivery":"C"}', '', 'A/', 'B/C'],
  ['JSON Lines on standard input', '-', '{"joke":"A"}\n{"joke":"B"}', '', 'A/', 'B/'],
  ['a table', 'a.csv', 'Joke, n,Punch-line\n"A, ""a""",1,"b\nb",,\n', '', 'A, "a"/b\nb'],
  ['a table of Excel', 'a.csv', 'joke;n\r\n"A\r\n\r\nb;";1\r\n;\r\n', '', 'A\r\n\r\nb;/'],
  ['a table with tabs', 'a.tsv', 'id\tquestion\tanswer\n1\tWhy, oh?\tSo; yes.', '', 'Why, oh?/So; yes.'],
  ['a table of one column', '/dev/fd/63', 'joke\rWhy, oh; why?\r', '', 'Why, oh; why?/'],
  ['marked formulas', 'a.csv', "joke,n\n'=1+1,\n'tis,\n", '', '=1+1/', "'tis/"],
  ['mapped fields', 'a.csv', 'Title,The q,a\nx y,What is it?,A lamp.', 'The_q=joke a=punchline', QA],
  ['one mapped text', 'a.jsonl', '{"body":"A b.","n":7}', 'body=joke', 'A b./'],
  ['a setup that is said to be the joke', 'a.json', '[{"setup":"A"}]', 'setup=joke', 'A/'],
  ['jokes that are said to be whole', 'a.csv', 'id,joke,by\na1,A,Mira', 'whole', 'A/'],
  ['times and numbers beside jokes', 'a.csv', 'id,joke,at\n1,A,2026-05-04T08:30:00Z', '', 'A/'],
  ['categories', 'a.csv', 'joke,Category\nA,WORD_GAME\nB,Big-Pun', 'big_pun=Classic', 'A//Word game', 'B//Classic'],
])('an import reads %s', (_, name, file, options, ...jokes) => {
  expect(read(name, file, options)).toMatchObject({ jokes, rejected: [] })
})

const SEE = /^\S+ [^\n]+ docs\/import\.md shows how to convert it\.$/
it.each<[what: string, name: string, file: string, message: RegExp, options?: string]>([
  ['another ending', 'a.txt', 'A b.', SEE],
  ['broken JSON', 'a.json', '[{"joke":"A"]', /^a\.json isn't JSON: .+ its name must end in \.jsonl\.$/],
  ['JSON Lines in .json', 'a.json', '{"joke":"A"}\n{"joke":"B"}', /its name must end in \.jsonl\.$/],
  ['nothing', 'a.csv', '', /^a\.csv has no jokes\.$/],
  ['lists in a list', 'a.json', '[["A","B"]]', SEE],
  ['lists of texts', 'a.json', '{"jokes":["A b.","C d."]}', SEE],
  ['two lists', 'a.json', '{"a":[{"joke":"A"}],"b":[{"joke":"B"}]}', SEE],
  ['a list beside a joke', 'a.json', '{"joke":"A","more":[{"joke":"B"}]}', /may lack a punchline|has no field/],
  ['jokes as names', 'a.json', '{"What swims?":"A fish."}', SEE],
  ['a list as a joke', 'a.json', '[{"joke":["A","B"]}]', SEE],
  ['an object as a punchline', 'a.json', '[{"joke":"A","answer":{"S":"B"}}]', SEE],
  ['a first line that is a joke', 'a.csv', '3f,What runs? A nose.\n7c,A b.\n8d,C d.', SEE],
  ['a title above a table', 'a.csv', 'Exported on 4 May\njoke,punchline\nA,B', SEE],
  ['a mark in a table with tabs', 'a.tsv', 'joke\tn\n"A" b\t1', SEE],
  ['an open quotation mark', 'a.csv', 'joke,n\r\n"A\r\nb",1\r\n"B,2\r\n', /quotation mark in row 3\./],
  ['a quotation mark within a cell', 'a.csv', 'joke,n\nA,1\nsay "hi",2', /in row 3\. In a cell, write it twice/],
  ['a column named twice', 'a.csv', 'joke,a,joke\nA,B,C', /names the column joke twice/],
  ['a first line of 2 MB', 'a.csv', ','.repeat(2e6), /has more than 1,000,000 characters in line 1\.$/],
  ['no joke', 'a.csv', "Q's,n\nA b.,7\nC,8", /no field .*\n {2}--map 'Q'\\''s=joke' {2}# A b\.\n.+ n=joke {2}# 7$/s],
  ['a setup without punchline', 'a.json', '[{"setup":"A"}]', /lack a punchline in item 1\..*\n {2}--map setup=joke/],
  ['another text', 'a.json', '[{"joke":"A","reply":"lamp"}]', /--map joke=joke {2}# A\n {2}--map reply=punchline/],
  ['a mapped joke beside another text', 'a.csv', 'q,a\nA?,lamp', /--map a=punchline {2}# lamp$/, 'q=joke'],
  ['two candidates', 'a.csv', 'joke,setup,answer\nA,B,C', /may be the joke:\n {2}--map joke=joke .+\n {2}--map setup/],
  ['an absent field', 'a.csv', 'joke,b\nA,B', /has no field B, but:\n.+\n {2}--map b=punchline/, 'B=punchline'],
  ['no categories', 'a.json', '[{"joke":"A","type":"pun"}]', /Classic for all:\n.+type=category/, 'whole none'],
  ['a category of no field', 'a.json', '[{"joke":"A"}]', /no field known as the category/, 'pun=Classic'],
])('an import refuses %s', (_, name, file, message, options) => {
  const error = { name: 'CannotContinue', message: expect.stringMatching(message) }
  expect(() => read(name, file, options)).toThrow(expect.objectContaining(error))
})

it('an import rejects rows that can be no jokes, and keeps them whole', () => {
  const rows = 'Say &quot;hi&quot;,B|A<br>b,B|A\uFFFDb,B|A,None|A,NULL|joke,answer|,B|A,B,C|D|E,F|A <sobs> b,&'
  const { jokes, rejected } = read('a.csv', `joke,answer\n${rows.replaceAll('|', '\n')}`)
  expect(jokes).toEqual(['A <sobs> b/&'])
  expect(rejected.map(({ place }) => place.replace('row ', '')).join()).toBe('2,3,4,5,6,7,8,9,10,11')
  expect(rejected[0]).toMatchObject({ fault: 'joke has HTML.', line: '{"joke":"Say &quot;hi&quot;","answer":"B"}' })
  expect(read('a.jsonl', '{"joke":"A"}\n{"joke').rejected).toMatchObject([{ place: 'line 2', line: '{"joke' }])
  const mapped = read('a.json', '[{"body":"A<br>","n":1},{"body":"B","end":"C"}]', 'body=joke end=punchline')
  expect(mapped.rejected.map(({ line }) => line)).toEqual(['{"body":"A<br>","end":null,"n":1}'])
})
