/** Reads the project's documents. */

/** The anchors of a document's headings. */
export function sectionsOf(document: string): string[] {
  return (document.match(/^#+ .+$/gm) ?? []).map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** The lines of the table that starts with the line `headers`. */
export function tableFrom(document: string, headers: string): string[] {
  const lines = document.split('\n')
  const table = lines.slice(lines.indexOf(headers))
  return table.slice(
    0,
    table.findIndex((line) => !line.startsWith('|')),
  )
}

/** The cells of the first table after a heading. */
export function tableAfter(document: string, heading: string): string[][] {
  const [, after = ''] = document.split(`${heading}\n`)
  const lines = after.slice(after.indexOf('|')).split('\n')
  const end = lines.findIndex((line) => !line.startsWith('|'))
  return lines.slice(2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
