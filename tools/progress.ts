/** Shows on standard error how many items are done: a line that is updated on a terminal, elsewhere one every ten seconds. */
export class Progress {
  readonly #isTerminal = process.stderr.isTTY
  readonly #timer = setInterval(() => this.#show(), this.#isTerminal ? 100 : 10_000)
  readonly #total: string
  done = 0
  readonly #lines: (string | undefined)[] = []
  #next = 0

  /** @param total absent if it is unknown */
  constructor(total?: number) {
    this.#total = total === undefined ? '' : ` of ${total}`
  }

  /** Counts an item as done, and prints its line, if it has one, once the lines of all items before it are printed. */
  add(index: number, line?: string): void {
    this.done += 1
    this.#lines[index] = line
    while (this.#next in this.#lines) this.#print(this.#lines[this.#next++])
  }

  /** Ends the progress. After an error, lines may be left, because some of the items before them are not done. */
  stop(): void {
    clearInterval(this.#timer)
    this.#clear()
    for (const line of this.#lines.slice(this.#next)) this.#print(line)
  }

  #print(line: string | undefined): void {
    if (line === undefined) return
    this.#clear()
    console.log(line)
  }

  #show(): void {
    const text = `${this.done}${this.#total}`
    if (this.#isTerminal) process.stderr.write(`\r${text}`)
    else console.error(text)
  }

  #clear(): void {
    // The control sequence erases the rest of the line.
    if (this.#isTerminal) process.stderr.write('\r\x1b[K')
  }
}
