import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FileStore, ReceivedFile } from './file-store.ts'

/** Stores files in a local folder, or in a folder that all nodes share. */
export class FolderStore implements FileStore {
  readonly incoming: string
  readonly #root: string

  constructor(root: string) {
    this.#root = root
    this.incoming = join(root, 'incoming')
  }

  async store(key: string, { path }: ReceivedFile): Promise<void> {
    const target = this.#pathOf(key)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    // Both paths are in the same file system, so the file appears complete or not at all.
    await rename(path, target)
    await syncFolder(dirname(target))
  }

  async open(key: string): Promise<Readable> {
    const file = await open(this.#pathOf(key))
    return file.createReadStream()
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true })
  }

  async close(): Promise<void> {}

  #pathOf(key: string): string {
    return join(this.#root, key)
  }
}

/** A renamed file is durable only after its folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
