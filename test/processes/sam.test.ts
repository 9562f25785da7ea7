/** Tests what `npm run sam` says if a program is missing. Only CI runs it with SAM and Docker. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resultOf, run, temporaryFolder } from '../support/process.ts'

const sam = 'echo SAM CLI, version 1.147.1'

it.each([
  ['SAM is missing', {}, 'sam: it is missing. Install it.'],
  ['Docker is missing', { sam }, 'docker: it is missing. Install it.'],
  [
    'Docker does not answer',
    { sam, docker: 'echo Cannot connect to the Docker daemon. >&2; exit 1' },
    'docker: Cannot connect to the Docker daemon.',
  ],
])('npm run sam says that %s', async (_, programs, fault) => {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const data = join(folder, 'data')
  const result = await resultOf(run({ DATA_DIR: data }, ['infra/local/samMain.ts'], `PATH=${bin}`))
  expect(result).toEqual([1, '', `npm run sam needs ${fault}\n`])
  expect(existsSync(data)).toBe(false)
})
