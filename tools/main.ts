/** `bin/jokes`. On Windows: `node tools/main.ts`. */
import { main } from './program.ts'

await main(process.argv.slice(2))
