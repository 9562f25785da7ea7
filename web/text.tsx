/** Texts that change, and numbers in them. */

/** A text that changes. Each text has an element of its own, because a browser's translation replaces what is in it. */
export function Text({ children }: { children: string }) {
  return <span key={children}>{children}</span>
}

/** Writes a number as the texts of the page do: `1,312`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-GB')
}
