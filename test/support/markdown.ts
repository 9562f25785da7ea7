/** Readers of the project's documents. */

/** The anchors of a document's headings. */
export function sectionsOf(document: string): string[] {
  const headings = Array.from(document.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading.toLowerCase())
  return headings.map((heading) => heading.replaceAll(/[^\w -]/g, '').replaceAll(' ', '-'))
}

/** The name and the text of each section below a heading. */
export function sectionsBelow(document: string, heading: string): { name: string; text: string }[] {
  const [, after = ''] = document.split(`${heading}\n`)
  const [within = ''] = after.split(/^## /m)
  const [, ...sections] = within.split(/^### /m)
  return sections.map((section) => {
    const [name = '', ...lines] = section.split('\n')
    return { name, text: lines.join('\n') }
  })
}

/** The blocks of commands in a document. */
export function commandsOf(document: string): string[] {
  return Array.from(
    document.matchAll(/^ *```(?:sh|bash|zsh|shell|console)\n(.*?)^ *```$/gms),
    ([, commands = '']) => commands,
  )
}

/** The cells of the first table after a heading, without its head. */
export function tableAfter(document: string, heading: string): string[][] {
  const [, after = ''] = document.split(`${heading}\n`)
  const [, lines = ''] = /^\|[-:| ]+\n((?:\|.*\n)+)/m.exec(after) ?? []
  return Array.from(lines.matchAll(/^\|(.+)\|$/gm), ([, row = '']) => row.split('|').map((cell) => cell.trim()))
}
