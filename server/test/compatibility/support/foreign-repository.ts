import { execFileSync } from 'node:child_process'

const MAX_BYTES = 64 * 2 ** 20

/** The newest commit of a local git directory, bare or not. Nothing of it is copied into this repository. */
export interface ForeignRepository {
  readonly commit: string
  readonly read: (path: string) => string
  /** Paths of all files. */
  readonly list: () => readonly string[]
}

/** Undefined unless the environment variable names a git directory: its tests are then skipped. */
export function foreignRepository(variable: string): ForeignRepository | undefined {
  const directory = process.env[variable]
  if (!directory) {
    console.warn(`${variable} is not set: its tests are skipped. Set it to the git directory of a clone (docs/compatibility.md).`)
    return undefined
  }
  const git = (...args: string[]): string =>
    execFileSync('git', ['--git-dir', directory, ...args], { encoding: 'utf8', maxBuffer: MAX_BYTES })
  return {
    commit: git('rev-parse', 'HEAD').trim(),
    read: (path) => git('show', `HEAD:${path}`),
    list: () => git('ls-tree', '-r', '--name-only', 'HEAD').trim().split('\n'),
  }
}
