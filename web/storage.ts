/** Storage of the browser. It may be denied, and what it holds may be damaged. */
type Area = 'localStorage' | 'sessionStorage'

export function readStored(area: Area, key: string): object {
  try {
    return { ...JSON.parse(globalThis[area].getItem(key) ?? '{}') }
  } catch {
    return {}
  }
}

export function store(area: Area, key: string, value: object): void {
  try {
    globalThis[area].setItem(key, JSON.stringify(value))
  } catch {
    // Without storage, the page remembers the value until it is closed.
  }
}
