/** The service's stack. */
import { CfnOutput, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { Site } from '../../shared/page/files.ts'
import { FUNCTION_NAMES, type FunctionName, mapFunctions } from '../routes.ts'
import { isProduction, isWatched, type Settings, stackName } from '../settings.ts'
import { saveQueries } from './dashboard.ts'
import { JokeApi } from './jokeApi.ts'
import { JokesTable } from './jokesTable.ts'
import { Monitoring } from './monitoring.ts'
import { RouteFunction } from './serviceFunction.ts'

export class JokeService extends Stack {
  /** @param commit the version of the code, if known */
  constructor(scope: Construct, settings: Settings, site: Site, commit = 'unknown') {
    const { account, region, stage } = settings
    super(scope, stackName(stage), {
      description: 'Keeps a collection of jokes: add, list, search and upvote them, on a page or by programs.',
      terminationProtection: isProduction(settings),
      env: { ...(account && { account }), ...(region && { region }) },
    })

    const jokes = new JokesTable(this, 'Jokes', settings)
    const functions = mapFunctions((name) => new RouteFunction(this, name, jokes, site, settings))
    grantPermissions(functions, jokes)
    const api = new JokeApi(this, 'Api', functions, settings)
    const parts = { api, functions, jokes }
    saveQueries(this, parts)
    if (isWatched(settings)) {
      const { alarms } = new Monitoring(this, 'Monitoring', parts, settings)
      new CfnOutput(this, 'WakeTopic', { value: alarms.topics.wake.topicArn })
      new CfnOutput(this, 'TomorrowTopic', { value: alarms.topics.tomorrow.topicArn })
    }

    // The runbooks and `bin/jokes` read these outputs.
    new CfnOutput(this, 'ApiUrl', { value: api.url })
    if (api.domain) new CfnOutput(this, 'DomainTarget', { value: api.domain.regionalDomainName })
    new CfnOutput(this, 'ApiId', { value: api.httpApi.apiId })
    new CfnOutput(this, 'AccessLog', { value: api.accessLog.logGroupName })
    new CfnOutput(this, 'JokesTable', { value: jokes.tableName })
    for (const name of FUNCTION_NAMES) {
      new CfnOutput(this, `${name}Function`, { value: functions[name].functionName })
      new CfnOutput(this, `${name}LogGroup`, { value: functions[name].logGroup.logGroupName })
    }
    new CfnOutput(this, 'Commit', { value: commit })
  }
}

/** Allows each function only the calls that its operation needs. */
function grantPermissions(functions: Record<FunctionName, RouteFunction>, jokes: JokesTable): void {
  const { Create, List, ThumbsUp, Page } = functions
  jokes.allow(Create, 'GetItem', 'PutItem')
  jokes.allow(List, 'GetItem', 'Scan')
  jokes.allowChanges(List)
  jokes.allow(ThumbsUp, 'UpdateItem')
  jokes.allow(Page, 'GetItem')
}
