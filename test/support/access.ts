/** The database of the service that was started last, behind its back. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Joke } from '../../shared/joke.ts'
import type { WordRow } from '../../shared/store/wordIndex.ts'

/** DynamoDB takes so many items in one call. */
const BATCH = 25
const AT_A_TIME = 200

/** The service's modules, as it has loaded them. */
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
  /** A joke as it is stored: its item, and its rows in the word index. */
  const toStored = (joke: Joke) => ({ item: toItem(joke, CREATED_BY), rows: toRows(joke, wordsOfJoke(joke)) })
  return { database, upvoteDatabase, toStored, writeRows, ...tables, ...jokes, ...upkeep }
}

/** As long as what the service writes. */
const CREATED_BY = 'JKJaXmPLvHcESHA=#0123456789ab'

/** Deletes every joke, and its words. */
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
 * Writes jokes as the service stores them, some at a time.
 *
 * @param isWanted leaves out rows of the word index that nobody will read
 */
export async function load(
  jokes: Joke[],
  onProgress: (loaded: number) => void = () => {},
  isWanted: (row: WordRow) => boolean = () => true,
): Promise<void> {
  const { toStored, JOKES_TABLE, WORDS_TABLE } = await internals()
  for (let start = 0; start < jokes.length; start += AT_A_TIME) {
    const stored = jokes.slice(start, start + AT_A_TIME).map(toStored)
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

/** A connection of its own: it is not metered, and waits for as long as it takes. */
let patient: DynamoDBDocumentClient | undefined

async function writeBatches(table: string, requests: object[]): Promise<void> {
  patient ??= DynamoDBDocumentClient.from(new DynamoDBClient())
  const database = patient
  const batches = Array.from({ length: Math.ceil(requests.length / BATCH) }, (_, index) =>
    requests.slice(index * BATCH, (index + 1) * BATCH),
  )
  await Promise.all(batches.map((batch) => database.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }))))
}
