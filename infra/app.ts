/** The CDK app of the service: `npm run deploy`. */
import { currentCommit } from './commit.ts'
import { runApp } from './runApp.ts'
import { JokeService } from './service/jokeService.ts'

await runApp((app, settings) => void new JokeService(app, settings, currentCommit()))
