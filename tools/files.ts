/** Reads and writes the files that operators name. */
import { isUtf8 } from 'node:buffer'
import { createReadStream, renameSync, rmSync, writeFileSync } from 'node:fs'
import { CannotContinue, printable } from './commandLine.ts'

/** Reads a text in UTF-8, as long as the texts of the largest service. The file `-` is standard input. */
export async function readText(file: string): Promise<string> {
  const bytes = await readBounded(file === '-' ? process.stdin : createReadStream(file), 256)
  if (!isUtf8(bytes)) refuse(file, "isn't in UTF-8. docs/import.md shows how to convert it.")
  return new TextDecoder().decode(bytes)
}

/** Reads a stream to its end. Devices, some pipes, and what is compressed may never end. */
export async function readBounded(stream: AsyncIterable<Uint8Array>, maxMb: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxMb * 1e6) throw new CannotContinue(`There are more than ${maxMb} MB to read.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export function refuse(file: string, fault: string): never {
  throw new CannotContinue(`${file === '-' ? 'Standard input' : printable(file)} ${fault}`)
}

/** Writes a file. If that fails, for example on a full disk, an existing file stays as it is. */
export function writeWhole(file: string, text: string, mode = 0o666): void {
  const part = `${file}.part`
  try {
    rmSync(part, { force: true })
    writeFileSync(part, text, { mode, flag: 'wx' })
    renameSync(part, file)
  } finally {
    rmSync(part, { force: true })
  }
}
