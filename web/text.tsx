/** Texts that change. Each has an element of its own, because a browser's translation replaces what is in it. */
import { useEffect, useState } from 'preact/hooks'

export function Text({ children }: { children: string }) {
  return <span key={children}>{children}</span>
}

/** After this time, the page says that it is still waiting. */
const SLOW_MS = 3_000

/** Says what the user waits for, such as `Loading…`, and later `Still loading…`. */
export function Waiting({ children }: { children: string }) {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setSlow, SLOW_MS, true)
    return () => clearTimeout(timer)
  }, [])
  return <Text>{isSlow ? `Still ${children.toLowerCase()}` : children}</Text>
}
