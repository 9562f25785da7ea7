/** Probes the service every few minutes. It fails if an answer is wrong, and an alarm watches its failures. */
import * as v from 'valibot'
import { askAt, probe } from '../shared/probe.ts'
import { isAnyWaiting } from '../shared/store/jokes.ts'
import { storeOfEnvironment } from '../shared/store/store.ts'

/** `JOKES_TABLE` is set if new jokes wait for approval. */
const Environment = v.object({
  API_URL: v.string(),
  JOKES_TABLE: v.optional(v.string()),
})

export async function handler(): Promise<void> {
  const { API_URL, JOKES_TABLE } = v.parse(Environment, process.env)
  // CloudWatch makes a metric of this line.
  if (JOKES_TABLE !== undefined) console.log({ waiting: Number(await isAnyWaiting(storeOfEnvironment())) })
  await probe(askAt(API_URL))
}
