/**
 * Texts that a spreadsheet would calculate. In CSV, an apostrophe before them prevents that. Texts that begin with
 * apostrophes before such a text get another one, so that taking the mark away always gives the first text.
 */
const FORMULA = /^'*[=+\-@\t\r＝＋－＠]/

/** Marks a text for CSV, if it needs it. */
export function marked(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** Takes away the mark of a text in CSV. */
export function unmarked(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell
}
