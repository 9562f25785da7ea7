/** Makes bubbles as wide as their text, and hides "Read more" where nothing is folded. CSS can do neither. */

/** Fits all bubbles, now and whenever the jokes on the page change. */
export function keepFitted(): void {
  const jokes = document.getElementById('jokes')
  if (jokes === null) return
  new ResizeObserver(fitBubbles).observe(jokes)
  // These change with new jokes, told punchlines and opened texts.
  const attributeFilter = ['class', 'data-told']
  new MutationObserver(fitBubbles).observe(jokes, { attributeFilter, childList: true, subtree: true })
}

function fitBubbles(): void {
  const texts = [...document.querySelectorAll<HTMLElement>('.bubble p')]
  for (const { style } of texts) style.width = ''
  const range = new Range()
  // Measuring after each change would make the browser lay out the page each time.
  const changes = texts.map((text) => {
    range.selectNodeContents(text)
    const { width } = range.getBoundingClientRect()
    const isShort = text.className === 'folded' && text.scrollHeight <= text.clientHeight
    return () => {
      // A hidden text has no width.
      if (width) text.style.width = `${Math.ceil(width)}px`
      text.nextElementSibling?.toggleAttribute('hidden', isShort)
    }
  })
  for (const change of changes) change()
}
