/** `npm run locate -- FUNCTION LINE:COLUMN…`: maps locations in a function's bundle to the source code. */
import { SourceMap } from 'node:module'
import { relative } from 'node:path'
import { build } from 'esbuild'
import { FUNCTION_NAMES, ROUTES } from '../infra/routes.ts'
import { ALIAS, BUNDLING } from '../infra/service/serviceFunction.ts'
import { CannotContinue, runCommand, WrongUsage } from './commandLine.ts'

const USAGE = `Usage: npm run locate -- FUNCTION LINE:COLUMN…

Maps locations in a function's bundle to the source code.

FUNCTION      ${FUNCTION_NAMES.join(', ')}
LINE:COLUMN   from the stack of an error in its log; check out the version that was deployed at that time`

await runCommand(USAGE, {}, async ({ positionals: [functionName, ...locations] }) => {
  const name = FUNCTION_NAMES.find((each) => each === functionName)
  if (name === undefined || locations.length === 0)
    throw new WrongUsage('Name a function, and locations in its bundle.')
  const { bundle, sourceMap } = await bundleOf(ROUTES[name].entry)
  const lines = bundle.split('\n')
  for (const location of locations) {
    const [, line = 0, column = 0] = /^(\d+):(\d+)$/.exec(location)?.map(Number) ?? []
    const origin = sourceMap.findOrigin(line, column)
    // Past the end of a line, `findOrigin` returns what comes before it.
    const isInBundle = column > 0 && column <= (lines[line - 1]?.length ?? 0)
    if (!isInBundle || !('fileName' in origin))
      throw new CannotContinue(`The bundle of ${name} has nothing at ${location}.`)
    console.log(`${location}  ${relative('.', origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`)
  }
})

/** Bundles a function as for deployment, with a source map. */
async function bundleOf(entry: string): Promise<{ bundle: string; sourceMap: SourceMap }> {
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
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ''
  return { bundle: textOf('.mjs'), sourceMap: new SourceMap(JSON.parse(textOf('.map'))) }
}
