import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

export interface FolderFile {
  /** Path below the folder, with forward slashes. */
  readonly key: string
  readonly path: string
}

export interface UnreadableFolder {
  readonly key: string
  readonly error: Error
}

/**
 * The files below a folder, one folder after the other, by name: the same order each time. What begins with a dot is left out, and
 * so are links that lead out of the folder. A folder below it that cannot be read is told in its place; the folder itself throws.
 * `onVacant` is told of folders below it that are empty and of links that lead nowhere: a share that is not mounted looks like that.
 */
export async function* filesBelow(
  folder: string,
  onVacant: (key: string) => void = () => {},
): AsyncGenerator<FolderFile | UnreadableFolder> {
  const root = await realpath(folder)
  yield* walk(root, '', [root], onVacant)
}

/** `line`: where it really lies and what that was reached through, so that a link back to one of them leads nowhere. */
async function* walk(
  root: string,
  key: string,
  line: readonly string[],
  onVacant: (key: string) => void,
): AsyncGenerator<FolderFile | UnreadableFolder> {
  const folder = line.at(-1) as string
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => error)
  if (entries instanceof Error) {
    if (key === '') throw entries
    return yield { key, error: entries }
  }
  if (entries.length === 0) onVacant(key)
  for (const entry of entries.sort(byName)) {
    if (entry.name.startsWith('.')) continue
    const own = key === '' ? entry.name : `${key}/${entry.name}`
    const path = join(folder, entry.name)
    const real = entry.isSymbolicLink() ? await targetWithin(root, path) : { path, kind: entry }
    if (real === 'nowhere') onVacant(own)
    else if (real?.kind.isFile()) yield { key: own, path: real.path }
    else if (real?.kind.isDirectory() && !line.includes(real.path)) yield* walk(root, own, [...line, real.path], onVacant)
  }
}

async function targetWithin(root: string, link: string) {
  try {
    const path = await realpath(link)
    const away = relative(root, path)
    return away === '..' || away.startsWith(`..${sep}`) ? undefined : { path, kind: await stat(path) }
  } catch {
    return 'nowhere' as const
  }
}

// By code units: the same on every machine, whatever its language.
const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1)
