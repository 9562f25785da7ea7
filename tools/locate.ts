/** `bin/jokes locate`: maps locations in a function's bundle to the source code. */
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { Argument } from '@commander-js/extra-typings'
import { FUNCTION_NAMES, ROUTES } from '../infra/routes.ts'
import { CannotContinue, define } from './commandLine.ts'

export const locate = define('locate', "Maps locations in a function's bundle to the source code.", [
  'locate List 28:7018',
  'locate Create 4:57678 12:331',
])
  .addArgument(new Argument('<function>', 'the function').choices(FUNCTION_NAMES))
  .argument('<line:column...>', 'from the stack of an error in its log; check out the version that was deployed then')
  .action(async (name, locations) => {
    const { lines, sourceMap } = await bundle(ROUTES[name].entry)
    for (const location of locations) {
      const [, line = 0, column = 0] = /^(\d+):(\d+)$/.exec(location)?.map(Number) ?? []
      const origin = sourceMap.findOrigin(line, column)
      // Past the end of a line, `findOrigin` returns what comes before it.
      const isInBundle = column > 0 && column <= (lines[line - 1]?.length ?? 0)
      if (!isInBundle || !('fileName' in origin))
        throw new CannotContinue(`The bundle of ${name} has nothing at ${location}.`)
      console.log(`${location}  ${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`)
    }
  })

/** Bundles a function as for deployment. */
async function bundle(entry: string): Promise<{ lines: string[]; sourceMap: SourceMap }> {
  // Loading these takes longer than most commands.
  const { build } = await import('esbuild')
  const { ALIAS, BUNDLING } = await import('../infra/service/serviceFunction.ts')
  const { outputFiles } = await build({
    ...BUNDLING,
    alias: ALIAS,
    absWorkingDir: join(import.meta.dirname, '..'),
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
  return { lines: textOf('.mjs').split('\n'), sourceMap: new SourceMap(JSON.parse(textOf('.map'))) }
}
