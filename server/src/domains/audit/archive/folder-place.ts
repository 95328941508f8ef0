import { mkdir, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '../../../platform/lib/id.ts'
import type { ArchivePlace } from './archive-place.ts'

/** A folder, which several nodes may share. A segment appears under its name when it is complete. */
export class FolderPlace implements ArchivePlace {
  readonly key: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.key = `archive ${folder}`
  }

  async write(name: string, segment: Buffer): Promise<void> {
    const path = join(this.#folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const temporary = `${path}.${newId('part')}`
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(segment)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    await syncFolder(dirname(path))
  }

  async close(): Promise<void> {}
}

/** Makes the new name durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
