/** The function that an alarm watches: called every few minutes, it fails if the service does not answer as it should. */
import * as v from 'valibot'
import { askAt, probe } from './checks.ts'

const Environment = v.object({ API_URL: v.string() })

export async function handler(): Promise<void> {
  await probe(askAt(v.parse(Environment, process.env).API_URL))
}
