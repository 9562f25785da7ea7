/** The functions in the output of `npm run synth` for production. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Template } from 'aws-cdk-lib/assertions'
import { type FunctionName, mapFunctions } from '../../infra/routes.ts'
import { readable, rightsIn } from './templates.ts'

/** A function of the template. References in it are ids of resources, as `sam local` resolves them. */
export interface SynthesizedFunction {
  bundle: string
  handler: string
  environment: Record<string, string>
  /** The permissions of its role on DynamoDB, as `<action> <table or index>`. */
  rights: string[]
}

/** The functions of the routes and the probe, by their construct ids. */
export type Functions = Record<FunctionName | 'MonitoringProbe', SynthesizedFunction>

/** Runs `cdk synth` into a folder, and reads the functions from there. Other tests validate the template. */
export async function synthesize(folder: string): Promise<Functions> {
  const cdk = fileURLToPath(new URL('../../node_modules/.bin/cdk', import.meta.url))
  const args = [cdk, 'synth', '--quiet', '--no-validation', '-c', 'stage=prod', '--output', folder]
  const env = { ...process.env, JOKE_STACK: '' }
  await promisify(execFile)(process.execPath, args, { env })
  const template = Template.fromJSON(JSON.parse(readFileSync(join(folder, 'JokeService.template.json'), 'utf8')))
  const { resources } = readable(template)
  const read = (name: string): SynthesizedFunction => {
    const { Properties, Metadata } = resources[name]
    const rights = rightsIn(template)[name]?.filter((right) => /dynamodb:/.test(right)) ?? []
    return {
      bundle: join(folder, Metadata['aws:asset:path']),
      handler: Properties.Handler,
      environment: Properties.Environment.Variables,
      rights: rights.map((right) => right.replace(/\.Arn| if .*/g, '')),
    }
  }
  return { ...mapFunctions(read), MonitoringProbe: read('MonitoringProbe') }
}
