/** Returns the anchors of a document's headings. */
export function sectionsOf(document: string): string[] {
  const headings = Array.from(document.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading.toLowerCase())
  return headings.map((heading) => heading.replaceAll(/[^\w -]/g, '').replaceAll(' ', '-'))
}
