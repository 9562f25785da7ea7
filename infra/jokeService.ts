/** The stack: what there is, and who may do what with it. */
import { CfnOutput, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { JOKE_WORDS, JOKES } from '../shared/tables.ts'
import { DataTable } from './dataTable.ts'
import { JokeApi } from './jokeApi.ts'
import { ServiceFunction } from './serviceFunction.ts'

export class JokeService extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'Keeps a collection of jokes: add, list, search and upvote them.' })

    const jokes = new DataTable(this, 'Jokes', JOKES)
    const words = new DataTable(this, 'JokeWords', JOKE_WORDS)
    const environment = { JOKES_TABLE: jokes.tableName, WORDS_TABLE: words.tableName, SHARDS: '1' }

    const create = new ServiceFunction(this, 'Create', environment)
    const list = new ServiceFunction(this, 'List', environment)
    const thumbsUp = new ServiceFunction(this, 'ThumbsUp', environment)
    words.allow(create, 'BatchWriteItem')
    jokes.allow(create, 'PutItem')
    words.allow(list, 'Query')
    jokes.allow(list, 'BatchGetItem')
    jokes.allowOnIndexes(list, 'Query')
    jokes.allow(thumbsUp, 'UpdateItem')

    const api = new JokeApi(this, 'Api', { Create: create, List: list, ThumbsUp: thumbsUp })

    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Base address of the service' })
    new CfnOutput(this, 'JokesTable', { value: jokes.tableName })
    new CfnOutput(this, 'WordsTable', { value: words.tableName })
  }
}
