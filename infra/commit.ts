/** The commit of the code, for an output of the stack. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Returns the checked-out commit, with `-dirty` if tracked files differ from it, or `undefined` without a repository. */
export function currentCommit(): string | undefined {
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  const { stdout } = spawnSync('git', args, { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' })
  return stdout?.trim() || undefined
}
