/** The commit of the code, for outputs and descriptions of functions. `undefined` outside a git repository. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** Returns the checked-out commit, with `-dirty` if tracked files differ from it. */
export function currentCommit(): string | undefined {
  return git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*')
}

/** Returns the last commit that changed one of these files or folders, with `-dirty` if they differ from it. */
export function lastCommit(paths: string[]): string | undefined {
  const commit = git('log', '-1', '--format=%H', '--', ...paths)
  return commit && git('status', '--porcelain', '--untracked-files=no', '--', ...paths) ? `${commit}-dirty` : commit
}

function git(...args: string[]): string | undefined {
  const { stdout } = spawnSync('git', args, { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' })
  return stdout?.trim() || undefined
}
