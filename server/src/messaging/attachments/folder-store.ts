import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FileStore, ReceivedFile } from './file-store.ts'

/** Files below a folder: of this machine, or one that all nodes share. */
export class FolderStore implements FileStore {
  readonly incoming: string
  readonly #root: string

  constructor(root: string) {
    this.#root = root
    this.incoming = join(root, 'incoming')
  }

  async keep(place: string, { path }: ReceivedFile): Promise<void> {
    const target = this.#pathOf(place)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    // The same file system: it is there as a whole, or not at all.
    await rename(path, target)
    await syncFolder(dirname(target))
  }

  async open(place: string): Promise<Readable> {
    const file = await open(this.#pathOf(place))
    return file.createReadStream()
  }

  async remove(place: string): Promise<void> {
    await rm(this.#pathOf(place), { force: true })
  }

  async close(): Promise<void> {}

  #pathOf(place: string): string {
    return join(this.#root, place)
  }
}

/** A name is durable once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}
