/** Reads texts: a joke on each line, or `%` on a line between two jokes. Lines that belong together are refused. */
import { knownAs } from './fields.ts'
import { isSentence, LINE_END, type Row, type Source } from './source.ts'

const SEPARATOR = /^%\s*$/
/** A heading of Markdown, or a setting of a program such as Anki. */
const SETTING = /^#/
/** The name of a field or a speaker, such as `Q:` or `Doctor:`. */
const LABEL = /^(\p{L}[\p{L}\p{N} ]{0,19}): /u
const LIST_MARK = /^\s*(?:[-*+•–—]|\d+[.)])\s/
const QUESTION = /[?？]["'”’»]?\s*$/u

export function readLines(text: string, source: Source): Row[] {
  const lines = text.trimEnd().split(LINE_END)
  const separators = lines.flatMap((line, index) => (SEPARATOR.test(line) ? [index] : []))
  if (separators.length === 0) refuseOthers(text, lines, source)
  const starts = separators.length > 0 ? [-1, ...separators].map((index) => index + 1) : [...lines.keys()]
  return starts.flatMap((start, index): Row[] => {
    const end = separators.length > 0 ? separators[index] : start + 1
    const joke = lines.slice(start, end).join('\n').trim()
    return joke ? [{ place: `line ${start + 1}`, record: { joke } }] : []
  })
}

function refuseOthers(text: string, lines: string[], source: Source): void {
  const filled = lines.filter((line) => line.trim())
  const [first = ''] = filled
  if (/^\s*[[{]/.test(text)) source.convert('is JSON.', 'cat', text.trim().startsWith('[') ? '.json' : '.jsonl')
  if (
    first.split(/[,;\t]/).some((name) => knownAs(name.trim()) !== undefined) &&
    !isSentence(first.replaceAll(/[,;\t]/g, ''))
  )
    source.convert('is a table whose first line names the columns.', 'cat', '.csv')
  const rows = filled.filter((line) => !SETTING.test(line))
  for (const [delimiter, name] of Object.entries({ '\t': 'tabs', '|': 'pipes' }))
    if (rows.length > 0 && rows.every((line) => line.includes(delimiter))) {
      const cut = `select(startswith("#") | not) | split(${JSON.stringify(delimiter)}) | @csv`
      source.convert(`is a table, because each line has ${name}.`, `jq -rR '${cut}'`, '.csv')
    }
  const labels = filled.map((line) => LABEL.exec(line)?.[1])
  if (filled.length > 1 && labels.every(Boolean)) {
    const split = `splits("(^|\\n)\\\\s*(?=${labels[0]}: )") | select(. != "")`
    const fields = '[splits("\\\\s*\\n\\\\s*") | capture("^(?<key>[^:]+): *(?<value>.*)")] | from_entries'
    source.convert(`has a name such as ${labels[0]} before each line.`, `jq -Rsc '${split} | ${fields}'`, '.jsonl')
  }
  if (
    filled.length > 1 &&
    filled.length % 2 === 0 &&
    filled.every((line, index) => QUESTION.test(line) === (index % 2 === 0))
  ) {
    const pairs = 'range(0; length; 2) as $n | {joke: .[$n], punchline: .[$n + 1]}'
    const found = 'has questions and answers on lines of their own.'
    source.convert(found, `jq -Rsc '[splits("\\\\s*\\n\\\\s*") | select(. != "")] | ${pairs}'`, '.jsonl')
  }
  if (filled.some((line) => LIST_MARK.test(line))) {
    const sed = "sed -nE 's/^[[:space:]]*([-*+]|•|–|—|[0-9]+[.)])[[:space:]]+//p'"
    source.convert(
      'has the marks of a list or a dialogue.',
      sed,
      '.txt',
      'If a mark begins each joke, take the marks away',
    )
  }
  if (lines.some((line) => SETTING.test(line)))
    source.convert('has lines that begin with #, as settings do.', "grep -v '^#'", '.txt', 'Leave them out')
  if (lines.slice(lines.indexOf(first)).some((line) => !line.trim())) refuseBlocks(text, source)
  if (filled.some((line) => /^\W*who['’]?s there\W*$/i.test(line)))
    source.refuse('has jokes on several lines. Write a line with only % between two jokes.')
}

/** Refuses empty lines. If some of them are double, single ones are a part of a joke. */
function refuseBlocks(text: string, source: Source): never {
  const gaps = text.trim().match(/(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))+/g) ?? []
  const sizes = gaps.map((gap) => gap.split(LINE_END).length - 2)
  const [least, gap] = Math.min(...sizes) < Math.max(...sizes) ? [2, 'two empty lines'] : [1, 'an empty line']
  const perl = `perl -0pe 's/\\R(\\h*\\R){${least},}/\\n%\\n/g'`
  return source.convert('has empty lines.', perl, '.txt', `If ${gap} stands between two jokes, write % there`)
}
