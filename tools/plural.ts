/** Returns a count with its noun: `1 joke`, `2 jokes`. */
export function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun.replace(/y$/, 'ie')}s`}`
}
