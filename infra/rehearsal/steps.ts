/** What a rehearsal tries, in this order. */
import * as v from 'valibot'
import { JokeInput } from '../../shared/joke.ts'
import { addJoke } from '../../shared/store/jokes.ts'
import { openPatientStore } from '../../shared/store/operators/patientStore.ts'
import sampleJokes from '../../test/sample-jokes.json' with { type: 'json' }
import { CannotContinue } from '../../tools/commandLine.ts'
import { FUNCTION_NAMES, routeKeyOf } from '../routes.ts'
import { tryApi, tryEdgeFunctions, tryLargeBody, tryPage, tryThrottle } from './requests.ts'
import type { Steps } from './runner.ts'
import type { Stage } from './stage.ts'

const OPERATIONS = 'docs/operations.md'
const CANNOT_UPDATE = 'docs/runbooks/cannot-update.md'
const DELETED_STACK = 'docs/runbooks/deleted-stack.md'
const INTERFACE = 'docs/interface.md'

/** @param lacking what an emulation does not have, so that only AWS can show the step */
const onlyOnAws = (lacking: string) => ({ unshown: ({ isEmulated }: Stage) => (isEmulated ? lacking : undefined) })

const REQUESTS = onlyOnAws('an emulation lets no request reach a function')
const CLOUDFRONT = onlyOnAws('an emulation has no CloudFront')

