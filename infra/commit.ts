/** The version of the code, for the stacks' outputs. */
import { spawnSync } from 'node:child_process'

/** The commit that is checked out, with `-dirty` if something is not committed; absent outside a git repository. */
export function currentCommit(): string | undefined {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], {
    encoding: 'utf8',
  })
  return stdout?.trim() || undefined
}
