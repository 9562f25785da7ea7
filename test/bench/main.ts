/** `npm run bench`: what the service costs and how fast it is; see the README. */
import { measureCold } from './cold.ts'
import { measureHostile } from './hostile.ts'
import { measureLoad } from './load.ts'
import { measureScale } from './scale.ts'

const [command = '10000', ...others] = process.argv.slice(2)

if (/^\d+$/.test(command)) await measureScale([command, ...others].map(Number))
else if (command === 'load') await measureLoad(Number(others[0] ?? 60))
else if (command === 'hostile') await measureHostile()
else if (command === 'cold') await measureCold()
else {
  console.error(`There is no benchmark ${command}: take sizes of the collection, load, hostile or cold.`)
  process.exitCode = 1
}
