/** The stack: what there is. Who may do what with it stands with each construct. */
import { CfnOutput, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { JOKE_WORDS, JOKES } from '../../shared/store/tables.ts'
import { keepsData, type Settings, stackName } from '../settings.ts'
import { DataTable } from './dataTable.ts'
import { JokeApi } from './jokeApi.ts'
import { CreateFunction, ListFunction, ThumbsUpFunction } from './jokeFunctions.ts'
import { Monitoring } from './monitoring.ts'

export class JokeService extends Stack {
  constructor(scope: Construct, settings: Settings) {
    super(scope, stackName(settings), {
      description: 'Keeps a collection of jokes: add, list, search and upvote them.',
      terminationProtection: keepsData(settings),
    })

    const jokes = new DataTable(this, 'Jokes', JOKES, settings)
    const words = new DataTable(this, 'JokeWords', JOKE_WORDS, settings)
    const functions = {
      Create: new CreateFunction(this, { jokes, words }, settings),
      List: new ListFunction(this, { jokes, words }, settings),
      ThumbsUp: new ThumbsUpFunction(this, { jokes, words }, settings),
    }
    const api = new JokeApi(this, 'Api', functions, settings)
    new Monitoring(this, 'Monitoring', { api, functions, jokes, words }, settings)

    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'Base address of the service' })
    new CfnOutput(this, 'JokesTable', { value: jokes.tableName })
    new CfnOutput(this, 'WordsTable', { value: words.tableName })
  }
}
