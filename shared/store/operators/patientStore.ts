/** The store of a command. It goes on until it is done, however much the database throttles. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { PATIENT } from '../limits.ts'
import { openStore, type Store, type StoreOptions } from '../store.ts'
import { Pace } from './pace.ts'

/** @param report called once, when the database first throttles */
export function openPatientStore(options: StoreOptions, config: DynamoDBClientConfig, report: () => void): Store {
  return openStore(options, config, PATIENT, new Pace(report))
}
