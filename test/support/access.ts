/** Direct access to the database and modules of the service started last. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Joke } from '../../shared/joke.ts'
import type { WordRow } from '../../shared/store/wordIndex.ts'

/** BatchWriteItem's limit. */
const BATCH = 25
/** Jokes written in parallel. */
const CHUNK = 200

/** The modules of the service, as loaded at its start. */
export async function internals() {
  const [{ database, upvoteDatabase }, { toItem, wordsOfJoke }, { toRows, writeRows }, tables, jokes, upkeep] =
    await Promise.all([
      import('../../shared/store/database.ts'),
      import('../../shared/store/item.ts'),
      import('../../shared/store/wordIndex.ts'),
      import('../../shared/store/environment.ts'),
      import('../../shared/store/jokes.ts'),
      import('../../shared/store/upkeep.ts'),
    ])
  /** The item of a joke, and its rows in the word index. */
  const toStored = (joke: Joke) => {
    const words = wordsOfJoke(joke)
    return { item: toItem(joke, words, CREATED_BY), rows: toRows(joke, words) }
  }
  return { database, upvoteDatabase, toStored, writeRows, ...tables, ...jokes, ...upkeep }
}

/** Has the length of the value that the service writes, so that items have the same size. */
const CREATED_BY = 'JKJaXmPLvHcESHA=#0123456789ab'

/** Deletes all jokes and word rows of tables below 1 MB, which one scan reads. */
export async function emptyTables(): Promise<void> {
  const { JOKES_TABLE, WORDS_TABLE, database } = await internals()
  const empty = async (TableName: string, key: string[]) => {
    const { Items = [] } = await database.send(new ScanCommand({ TableName }))
    const keys = Items.map((item) => Object.fromEntries(key.map((name) => [name, item[name]])))
    await writeBatches(
      TableName,
      keys.map((Key) => ({ DeleteRequest: { Key } })),
    )
  }
  await Promise.all([empty(JOKES_TABLE, ['id']), empty(WORDS_TABLE, ['prefix', 'entry'])])
}

/**
 * Writes jokes directly to the tables.
 *
 * @param isWanted selects rows of the word index; by default, all
 */
export async function load(
  jokes: Joke[],
  onProgress: (loaded: number) => void = () => {},
  isWanted: (row: WordRow) => boolean = () => true,
): Promise<void> {
  const { toStored, JOKES_TABLE, WORDS_TABLE } = await internals()
  for (let start = 0; start < jokes.length; start += CHUNK) {
    const stored = jokes.slice(start, start + CHUNK).map(toStored)
    await writeBatches(
      WORDS_TABLE,
      stored
        .flatMap(({ rows }) => rows)
        .filter(isWanted)
        .map((Item) => ({ PutRequest: { Item } })),
    )
    await writeBatches(
      JOKES_TABLE,
      stored.map(({ item: Item }) => ({ PutRequest: { Item } })),
    )
    onProgress(start + stored.length)
  }
}

/** Not metered, and without the service's time limits. */
let patient: DynamoDBDocumentClient | undefined

async function writeBatches(table: string, requests: object[]): Promise<void> {
  patient ??= DynamoDBDocumentClient.from(new DynamoDBClient())
  const database = patient
  const batches = Array.from({ length: Math.ceil(requests.length / BATCH) }, (_, index) =>
    requests.slice(index * BATCH, (index + 1) * BATCH),
  )
  await Promise.all(batches.map((batch) => database.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }))))
}
