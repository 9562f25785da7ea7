/** The three functions, each with the rights that its operation needs and no other. */
import type { Construct } from 'constructs'
import type { Settings } from '../settings.ts'
import { ServiceFunction, type Tables } from './serviceFunction.ts'

export class CreateFunction extends ServiceFunction {
  constructor(scope: Construct, tables: Tables, settings: Settings) {
    super(scope, 'Create', tables, settings)
    tables.words.allow(this, 'BatchWriteItem')
    tables.jokes.allow(this, 'GetItem', 'PutItem')
  }
}

export class ListFunction extends ServiceFunction {
  constructor(scope: Construct, tables: Tables, settings: Settings) {
    super(scope, 'List', tables, settings)
    tables.words.allow(this, 'Query')
    tables.jokes.allow(this, 'BatchGetItem')
    tables.jokes.allowOnIndexes(this, 'Query')
  }
}

export class ThumbsUpFunction extends ServiceFunction {
  constructor(scope: Construct, tables: Tables, settings: Settings) {
    super(scope, 'ThumbsUp', tables, settings)
    tables.jokes.allow(this, 'UpdateItem')
  }
}
