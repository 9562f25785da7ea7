/** Makes bubbles as wide as their text, which CSS cannot do. */

/** Fits all bubbles, now and whenever the jokes on the page change. */
export function keepFitted(): void {
  const jokes = document.getElementById('jokes')
  if (jokes === null) return
  new ResizeObserver(fitBubbles).observe(jokes)
  new MutationObserver(fitBubbles).observe(jokes, { attributeFilter: ['data-told'], childList: true, subtree: true })
}

function fitBubbles(): void {
  const texts = [...document.querySelectorAll<HTMLElement>('.bubble p')]
  for (const { style } of texts) style.width = ''
  const range = new Range()
  // Measuring after each change would make the browser lay out the page each time.
  const widths = texts.map((text) => {
    range.selectNodeContents(text)
    return Math.ceil(range.getBoundingClientRect().width)
  })
  // A hidden text has no width.
  for (const [index, { style }] of texts.entries()) if (widths[index]) style.width = `${widths[index]}px`
}
