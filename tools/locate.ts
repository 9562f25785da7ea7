/** `npm run locate -- FUNCTION LINE:COLUMN…`: tells which places in the code positions in a function's bundle are. */
import { SourceMap } from 'node:module'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { FUNCTION_NAMES, ROUTES } from '../infra/routes.ts'
import { BUNDLING } from '../infra/service/serviceFunction.ts'

const USAGE = `Usage: npm run locate -- FUNCTION LINE:COLUMN…

FUNCTION      ${FUNCTION_NAMES.join(', ')}
LINE:COLUMN   as in the stack of an error in its log, of the version of the code that is checked out`

try {
  const { positionals } = parseArgs({ allowPositionals: true })
  const [functionName, ...positions] = positionals
  const name = FUNCTION_NAMES.find((each) => each === functionName)
  if (name === undefined || positions.length === 0) throw new Error(USAGE)
  const sourceMap = await sourceMapOf(ROUTES[name].entry)
  for (const position of positions) {
    const [line, column] = position.split(':').map(Number)
    const origin = sourceMap.findOrigin(line ?? Number.NaN, column ?? Number.NaN)
    if (!('fileName' in origin)) throw new Error(`The bundle of ${name} has nothing at ${position}.`)
    console.log(`${position}  ${relative('.', origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`)
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

/** Bundles a function as it is deployed, this time with a source map. */
async function sourceMapOf(entry: string): Promise<SourceMap> {
  const { outputFiles } = await build({
    ...BUNDLING,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    sourcemap: 'external',
    sourcesContent: false,
    outfile: 'index.mjs',
    write: false,
    logLevel: 'error',
  })
  const [map] = outputFiles.filter(({ path }) => path.endsWith('.map'))
  return new SourceMap(JSON.parse(map?.text ?? '{}'))
}
