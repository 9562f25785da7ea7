/** Reads files of jokes by the endings of their names. */
import { isUtf8 } from 'node:buffer'
import { readCsv } from './csv.ts'
import { readJson } from './json.ts'
import { readLines } from './lines.ts'
import { LINE_END, type Row, type Source } from './source.ts'

const READERS: Record<string, (text: string, source: Source) => Row[]> = {
  '.json': readJson,
  '.jsonl': readJson,
  '.csv': readCsv,
  '.tsv': readCsv,
  '.txt': readLines,
  '': (text, source) => (/^\s*[[{#]/.test(text) ? readJson(text, source) : readCsv(text, source)),
}

/** The first bytes of ZIP, which newer spreadsheets are, and of older spreadsheets. */
const ARCHIVES = ['PK\x03\x04', '\xD0\xCF\x11\xE0']
const MARKUP = /^\s*<(?:\?xml|!doctype|html)\b/i

/**
 * Reads the rows of a file. Without an ending, as on standard input, it is JSON if it begins so, and otherwise CSV.
 *
 * @throws {CannotContinue} if the file has another shape. The message says which one, and what to do
 */
export function readRows(source: Source, bytes: Buffer): Row[] {
  const text = decode(source, bytes)
  if (/^\.ya?ml$/.test(source.ending)) source.refuse('is YAML.', 'npx --yes js-yaml /dev/stdin', '.json')
  if (/^\.(?:xml|html?)$/.test(source.ending) || MARKUP.test(text))
    source.refuse('is XML or HTML. Copy its jokes to a .csv file whose first line is joke,punchline,category.')
  const read = READERS[source.ending]
  if (!read) source.refuse('has an unknown ending. It must be .json, .jsonl, .csv, .tsv or .txt.')
  return read(text, source)
}

/** Decodes a file. @throws {CannotContinue} if it is not text in UTF-8 */
function decode(source: Source, bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 4)
  if (start.startsWith('\x1F\x8B')) source.refuse('is compressed with gzip.', 'gunzip')
  if (ARCHIVES.includes(start)) source.refuse('is a spreadsheet or an archive. Save the spreadsheet as CSV UTF-8.')
  if (start.startsWith('\xFF\xFE') || start.startsWith('\xFE\xFF'))
    source.refuse('is in UTF-16.', 'iconv -f UTF-16 -t UTF-8')
  if (!isUtf8(bytes)) {
    const lines = bytes.toString('latin1').split(LINE_END)
    const wrong = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
    const found = `is not in UTF-8, because line ${wrong + 1} is not valid, but perhaps in Windows-1252.`
    source.refuse(found, 'iconv -f WINDOWS-1252 -t UTF-8')
  }
  const text = new TextDecoder().decode(bytes)
  return text.trim() === '' ? source.refuse('is empty, so there is nothing to import.') : text
}
