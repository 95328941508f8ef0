import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

export interface FolderFile {
  /** Path below the folder, with forward slashes, after the prefix. */
  readonly key: string
  readonly path: string
}

export interface UnreadableFolder {
  readonly key: string
  readonly error: Error
}

/** Skips names that start with a dot, and links that lead out. Calls `onVacant` for empty folders and broken links: shares may be unmounted. */
export async function* filesBelow(
  folder: string,
  onVacant: (key: string) => void = () => {},
  prefix = '',
): AsyncGenerator<FolderFile | UnreadableFolder> {
  const root = await realpath(folder)
  yield* walk(root, prefix, [root], onVacant)
}

/** `ancestors`: real paths of this folder and its parents, to ignore links back to one of them. */
async function* walk(
  root: string,
  key: string,
  ancestors: readonly string[],
  onVacant: (key: string) => void,
): AsyncGenerator<FolderFile | UnreadableFolder> {
  const folder = ancestors.at(-1) as string
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => error)
  if (entries instanceof Error) {
    if (ancestors.length === 1) throw entries
    return yield { key, error: entries }
  }
  if (entries.length === 0) onVacant(key)
  for (const entry of entries.sort(byName)) {
    if (entry.name.startsWith('.')) continue
    const entryKey = key === '' ? entry.name : `${key}/${entry.name}`
    const path = join(folder, entry.name)
    const target = entry.isSymbolicLink() ? await resolveLink(root, path) : { path, kind: entry }
    if (target === 'broken') onVacant(entryKey)
    else if (target?.kind.isFile()) yield { key: entryKey, path: target.path }
    else if (target?.kind.isDirectory() && !ancestors.includes(target.path))
      yield* walk(root, entryKey, [...ancestors, target.path], onVacant)
  }
}

async function resolveLink(root: string, link: string) {
  try {
    const path = await realpath(link)
    const fromRoot = relative(root, path)
    return fromRoot === '..' || fromRoot.startsWith(`..${sep}`) ? undefined : { path, kind: await stat(path) }
  } catch {
    return 'broken' as const
  }
}

// By code units, independent of the machine's locale.
const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)
