import { spawnSync } from 'node:child_process'

/** The version of the code that is deployed: its commit in git, or nothing where there is no git. */
export function currentCommit(): string | undefined {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], {
    encoding: 'utf8',
  })
  return stdout?.trim() || undefined
}
