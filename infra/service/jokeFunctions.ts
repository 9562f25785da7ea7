/** The three functions, each with the rights that its operation needs and no others. */
import type { Construct } from 'constructs'
import { type FunctionName, mapFunctions } from '../routes.ts'
import type { Settings } from '../settings.ts'
import { ServiceFunction, type Tables } from './serviceFunction.ts'

export function createFunctions(
  scope: Construct,
  tables: Tables,
  settings: Settings,
): Record<FunctionName, ServiceFunction> {
  const functions = mapFunctions((name) => new ServiceFunction(scope, name, tables, settings))
  const { jokes, words } = tables
  words.allow(functions.Create, 'BatchWriteItem')
  jokes.allow(functions.Create, 'GetItem', 'PutItem')
  words.allow(functions.List, 'Query')
  jokes.allow(functions.List, 'BatchGetItem')
  jokes.allowOnIndexes(functions.List, 'Query')
  jokes.allow(functions.ThumbsUp, 'UpdateItem')
  return functions
}
