/** Writes the templates that `.ci/lint` checks into a folder: a stage with every setting, and one with none. */
import cdk from '../../cdk.json' with { type: 'json' }
import { settingsOf } from '../../infra/settings.ts'
import { appIn, EVERY_SETTING, serviceOf } from './templates.ts'

const app = appIn(`${process.argv[2]}`, cdk.context)
serviceOf(app, settingsOf('full', EVERY_SETTING))
serviceOf(app, settingsOf('plain', {}))
app.synth()
