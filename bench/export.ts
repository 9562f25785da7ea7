/** Writes jokes as an export of DynamoDB tables, which dynoxide imports many times faster than single writes. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import type { Joke } from '../shared/joke.ts'
import type { IndexEntry } from '../shared/store/indexEntries.ts'
import type { Store } from '../shared/store/store.ts'
import { toStored } from '../test/support/access.ts'

/** The number of jokes written at a time. */
const CHUNK = 1_000

/** Writes the descriptions of the tables, the jokes and their wanted index entries, one item per line. */
export async function writeExport(
  { database, jokesTable, wordsTable }: Store,
  folder: string,
  size: number,
  jokeOf: (number: number) => Joke,
  isWanted: (entry: IndexEntry) => boolean = () => true,
): Promise<void> {
  const tables = [jokesTable, wordsTable]
  const files = tables.map((table) => {
    const data = join(folder, table, 'data')
    mkdirSync(data, { recursive: true })
    return openSync(join(data, 'items.json'), 'w')
  })
  const descriptions = await Promise.all(
    tables.map((TableName) => database.send(new DescribeTableCommand({ TableName }))),
  )
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(descriptions.map(({ Table }) => ({ Table }))))
  for (let start = 0; start < size; start += CHUNK) {
    const stored = Array.from({ length: Math.min(CHUNK, size - start) }, (_, index) => toStored(jokeOf(start + index)))
    const items = [stored.map(({ item }) => item), stored.flatMap(({ rows }) => rows.filter(isWanted))]
    for (const [index, file] of files.entries()) writeSync(file, (items[index] ?? []).map(toLine).join(''))
  }
  for (const file of files) closeSync(file)
}

function toLine(item: Record<string, string | number>): string {
  const attributes = Object.entries(item).map(([name, value]) => [
    name,
    typeof value === 'number' ? { N: String(value) } : { S: value },
  ])
  return `${JSON.stringify({ Item: Object.fromEntries(attributes) })}\n`
}
