/**
 * The service of a rehearsal with a version of a function, as each function of production has one. With `REHEARSED_FAILURE`,
 * its deploy fails after the version was made.
 */
import { CfnStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { currentCommit } from '../commit.ts'
import { runApp } from '../runApp.ts'
import { JokeApi } from '../service/jokeApi.ts'
import { JokeService } from '../service/jokeService.ts'
import { RouteFunction } from '../service/serviceFunction.ts'

await runApp((app, settings) => {
  const service = new JokeService(app, settings, currentCommit())
  const [list, api] = [service.node.findChild('List'), service.node.findChild('Api')]
  if (!(list instanceof RouteFunction && api instanceof JokeApi)) throw new Error('The stack has no List, or no Api.')
  const { currentVersion } = list
  if (!process.env.REHEARSED_FAILURE) return
  const { apiId } = api.httpApi
  // API Gateway refuses settings of a route that does not exist.
  const failing = new CfnStage(service, 'Failing', {
    apiId,
    stageName: 'failing',
    routeSettings: { 'GET /nothing': {} },
  })
  failing.node.addDependency(currentVersion)
})
