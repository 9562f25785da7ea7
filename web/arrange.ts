/** Arranges the cards of a list: bubbles as wide as their lines, and no gaps below short cards. CSS can do neither. */

/** Arranges the list, if there is one, now and whenever the size of a card changes. Returns how to stop. */
export function keepArranged(): (() => void) | undefined {
  const list = document.querySelector<HTMLElement>('ul[aria-busy]')
  if (list === null) return undefined
  arrange(list)
  // A card's size does not depend on its place, so this ends.
  const observer = new ResizeObserver(() => arrange(list))
  for (const item of list.children) observer.observe(item)
  return () => observer.disconnect()
}

/** Reads all sizes between two changes, because after each the browser has to measure again. */
function arrange(list: HTMLElement): void {
  const texts = [...list.querySelectorAll<HTMLElement>('.bubble p')]
  for (const { style } of texts) style.width = ''
  const range = new Range()
  const widths = texts.map((text) => {
    range.selectNodeContents(text)
    return range.getBoundingClientRect().width
  })
  texts.forEach(({ style }, index) => {
    // A hidden text has no width.
    style.width = widths[index] ? `${Math.ceil(widths[index])}px` : ''
  })

  const items = [...list.querySelectorAll('li')]
  const heights = items.map((item) => item.getBoundingClientRect().height)
  const { gridTemplateColumns, rowGap } = getComputedStyle(list)
  const columns = gridTemplateColumns.split(' ').length
  /** Where the next card of each column begins. */
  const starts = [0]
  let top = 0
  items.forEach(({ style }, index) => {
    const column = index % columns
    if (column === 0) top = Math.max(...starts)
    const start = starts[column] ?? 0
    style.setProperty('--rise', `${start - top}px`)
    starts[column] = start + (heights[index] ?? 0) + Number.parseFloat(rowGap)
  })
}