export const STEPS: Steps = {
  service: {
    question: 'Can the service be deployed?',
    document: [OPERATIONS, 'without a terminal, add `--require-approval never`'],
    async run(stage) {
      await stage.deploy('deploy')
      return `${await stage.describe(stage.stack, 'StackStatus')}, with ${await addJokes(stage)} jokes`
    },
  },
  page: {
    question: 'Can its page be deployed, with the functions at the edge?',
    document: [OPERATIONS, 'CloudFront accepts firewalls only from this region'],
    after: ['service'],
    async run(stage) {
      await stage.deploy('deploy:page')
      return `${await stage.describe(stage.page, 'StackStatus')}: ${await pageUrl(stage)}`
    },
  },
  'smoke test': {
    question: 'Does the service work?',
    document: [OPERATIONS, 'checks that the service works, also that it adds and counts'],
    after: ['service'],
    ...REQUESTS,
    run: async (stage) => smoke(stage, await stage.output('ApiUrl')),
  },
  API: {
    question: 'Do CORS, text, random orders and 404 come out of API Gateway as they should?',
    document: [INTERFACE, 'any origin may send `GET` and `POST` with the header `content-type`'],
    after: ['service'],
    ...REQUESTS,
    run: async (stage) => tryApi(await stage.output('ApiUrl')),
  },
  CloudFront: {
    question: 'Do page, reference and API come through CloudFront, and does it cache what it should?',
    document: [INTERFACE, 'Behind CloudFront, a response may be 5 seconds old, unless it is random without a `seed`'],
    after: ['page'],
    ...CLOUDFRONT,
    run: async (stage) => `${await tryPage(await pageUrl(stage))}\n${await smoke(stage, await pageUrl(stage))}`,
  },
  'edge functions': {
    question: "Do both functions run in CloudFront's own runtime?",
    document: ['infra/page/edgeFunctions.ts', 'Turns TypeScript into what runtime 2.0 has: ES 5.1 and little more'],
    after: ['page'],
    ...CLOUDFRONT,
    run: tryEdgeFunctions,
  },
  'body of 7 MB': {
    question: 'What does API Gateway answer where Lambda takes no such body?',
    document: [OPERATIONS, 'Only bodies of 4.5 to 10 MB get 5xx, and no function logs them'],
    after: ['service'],
    ...REQUESTS,
    run: async (stage) => tryLargeBody(await stage.output('ApiUrl')),
  },
  'throttle by hand': {
    question: 'Does a throttle that is set by hand keep those of the other routes, and can it be reset?',
    document: [OPERATIONS, 'raise the throttle, within seconds by `throttle'],
    after: ['service'],
    async run(stage) {
      const template = await ratesOf(stage)
      await stage.runbook("throttle 'POST /thumbsUp/{id}' 1")
      const byHand = await ratesOf(stage)
      await stage.runbook('resetThrottles')
      const reset = await ratesOf(stage)
      const seen = `First ${template}; then ${byHand}; reset, ${reset}`
      if (byHand !== template.replace(/\S+$/, '1.0') || reset !== template) throw new CannotContinue(seen)
      return seen
    },
  },
  'throttle reached': {
    question: 'How soon does it hold, and what do those get who are refused?',
    document: [INTERFACE, '429 above a [throttle](#limits)'],
    after: ['throttle by hand'],
    ...REQUESTS,
    async run(stage) {
      const url = await stage.output('ApiUrl')
      await stage.runbook("throttle 'POST /thumbsUp/{id}' 1")
      const start = Date.now()
      const seen = await stage.until(2, 'nobody gets 429', () => tryThrottle(url))
      await stage.runbook('resetThrottles')
      return `After ${Math.round((Date.now() - start) / 1_000)} seconds, ${seen}`
    },
  },
  'failing deploy': {
    question: 'Is a deploy that fails rolled back, with the version that it made?',
    document: [CANNOT_UPDATE, '`UPDATE_ROLLBACK_COMPLETE` | the last deploy was undone'],
    after: ['service'],
    ...onlyOnAws('an emulation rolls nothing back'),
    async run(stage) {
      // Its error is shown. Whether it is the expected one, the state of the stack tells.
      await stage.deployVersion({ fails: true }).catch(() => {})
      const seen = `${await stage.describe(stage.stack, 'StackStatus')}; versions: ${await versionsOf(stage)}`
      if (seen !== 'UPDATE_ROLLBACK_COMPLETE; versions: none') throw new CannotContinue(seen)
      return seen
    },
  },
  'same commit again': {
    question: 'Can the commit of a failed deploy be deployed again, or does a version of its code exist?',
    document: [CANNOT_UPDATE, 'Lambda publishes no second version of the same code; a failed deploy left the first'],
    after: ['service'],
    async run(stage) {
      await stage.deployVersion({ fails: false })
      return `${await stage.describe(stage.stack, 'StackStatus')}; versions: ${await versionsOf(stage)}`
    },
  },
  backup: {
    question: 'After how many minutes can a new joke be restored?',
    document: ['docs/runbooks/outputs.sh', 'The backup holds no joke: add one, and try again in ten minutes'],
    after: ['service'],
    ...onlyOnAws('the backups of an emulation do not lag behind'),
    async run(stage) {
      const describe = `dynamodb describe-continuous-backups --table-name ${await stage.output('JokesTable')} --query`
      const latest = 'ContinuousBackupsDescription.PointInTimeRecoveryDescription.LatestRestorableDateTime'
      const start = Date.now()
      const holds = async () => Date.parse(await stage.aws(describe, latest)) >= start || undefined
      await stage.until(10, 'the backup does not hold what was there before', holds)
      return `${Math.ceil((Date.now() - start) / 60_000)}`
    },
  },
  drill: {
    question: 'Does the drill bring a deleted joke back?',
    document: [OPERATIONS, '`drill` deletes one, restores it from a backup, and proves that it is back'],
    after: ['backup'],
    run: async (stage) => `${(await stage.runbook('drill')).split('\n').at(-1)}`,
  },
  "alarm's email": {
    question: 'Does an alarm send two emails, when it fires and when it is over?',
    document: [OPERATIONS, 'makes two emails arrive within minutes, *ALARM* and *OK*'],
    after: ['service'],
    unshown({ settings, isEmulated }) {
      if (isEmulated) return 'an emulation has no alarms that fire, and no email'
      return settings.alarmEmail === undefined ? 'needs -c alarmEmail=ADDRESS' : undefined
    },
    run: tryAlarm,
  },
  'new API': {
    question: 'Does the page get the address of an API that was made anew?',
    document: [DELETED_STACK, 'The API has a new URL; the page keeps its own'],
    after: ['page'],
    async run(stage) {
      const [oldHost, url] = [await stage.output('ApiHost'), await pageUrl(stage)]
      await stage.destroy(stage.stack)
      await stage.deploy('deploy')
      await stage.deploy('deploy:page')
      const host = await stage.output('ApiHost')
      const template = `cloudformation get-template --region ${stage.regionOf(stage.page)} --stack-name ${stage.page} --query`
      const origin = await stage.aws(template, API_ORIGIN)
      const seen = `It was ${oldHost}, is ${host}; the page was ${url}, is ${await pageUrl(stage)}, and asks ${origin}`
      if (host === oldHost || origin !== host || url !== (await pageUrl(stage))) throw new CannotContinue(seen)
      return seen
    },
  },
  'page of the new API': {
    question: 'Does the page answer from there?',
    document: [OPERATIONS, '`npm run deploy:page -- -c stage=$stage` gives CloudFront its new address'],
    after: ['new API'],
    ...CLOUDFRONT,
    run: async (stage) => smoke(stage, await pageUrl(stage)),
  },
}

