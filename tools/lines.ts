/** Reads texts: a joke on each line, or `%` on a line between two jokes. Lines that belong together are refused. */
import { quoted } from './commandLine.ts'
import { isHeader } from './names.ts'
import { LINE_END, type Row, type Source } from './source.ts'

const SEPARATOR = /^%\s*$/
/** A heading or a rule of Markdown, or a setting of a program such as Anki. */
const SETTING = /^(?:#|---)/
/** The name of a field or a speaker, such as `Q:` or `Doctor:`. */
const LABEL = /^(\p{L}[\p{L}\p{N} ]{0,19}): /u
const LIST_MARK = /^\s*(?:[-*+•–—]|\d+[.)])\s/
const QUESTION = /[?？]["'”’»]?\s*$/u
const WHO_IS_THERE = /^\W*who['’]?s there\W*$/i

export function readLines(text: string, source: Source): Row[] {
  const lines = text.trimEnd().split(LINE_END)
  const separators = lines.flatMap((line, index) => (SEPARATOR.test(line) ? [index] : []))
  if (separators.length === 0) refuseOthers(text.trim(), source)
  const starts = separators.length > 0 ? [-1, ...separators].map((index) => index + 1) : [...lines.keys()]
  return starts.flatMap((start, index): Row[] => {
    const end = separators.length > 0 ? separators[index] : start + 1
    const joke = lines.slice(start, end).join('\n').trim()
    return joke ? [{ place: `line ${start + 1}`, record: { joke } }] : []
  })
}

function refuseOthers(text: string, source: Source): void {
  const all = text.split(LINE_END)
  const lines = all.filter((line) => line.trim() && !SETTING.test(line))
  if (lines.length === 0) source.refuse('has only headings or settings.')
  if (/^[[{]/.test(text)) source.convert('is JSON.', 'cat', '.json')
  if (isHeader(`${all[0]}`.split(/[,;\t]/))) source.convert('is a table.', 'cat', '.csv')
  for (const [delimiter, name] of Object.entries({ '\t': 'tabs', '|': 'pipes' }))
    if (lines.every((line) => line.includes(delimiter))) {
      const cells = `select(test("^(#|---)") | not) | split(${JSON.stringify(delimiter)}) | @csv`
      source.convert(`is a table, because each line has ${name}.`, `jq -rR ${quoted(cells)}`, '.csv')
    }

  const labels = lines.map((line) => LABEL.exec(line)?.[1])
  const areLabelled = labels.length > 1 && labels.every(Boolean)
  const count = Math.max(labels.indexOf(labels[0], 1), 0) || labels.length
  const isRegular = labels.length % count === 0 && labels.every((label, index) => label === labels[index % count])
  if (areLabelled && isRegular) {
    const fields = 'map(capture("^(?<key>[^:]+): *(?<value>.*)")) | from_entries'
    source.convert(`has a name such as ${labels[0]} before each line.`, forGroups(count, fields), '.jsonl')
  }
  const arePairs = lines.length > 1 && lines.every((line, index) => QUESTION.test(line) === (index % 2 === 0))
  if (arePairs && lines.length % 2 === 0)
    source.convert('has pairs of lines.', forGroups(2, '{joke: .[0], punchline: .[1]}'), '.jsonl')
  if (lines.every((line) => LIST_MARK.test(line)))
    source.convert('is a list.', "sed -nE 's/^[[:space:]]*([-*+]|•|–|—|[0-9]+[.)])[[:space:]]+//p'")
  if (areLabelled || lines.some((line) => LIST_MARK.test(line) || WHO_IS_THERE.test(line)))
    source.refuse('has jokes on several lines. Write a line with only % between two jokes.')
  if (all.some((line) => SETTING.test(line))) source.convert('has headings or settings.', "grep -vE '^(#|---)'")
  const isEmpty = all.map((line) => !line.trim())
  if (!isEmpty.includes(true)) return
  // If some are double, single ones may be a part of a joke.
  const least = isEmpty.some((empty, index) => empty && isEmpty[index + 1]) ? 2 : 1
  const found = `has empty lines. Where ${least === 2 ? 'two stand' : 'one stands'} between two jokes, there must be %.`
  source.convert(found, `perl -0pe 's/\\R(\\h*\\R){${least},}/\\n%\\n/g'`)
}

/** Returns a command that makes an object of each group of lines. */
function forGroups(count: number, filter: string): string {
  const lines = '[splits("\\\\s*\\n\\\\s*") | select(test("^(#|---|$)") | not)]'
  return `jq -Rsc ${quoted(`${lines} | range(0; length; ${count}) as $n | .[$n:$n + ${count}] | ${filter}`)}`
}
