/** Decodes files. */
import { isUtf8 } from 'node:buffer'
import { refuse } from './refusal.ts'

export const LINE_END = /\r\n|\n|\r/

/** The beginnings of files that hold no text in UTF-8. */
const UNREADABLE = {
  '\x1F\x8B': 'The file is compressed. Decompress it with gunzip.',
  'PK\x03\x04': 'The file is a spreadsheet or an archive. Save the spreadsheet as CSV UTF-8, or unpack the archive.',
  '\xD0\xCF\x11\xE0': 'The file is a spreadsheet. Save it as CSV UTF-8.',
  '\xFF\xFE': 'The file is UTF-16. Save it as UTF-8.',
  '\xFE\xFF': 'The file is UTF-16. Save it as UTF-8.',
}

/** @throws {CannotContinue} if the file is not text in UTF-8. The message names the first wrong line */
export function textOf(file: Buffer): string {
  for (const [start, sentence] of Object.entries(UNREADABLE))
    if (file.toString('latin1', 0, 4).startsWith(start)) refuse(sentence)
  const lines = isUtf8(file) && !file.includes(0) ? [] : file.toString('latin1').split(LINE_END)
  const wrong = lines.findIndex((line) => line.includes('\0') || !isUtf8(Buffer.from(line, 'latin1')))
  if (wrong >= 0) refuse(`Line ${wrong + 1} is not valid UTF-8. Save the file as text in UTF-8.`)
  const text = new TextDecoder().decode(file)
  return text.trim() === '' ? refuse('The file is empty.') : text
}
