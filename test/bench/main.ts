/** `npm run bench`: what the service costs and how fast it is. Takes the sizes of the collection to measure at. */
import { measureScale } from './scale.ts'

const [command = '10000', ...others] = process.argv.slice(2)

if (/^\d+$/.test(command)) {
  await measureScale([command, ...others].map(Number))
} else {
  console.error(`There is no benchmark ${command}.`)
  process.exitCode = 1
}
