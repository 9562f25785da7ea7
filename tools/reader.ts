/** Reads files of jokes by the endings of their names. */
import { readCsv } from './csv.ts'
import type { Maps } from './fields.ts'
import { readJson, readJsonLines } from './json.ts'
import { readLines } from './lines.ts'
import type { Row, Source } from './source.ts'

const READERS: Record<string, (text: string, source: Source, maps: Maps) => Row[]> = {
  '.json': readJson,
  '.jsonl': readJsonLines,
  '.ndjson': readJsonLines,
  '.csv': readCsv,
  '.tsv': readCsv,
  '.txt': readLines,
  '': (text, source, maps) => (/^\s*[[{#"]/.test(text) ? readJson(text, source) : readCsv(text, source, maps)),
}

const YAML = /^(?:---\s|%YAML|\w+:[ \t]*\r?\n\s*- |- \w+: )/
const MARKUP = /^\s*<(?:\?xml|!doctype|html)\b/i

/**
 * Reads the rows of a file. Standard input is JSON if it begins so, and otherwise CSV.
 *
 * @throws {CannotContinue} if the file has another shape. The message says which one, and what to do
 */
export function readRows(source: Source, bytes: Buffer, maps: Maps = new Map()): Row[] {
  const text = source.textOf(bytes)
  if (/^\.ya?ml$/.test(source.ending) || YAML.test(text))
    source.convert('is YAML.', 'npx --yes js-yaml /dev/stdin', '.json')
  if (/^\.(?:xml|html?)$/.test(source.ending) || MARKUP.test(text))
    source.refuse('is XML or HTML. Copy its jokes to a .csv file whose first line is joke,punchline,category.')
  const read = READERS[source.ending]
  if (!read) source.refuse('has an unknown ending. It must be .json, .jsonl, .csv, .tsv or .txt.')
  return read(text, source, maps)
}
