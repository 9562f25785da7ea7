/** The packages in the deployed bundles. */
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { ENTRIES } from '../../infra/routes.ts'
import { ALIAS, BUNDLING } from '../../infra/service/serviceFunction.ts'
import manifest from '../../package.json' with { type: 'json' }

const { metafile } = await build({
  ...BUNDLING,
  alias: ALIAS,
  entryPoints: [...Object.values(ENTRIES), 'probe/schedule.ts'],
  bundle: true,
  platform: 'node',
  outdir: 'bundles',
  write: false,
  metafile: true,
})
const packageOf = (file: string) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]
const packagesIn = (files: string[]) => new Set(files.map(packageOf).filter((name) => name !== undefined))

it('the packages that deployed code imports are exactly the dependencies', () => {
  const ownFiles = Object.entries(metafile.inputs).filter(([file]) => packageOf(file) === undefined)
  const imported = ownFiles.flatMap(([, { imports }]) => imports.map(({ path }) => path))
  expect([...packagesIn(imported)].toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted())
})

it('SECURITY.md counts the packages in the bundles', () => {
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  )
  const count = `${packagesIn(bundled).size} packages run in production`
  expect(readFileSync('SECURITY.md', 'utf8')).toContain(count)
})
