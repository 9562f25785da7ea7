/** `npm run bench` measures cost and speed of the service. `--write` replaces a section of docs/measurements.md. */
import { parseArgs } from 'node:util'
import { measureCold } from './cold.ts'
import { measureHostile } from './hostile.ts'
import { measureScale } from './scale.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
const [command = '10000', ...others] = positionals
const { write } = values

if (/^\d+$/.test(command)) await measureScale([command, ...others].map(Number), write)
else if (command === 'hostile') await measureHostile(write)
else if (command === 'cold') await measureCold(write)
else {
  console.error(`Unknown benchmark ${command}. Use sizes of the collection, hostile or cold.`)
  process.exitCode = 1
}
