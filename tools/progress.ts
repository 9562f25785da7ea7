/** A bar on the terminal; nothing where standard error leads elsewhere. */
import { stderr } from 'node:process'

const WIDTH = 30

export class Progress {
  private done = 0
  private readonly total: number

  constructor(total: number) {
    this.total = total
  }

  step(): void {
    this.done += 1
    if (!stderr.isTTY) return
    const filled = Math.floor((this.done / this.total) * WIDTH)
    stderr.write(`\r${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${this.done} of ${this.total}`)
  }

  /** Wipes the bar away. */
  end(): void {
    if (stderr.isTTY) stderr.write('\r\x1b[K')
  }
}
