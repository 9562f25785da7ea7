/** The settings of the stage that is deployed, checked, and what follows from them. */
import * as v from 'valibot'
import { STAGES, StageSettings } from './stages.ts'

export interface Settings extends v.InferOutput<typeof StageSettings> {
  stage: string
  /** The database of `npm run sam`. */
  databaseEndpoint?: string
}

/** Returns the settings of a stage, with defaults. @throws {Error} if there is no such stage, or a setting is invalid */
export function settingsOf(stage: string, chosen = STAGES[stage]): Settings {
  if (chosen === undefined)
    throw new Error(`infra/stages.ts has no stage ${stage}. Add it there, or choose ${Object.keys(STAGES).join(', ')}.`)
  const { success, output, issues } = v.safeParse(StageSettings, chosen)
  if (!success) throw new Error(`Correct the settings of ${stage} in infra/stages.ts:\n${v.summarize(issues)}`)
  return { stage, ...output }
}

/** Returns the settings of the stack that `npm run sam` runs on this machine. It has no real account to deploy it to. */
export function samSettings(databaseEndpoint: string): Settings {
  return { ...settingsOf('sam', {}), account: '000000000000', databaseEndpoint }
}

/** Whether the stage's table outlives its stack. */
export function isProduction({ stage }: Settings): boolean {
  return stage === 'prod'
}

export function stackName({ stage }: Settings): string {
  return stage === 'prod' ? 'JokeService' : `JokeService-${stage}`
}
