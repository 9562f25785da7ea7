/** Tests what `npm run sam` says if a program is missing. Only CI runs it with SAM and Docker. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resultOf, run, temporaryFolder } from '../support/process.ts'

const OLD_SAM = 'echo SAM CLI, version 1.146.0'
const SAM = 'echo SAM CLI, version 1.147.1'

it.each([
  ['SAM is missing', {}, /^SAM is missing, so install the AWS SAM CLI, .+\.\n$/],
  [
    'SAM is too old',
    { sam: OLD_SAM },
    /^SAM 1\.146\.0 does not know Node\.js 24, so install version 1\.147 or later\.\n$/,
  ],
  ['Docker is missing', { sam: SAM }, /^Docker is missing, so install and start it\.\n$/],
  [
    'Docker does not answer',
    { sam: SAM, docker: 'echo Cannot connect to the Docker daemon. >&2; exit 1' },
    /^Docker does not answer, so start it: Cannot connect to the Docker daemon\.\n$/,
  ],
])('npm run sam says that %s', async (_, programs, message) => {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const data = join(folder, 'data')
  const result = await resultOf(run({ DATA_DIR: data }, ['infra/local/samMain.ts'], `PATH=${bin}`))
  expect(result).toEqual([1, '', expect.stringMatching(message)])
  expect(existsSync(data)).toBe(false)
})
