import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a file. If that fails, for example on a full disk, an existing file stays as it is. */
export function writeWhole(file: string, text: string): void {
  const part = `${file}.${randomUUID()}.part`
  try {
    writeFileSync(part, text)
    renameSync(part, file)
  } catch (error) {
    // The user knows only the file.
    if (error instanceof Error) Object.assign(error, { path: file })
    throw error
  } finally {
    rmSync(part, { force: true })
  }
}
