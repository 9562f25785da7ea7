/** The service's stack. */
import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { Site } from '../../shared/site/files.ts'
import { FUNCTION_NAMES, mapFunctions, TABLE_CALLS } from '../routes.ts'
import { isProduction, type Settings, stackName } from '../settings.ts'
import { JokeApi } from './jokeApi.ts'
import { JokesTable } from './jokesTable.ts'
import { Monitoring } from './monitoring.ts'
import { ServiceFunction } from './serviceFunction.ts'

export class JokeService extends Stack {
  constructor(scope: Construct, settings: Settings, site: Site) {
    const { account, region, alarmEmail } = settings
    super(scope, stackName(settings), {
      description: 'Keeps a collection of jokes: add, list, search and upvote them, on a page or by programs.',
      terminationProtection: isProduction(settings),
      env: { ...(account && { account }), ...(region && { region }) },
    })
    const expected = ['account', 'region', 'alarmEmail', 'approval'] as const
    const missing = expected.filter((name) => settings[name] === undefined)
    if (isProduction(settings) && missing.length > 0)
      Annotations.of(this).addWarningV2('joke-service:missing', `Set ${missing.join(', ')} of prod in infra/stages.ts.`)

    const jokes = new JokesTable(this, 'Jokes', settings)
    const functions = mapFunctions((name) => new ServiceFunction(this, name, jokes, site, settings))
    for (const name of FUNCTION_NAMES) jokes.allow(functions[name], ...TABLE_CALLS[name])
    const api = new JokeApi(this, 'Api', functions, settings)

    // This address answers even if the DNS records of a domain are missing or wrong.
    new CfnOutput(this, 'ApiUrl', { value: `${api.httpApi.apiEndpoint}/` })
    new CfnOutput(this, 'JokesTable', { value: jokes.tableName })
    if (api.domain) {
      new CfnOutput(this, 'DomainTarget', { value: api.domain.regionalDomainName })
      new CfnOutput(this, 'DomainHostedZone', { value: api.domain.regionalHostedZoneId })
    }
    if (alarmEmail !== undefined) {
      const { topic } = new Monitoring(this, 'Monitoring', api, functions, { ...settings, alarmEmail })
      new CfnOutput(this, 'AlarmTopic', { value: topic.topicArn })
    }
  }
}
