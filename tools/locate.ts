/** `npm run locate -- FUNCTION LINE:COLUMN…`: maps positions in a function's bundle to the source code. */
import { SourceMap } from 'node:module'
import { relative } from 'node:path'
import { build } from 'esbuild'
import { FUNCTION_NAMES, ROUTES } from '../infra/routes.ts'
import { ALIAS, BUNDLING } from '../infra/service/serviceFunction.ts'
import { CannotContinue, runCommand, WrongUsage } from './commandLine.ts'

const USAGE = `Usage: npm run locate -- FUNCTION LINE:COLUMN…

Maps positions in a function's bundle to the source code.

FUNCTION      ${FUNCTION_NAMES.join(', ')}
LINE:COLUMN   from the stack of an error in its log; check out the version that was deployed at that time`

await runCommand(USAGE, {}, async ({ positionals: [functionName, ...positions] }) => {
  const name = FUNCTION_NAMES.find((each) => each === functionName)
  if (name === undefined || positions.length === 0)
    throw new WrongUsage('Name a function, and positions in its bundle.')
  const sourceMap = await sourceMapOf(ROUTES[name].entry)
  for (const position of positions) {
    const [line = 0, column = 0] = position.split(':').map(Number)
    const origin = sourceMap.findOrigin(line, column)
    if (!('fileName' in origin)) throw new CannotContinue(`The bundle of ${name} has nothing at ${position}.`)
    console.log(`${position}  ${relative('.', origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`)
  }
})

/** Bundles a function as for deployment, with a source map. */
async function sourceMapOf(entry: string): Promise<SourceMap> {
  const { outputFiles } = await build({
    ...BUNDLING,
    alias: ALIAS,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    sourcemap: 'external',
    sourcesContent: false,
    outfile: 'index.mjs',
    write: false,
    logLevel: 'error',
  })
  const map = outputFiles.find(({ path }) => path.endsWith('.map'))
  return new SourceMap(JSON.parse(map?.text ?? '{}'))
}
