/** Writes jokes as an export of DynamoDB's tables, which dynoxide imports many times faster than single writes. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Joke } from '../../shared/joke.ts'
import { internals } from '../support/access.ts'

/** How many jokes to write at a time. */
const CHUNK = 1_000

/** Writes jokes and the rows of their words, one item a line, and the tables' descriptions. */
export async function writeExport(folder: string, size: number, jokeOf: (number: number) => Joke): Promise<void> {
  const { JOKES_TABLE, WORDS_TABLE, toStored } = await internals()
  const client = new DynamoDBClient()
  const files = [JOKES_TABLE, WORDS_TABLE].map((TableName) => {
    const data = join(folder, TableName, 'data')
    mkdirSync(data, { recursive: true })
    return openSync(join(data, 'items.json'), 'w')
  })
  const describe = async (TableName: string) => client.send(new DescribeTableCommand({ TableName }))
  const descriptions = await Promise.all([JOKES_TABLE, WORDS_TABLE].map(describe))
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(descriptions.map(({ Table }) => ({ Table }))))
  client.destroy()
  for (let start = 0; start < size; start += CHUNK) {
    const stored = Array.from({ length: Math.min(CHUNK, size - start) }, (_, index) => toStored(jokeOf(start + index)))
    const items = [stored.map(({ item }) => item), stored.flatMap(({ rows }) => rows)]
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