/** In the template of the page. */
const API_ORIGIN =
  "TemplateBody.Resources.*|[?Type=='AWS::CloudFront::Distribution']|[0].Properties.DistributionConfig.Origins[?CustomOriginConfig].DomainName"

function smoke(stage: Stage, url: string): Promise<string> {
  return stage.npm('smoke', url, '--write', '--stack', stage.stack)
}

function pageUrl(stage: Stage): Promise<string> {
  return stage.output('PageUrl', stage.page)
}

async function addJokes(stage: Stage): Promise<number> {
  const tables = { jokesTable: await stage.output('JokesTable'), wordsTable: await stage.output('WordsTable') }
  const store = openPatientStore(tables, {}, () => {})
  for (const joke of v.parse(v.array(JokeInput), sampleJokes)) await addJoke(store, joke)
  return sampleJokes.length
}

/** The throttle of each route, that of upvotes last. */
async function ratesOf(stage: Stage): Promise<string> {
  const rates = FUNCTION_NAMES.map((name) => `"${routeKeyOf(name)}".ThrottlingRateLimit`)
  const command = `apigatewayv2 get-stage --stage-name $default --api-id ${await stage.output('ApiId')} --query`
  return (await stage.aws(command, `RouteSettings.[${rates}]`)).replaceAll('\t', ', ')
}

/** The numbers of the versions of the function that has some in a rehearsal. */
async function versionsOf(stage: Stage): Promise<string> {
  const command = `lambda list-versions-by-function --function-name ${await stage.output('ListFunction')}`
  const [, ...numbers] = (await stage.aws(command, '--query', 'Versions[].Version')).split('\t')
  return numbers.join(', ') || 'none'
}

async function tryAlarm(stage: Stage): Promise<string> {
  const alarm = ['--alarm-name', `${stage.stack} Probe failing`]
  const history =
    'cloudwatch describe-alarm-history --history-item-type Action --query AlarmHistoryItems[].HistorySummary'
  const sent = async () => (await stage.aws(history, ...alarm)).split('Successfully executed').length
  const query = 'cloudwatch describe-alarms --query MetricAlarms[].StateValue --alarm-names'
  const isOver = async () => (await stage.aws(query, `${stage.stack} Probe failing`)) === 'OK' || undefined
  // It fires once after the first deploy.
  await stage.until(20, 'the alarm still fires', isOver)
  const before = await sent()
  await stage.aws('cloudwatch set-alarm-state --state-value ALARM --state-reason Rehearsal', ...alarm)
  await stage.until(15, 'it has not sent two messages', async () => (await sent()) >= before + 2 || undefined)
  const subscriptions = 'sns list-subscriptions-by-topic --query Subscriptions[].[Endpoint,SubscriptionArn]'
  const receivers = await stage.aws(`${subscriptions} --topic-arn ${await stage.output('AlarmTopic')}`)
  return `The topic got two messages. Only a person can confirm the subscription, and see the emails: ${receivers}`
}
