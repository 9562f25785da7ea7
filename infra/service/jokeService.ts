/** The service's stack: its parts and their wiring. */
import { CfnOutput, Fn, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { JOKE_WORDS, JOKES } from '../../shared/store/tables.ts'
import { FUNCTION_NAMES, type FunctionName, mapFunctions } from '../routes.ts'
import { environmentOf, isProduction, LINTED, type Settings, stackName } from '../settings.ts'
import { Canary } from './canary.ts'
import { DataTable } from './dataTable.ts'
import { JokeApi } from './jokeApi.ts'
import { Monitoring } from './monitoring.ts'
import { ServiceFunction, type Tables } from './serviceFunction.ts'

export class JokeService extends Stack {
  /** @param commit the version of the code, if known */
  constructor(scope: Construct, settings: Settings, commit = 'unknown') {
    super(scope, stackName(settings), {
      description: 'Keeps a collection of jokes: add, list, search and upvote them.',
      terminationProtection: isProduction(settings),
      env: environmentOf(settings),
    })
    this.templateOptions.metadata = LINTED

    const jokes = new DataTable(this, 'Jokes', JOKES, settings)
    const words = new DataTable(this, 'JokeWords', JOKE_WORDS, settings)
    const functions = mapFunctions((name) => new ServiceFunction(this, name, { jokes, words }, settings))
    grantRights(functions, { jokes, words })
    const api = new JokeApi(this, 'Api', functions, settings)
    const { alarms, failing } = new Monitoring(this, 'Monitoring', { api, functions, jokes, words }, settings)
    if (isProduction(settings)) new Canary(this, 'Canary', functions, failing)

    // The guide's commands and the operators' tools read these.
    new CfnOutput(this, 'ApiUrl', { value: api.stage.url })
    new CfnOutput(this, 'ApiHost', { value: Fn.select(2, Fn.split('/', api.httpApi.apiEndpoint)) })
    new CfnOutput(this, 'ApiId', { value: api.httpApi.apiId })
    new CfnOutput(this, 'AccessLog', { value: api.accessLog.logGroupName })
    new CfnOutput(this, 'JokesTable', { value: jokes.tableName })
    new CfnOutput(this, 'WordsTable', { value: words.tableName })
    for (const name of FUNCTION_NAMES) {
      new CfnOutput(this, `${name}Function`, { value: functions[name].functionName })
      new CfnOutput(this, `${name}LogGroup`, { value: functions[name].logGroup.logGroupName })
    }
    new CfnOutput(this, 'AlarmTopic', { value: alarms.topic.topicArn })
    new CfnOutput(this, 'Commit', { value: commit })
  }
}

/** Allows each function what its operation needs, and no more. */
function grantRights(functions: Record<FunctionName, ServiceFunction>, { jokes, words }: Tables): void {
  const { Create, List, ThumbsUp } = functions
  words.allow(Create, ['BatchWriteItem'])
  jokes.allow(Create, ['GetItem', 'PutItem'])
  words.allow(List, ['Query'])
  jokes.allow(List, ['BatchGetItem'])
  const { waiting: _, ...ofListings } = JOKES.indexes
  jokes.allow(
    List,
    ['Query'],
    Object.keys(ofListings).map((index) => jokes.indexArn(index)),
  )
  jokes.allow(ThumbsUp, ['UpdateItem'])
}
