/**
 * Sends each event of `test/events/` to its function through `sam local invoke`, which exits with 0 even after a 500.
 * Compares the statuses. The arguments are the command of SAM.
 */
import { spawnSync } from 'node:child_process'
import * as v from 'valibot'
import { EVENTS, readEvent } from './support/events.ts'

const [program = 'sam', ...args] = process.argv.slice(2)
const OPTIONS = [
  ...['--template', 'cdk.out/JokeService-sam.template.json'],
  ...['--env-vars', 'test/events/environment.json'],
  ...['--add-host', 'host.docker.internal:host-gateway'],
]
const Response = v.pipe(v.string(), v.parseJson(), v.object({ statusCode: v.number() }))

for (const [name, expected] of Object.entries(EVENTS)) {
  const { file, target } = readEvent(name)
  const command = [...args, 'local', 'invoke', target, '--event', file, ...OPTIONS]
  const { stdout, stderr } = spawnSync(program, command, { encoding: 'utf8' })
  const response = v.safeParse(Response, stdout)
  const status = response.success ? response.output.statusCode : 'nothing'
  console.log(`${name}: ${status}`)
  if (status === expected) continue
  console.error(`Expected ${expected}.\n${stdout}${stderr}`)
  process.exitCode = 1
}
