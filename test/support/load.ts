/** Many jokes, straight into the database. */
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { CATEGORIES, identify, type Joke } from '../../shared/joke.ts'

const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')
const BATCH = 25

/** The joke with a number: of the categories in turn, a minute after the one before, as long as jokes usually are. */
export function numberedJoke(number: number): Joke {
  const text = {
    joke: `Why did chicken number ${number} cross the road, and what did the farmer say to it?`,
    punchline: `To get to side ${number}; he said it had crossed his mind as well.`,
  }
  return {
    id: identify(text),
    ...text,
    category: CATEGORIES[number % CATEGORIES.length] ?? 'Classic',
    thumbsUp: number % 7,
    thumbsDown: 0,
    dateAdded: new Date(FIRST_DAY + number * 60_000).toISOString(),
  }
}

/** Writes jokes as the service stores them, some batches at a time. Call it after the service was started. */
export async function load(jokes: Joke[], onProgress: (loaded: number) => void = () => {}): Promise<void> {
  const [{ database }, { toItem }, { settings }] = await Promise.all([
    import('../../shared/database.ts'),
    import('../../shared/jokes.ts'),
    import('../../shared/settings.ts'),
  ])
  for (let start = 0; start < jokes.length; start += BATCH * 8) {
    const batches = Array.from({ length: 8 }, (_, index) =>
      jokes.slice(start + index * BATCH, start + (index + 1) * BATCH),
    )
    await Promise.all(
      batches
        .filter((batch) => batch.length > 0)
        .map((batch) => {
          const puts = batch.map((joke) => ({ PutRequest: { Item: toItem(joke) } }))
          return database.send(new BatchWriteCommand({ RequestItems: { [settings.JOKES_TABLE]: puts } }))
        }),
    )
    onProgress(Math.min(start + BATCH * 8, jokes.length))
  }
}
