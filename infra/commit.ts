/** The version of the code, for the stacks' outputs. */
import { spawnSync } from 'node:child_process'

/** The checked-out commit, with `-dirty` if tracked files differ from it; absent outside a git repository. */
export function currentCommit(): string | undefined {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], {
    encoding: 'utf8',
  })
  return stdout?.trim() || undefined
}
