/** The CDK app, run by `cdk` as it is. */
import { App } from 'aws-cdk-lib'
import { JokeService } from './jokeService.ts'

new JokeService(new App(), 'JokeService')
