/** Function that probes the service every few minutes. It fails if an answer is wrong, and an alarm watches its failures. */
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { askAt, probe } from './probe.ts'

/** `JOKES_TABLE` is set if new jokes wait for approval. */
const Environment = v.object({
  API_URL: v.string(),
  JOKES_TABLE: v.optional(v.string()),
})

export async function handler(): Promise<void> {
  const { API_URL, JOKES_TABLE } = v.parse(Environment, process.env)
  // CloudWatch makes a metric of this line.
  if (JOKES_TABLE !== undefined) console.log({ waiting: await oneIfWaiting(JOKES_TABLE) })
  await probe(askAt(API_URL))
}

/** Returns 1 if at least one joke waits, otherwise 0. */
async function oneIfWaiting(TableName: string): Promise<number | undefined> {
  const query = new QueryCommand({
    TableName,
    IndexName: 'byChange',
    KeyConditionExpression: 'feed = :waiting',
    ExpressionAttributeValues: { ':waiting': { S: 'waiting' } },
    Select: 'COUNT',
    Limit: 1,
  })
  return (await new DynamoDBClient().send(query)).Count
}
