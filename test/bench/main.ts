/** `npm run bench` measures cost and speed of the service. `--write` replaces the reports in `docs/`. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureCapacity } from './capacity.ts'
import { measureCold } from './cold.ts'
import { measureHostile } from './hostile.ts'
import { measureLoad } from './load.ts'
import { measureScale } from './scale.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
const [command = '10000', ...others] = positionals
/** The folder for a report. */
const folder = () => (values.write ? 'docs' : mkdtempSync(join(tmpdir(), 'bench-')))

if (/^\d+$/.test(command)) await measureScale([command, ...others].map(Number), folder())
else if (command === 'load') await measureLoad(Number(others[0] ?? 60), folder())
else if (command === 'hostile') await measureHostile()
else if (command === 'cold') await measureCold()
else if (command === 'capacity') await measureCapacity(folder())
else {
  console.error(`Unknown benchmark ${command}. Use sizes of the collection, load, hostile, cold or capacity.`)
  process.exitCode = 1
}
