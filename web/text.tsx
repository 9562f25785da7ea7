/** A text that changes. Each text has an element of its own, because a browser's translation replaces what is in it. */
export function Text({ children }: { children: string }) {
  return <span key={children}>{children}</span>
}
