/** Readers of the project's documents. */

/** The anchors of a document's headings. */
export function sectionsOf(document: string): string[] {
  const headings = Array.from(document.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading.toLowerCase())
  return headings.map((heading) => heading.replaceAll(/[^\w -]/g, '').replaceAll(' ', '-'))
}

/** The cells of the first table after a heading, without its head. */
export function tableAfter(document: string, heading: string): string[][] {
  const [, after = ''] = document.split(`${heading}\n`)
  const [, lines = ''] = /^\|[-:| ]+\n((?:\|.*\n)+)/m.exec(after) ?? []
  return Array.from(lines.matchAll(/^\|(.+)\|$/gm), ([, row = '']) => row.split('|').map((cell) => cell.trim()))
}
