/** `npm run rehearse -- -c stage=NAME`: tries on an account what only AWS can show, on a stage made for that. */
import { parseArgs } from 'node:util'
import { App } from 'aws-cdk-lib'
import cdk from '../../cdk.json' with { type: 'json' }
import { abortOnSignals, CannotContinue, sentenceOf } from '../../tools/commandLine.ts'
import { InvalidSettings, isProduction, readSettings, type Settings } from '../settings.ts'
import { CLEAN_UP } from './cleanUp.ts'
import { rehearse } from './runner.ts'
import { Stage } from './stage.ts'
import { STEPS } from './steps.ts'

const USAGE = `Usage: npm run rehearse -- -c stage=NAME [-c SETTING=VALUE]… [--destroy]

Deploys a new stage with its page, tries what no emulation shows, compares it with the documents, and destroys the stage.
docs/rehearsal.md says how long that takes, and what it costs.

-c stage=NAME  a stage that does not exist yet; never production
-c alarmEmail=ADDRESS
               also tries the alarms; AWS sends an email to confirm
--destroy      only destroys what a rehearsal that was killed has left`

try {
  const { values } = parseArgs({
    options: {
      context: { type: 'string', short: 'c', multiple: true, default: [] },
      destroy: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  await (values.help ? console.log(USAGE) : rehearseOrDestroy(values.context, values.destroy ?? false))
} catch (error) {
  console.error(sentenceOf(error))
  process.exitCode = 1
}

async function rehearseOrDestroy(context: string[], destroy: boolean): Promise<void> {
  const settings = throwAwaySettings(context)
  const controller = new AbortController()
  using _ = abortOnSignals(controller)
  const stop = controller.signal
  stop.addEventListener('abort', () => console.error('Stopping: a deploy that has begun ends, then all is destroyed.'))
  const stage = new Stage(settings, context, stop)
  if (!destroy) await stage.expectNew()
  console.log(`${stage.stack} in ${await stage.describeAccount()}.`)
  const hint = `If anything is left: npm run rehearse -- -c stage=${settings.stage} --destroy`
  console.log(hint)
  const isAsDocumented = await rehearse(destroy ? CLEAN_UP : { ...STEPS, ...CLEAN_UP }, stage, stop, console.log)
  const reason = stop.aborted ? 'Stopped.' : 'Not all is as the documents say.'
  if (!isAsDocumented) throw new CannotContinue(`${reason} ${hint}`)
}

/** @throws {CannotContinue} unless they are those of a stage that a rehearsal may make and destroy */
function throwAwaySettings(context: string[]): Settings {
  const given = Object.fromEntries(context.map((setting) => setting.split(/=(.*)/s, 2)))
  if (!given.stage)
    throw new CannotContinue('Name a new stage, after --, or npm keeps it for itself: -- -c stage=NAME.')
  try {
    const settings = readSettings(new App({ context: { ...cdk.context, ...given } }).node)
    if (isProduction(settings)) throw new CannotContinue('A rehearsal destroys its stage. Name another one.')
    return settings
  } catch (error) {
    throw error instanceof InvalidSettings ? new CannotContinue(error.message) : error
  }
}
