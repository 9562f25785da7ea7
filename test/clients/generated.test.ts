/** Clients that two generators make from `openapi.json` with their default settings. */
import { execFile } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/process.ts'
import { startService } from '../support/service.ts'

const folder = temporaryFolder(afterAll)

beforeAll(async () => {
  const tools = resolve('test/client/node_modules')
  const openApi = resolve('openapi.json')
  cpSync('test/client', folder, { recursive: true, filter: (path) => !path.endsWith('node_modules') })
  symlinkSync(tools, join(folder, 'node_modules'))
  await Promise.all([
    run(join(tools, 'openapi-typescript/bin/cli.js'), openApi, '--output', 'generated/schema.ts'),
    run(join(tools, '@hey-api/openapi-ts/bin/run.js'), '--input', openApi, '--output', 'generated/heyApi'),
  ])
})

it('generated clients compile in strict mode', async () => {
  const compiled = run(resolve('node_modules/typescript/bin/tsc'), '--project', '.')
  await expect(compiled.catch(({ stdout }) => stdout)).resolves.toEqual({ stdout: '', stderr: '' })
})

it.each(['openapiTypescript', 'heyApi'])('a client of %s adds, finds and upvotes, and reads errors', async (client) => {
  const outfile = join(folder, `${client}.mjs`)
  await build({ entryPoints: [join(folder, `${client}.ts`)], outfile, bundle: true, format: 'esm' })
  const { use } = await import(outfile)
  const service = await startService()
  const { added, ...others } = await use(service.url)
  const [upvoted] = await service.jokes()
  await service.stop()
  expect(added).toEqual({ ...upvoted, thumbsUp: 0 })
  const lists = { found: [upvoted], byId: [upvoted], random: [upvoted], ofCategories: [upvoted] }
  expect(others).toEqual({ existing: added.id, faults: ['joke'], upvoted, missing: 'Not Found', ...lists })
})

/** Runs a script in the folder. */
function run(script: string, ...given: string[]) {
  return promisify(execFile)(process.execPath, [script, ...given], { cwd: folder })
}
