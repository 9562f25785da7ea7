/** The packages in the deployed bundles. */
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { ENTRIES } from '../../infra/routes.ts'
import { ALIAS, BUNDLING } from '../../infra/service/serviceFunction.ts'
import manifest from '../../package.json' with { type: 'json' }

const { metafile } = await build({
  ...BUNDLING,
  alias: ALIAS,
  entryPoints: [...Object.values(ENTRIES), 'functions/probe.ts'],
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
