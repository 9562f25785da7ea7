/** Reads texts: a joke on each line, or `%` on a line between two jokes. Lines that belong together are refused. */
import { isHeader } from './names.ts'
import { LINE_END, type Row, type Source } from './source.ts'

const SEPARATOR = /^%\s*$/m
/** Beginnings of headings and rules of Markdown, and of settings of programs such as Anki. */
const SETTINGS = '^(#+ |#[a-z ]+:[^ ]|---)'
const SETTING = new RegExp(SETTINGS)
/** Prints all lines except those and empty ones, with the line ends of Unix. */
const CONTENT = `tr '\\r' '\\n' | grep -vE '${SETTINGS}|^[[:space:]]*$'`
/** The name of a field or a speaker, such as `Q:` or `Doctor:`. */
const LABEL = /^(\p{L}[\p{L}\p{N} ]{0,19}): /u
const LIST_MARK = /^\s*(?:[-*+•–—]|\d+[.)])\s/
const QUESTION = /[?？]["'”’»]?\s*$/u
const WHO_IS_THERE = /^\W*who(?:['’]?s| is) there\W*$/i

export function readLines(text: string, source: Source): Row[] {
  const lines = text.split(LINE_END)
  const hasSeparators = lines.some((line) => SEPARATOR.test(line))
  if (!hasSeparators) refuseUnlessLines(text.trim(), source)
  const jokes = hasSeparators ? lines.join('\n').split(SEPARATOR) : lines
  const unit = hasSeparators ? 'joke' : 'line'
  const rows = jokes.map((joke, index) => ({ place: `${unit} ${index + 1}`, record: { joke: joke.trim() } }))
  return rows.filter(({ record }) => record.joke)
}

/** Refuses a file unless each of its lines is a joke. */
function refuseUnlessLines(text: string, source: Source): void {
  const all = text.split(LINE_END)
  const lines = all.filter((line) => line.trim() && !SETTING.test(line))
  if (lines.length === 0) source.refuse('has only headings or settings.')
  if (/^[[{]\s*["[{]/.test(text)) source.refuse('is JSON.', 'cat', '.json')
  if (isHeader(`${all[0]}`.split(/[,;\t]/))) source.refuse('is a table.', 'cat', '.csv')
  if (lines.every((line) => line.includes('\t'))) source.refuse('is a table with tabs.', `{ ${CONTENT}; }`, '.tsv')
  if (lines.every((line) => line.includes('|')))
    source.refuse('is a table with pipes.', `{ ${CONTENT} | tr '|' '\\t'; }`, '.tsv')

  const labels = lines.flatMap((line) => LABEL.exec(line)?.[1] ?? [])
  const areLabelled = labels.length > 1 && labels.length === lines.length
  const again = labels.indexOf(`${labels[0]}`, 1)
  const names = labels.slice(0, again > 0 ? again : undefined)
  const areInTurn =
    lines.length % names.length === 0 && labels.every((label, index) => label === names[index % names.length])
  if (areLabelled && areInTurn)
    source.refuse('has names before its lines.', joining(`${CONTENT} | sed -E 's/^[^:]+: *//'`, names), '.tsv')
  if (lines.length % 2 === 0 && lines.every((line, index) => QUESTION.test(line) === (index % 2 === 0)))
    source.refuse('has questions and answers in turn.', joining(CONTENT, ['joke', 'punchline']), '.tsv')
  if (lines.every((line) => LIST_MARK.test(line)))
    source.refuse('is a list.', "sed -nE 's/^[[:space:]]*([-*+]|•|–|—|[0-9]+[.)])[[:space:]]+//p'")
  if (areLabelled || lines.some((line) => LIST_MARK.test(line) || WHO_IS_THERE.test(line)))
    source.refuse('has jokes on several lines. Write a line with only % between two jokes.')
  if (all.some((line) => SETTING.test(line))) source.refuse('has headings or settings.', `grep -vE '${SETTINGS}'`)
  if (!all.some((line) => !line.trim())) return
  // If some are double, single ones may be a part of a joke.
  const least = all.some((line, index) => !line.trim() && all[index + 1]?.trim() === '') ? 2 : 1
  const found = `has empty lines. Where ${least === 2 ? 'two stand' : 'one stands'} between two jokes, there must be %.`
  source.refuse(found, `perl -0pe 's/\\R(\\h*\\R){${least},}/\\n%\\n/g'`)
}

/** Returns a command that makes a row of each group of lines. */
function joining(program: string, names: string[]): string {
  return `{ printf '${names.join('\\t')}\\n'; ${program} | paste${' -'.repeat(names.length)}; }`
}
